//! Where the libraries are that stores open at run time.

use std::ffi::CString;
use std::path::PathBuf;

/// The first library of the store's descriptor that can be opened: `Ok(None)` for a store that needs none.
pub fn library_of(store: &str) -> Result<Option<String>, String> {
    let path = format!("{}/../../stores/{store}/store.toml", env!("CARGO_MANIFEST_DIR"));
    let descriptor: toml::Table = std::fs::read_to_string(path).expect("a descriptor").parse().expect("TOML");
    let libraries = descriptor["install"].get("libraries").and_then(toml::Value::as_array).cloned();
    let Some(libraries) = libraries else { return Ok(None) };
    let names = libraries.iter().filter_map(toml::Value::as_str).map(|name| name.replace("{cache}", &cache()));
    let opens = |name: &String| {
        let name = CString::new(name.as_str()).expect("no zero");
        // SAFETY: these libraries do nothing beyond their own initialisers when they are opened.
        unsafe { !libc::dlopen(name.as_ptr(), libc::RTLD_LAZY).is_null() }
    };
    names.into_iter().find(opens).map(Some).ok_or_else(|| format!("no library of {store} is installed"))
}

/// Kurabe's folder in the user's cache.
fn cache() -> String {
    let of_root = rustix::process::geteuid().is_root().then(|| PathBuf::from("/var/cache"));
    let of_home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(of_root).or_else(of_home).unwrap_or_default();
    cache.join("kurabe").display().to_string()
}
