//! Descriptors, studies and client sources are embedded: build again when one is added or changed.

fn main() {
    for folder in ["stores", "studies", "clients"] {
        println!("cargo:rerun-if-changed=../../{folder}");
    }
}
