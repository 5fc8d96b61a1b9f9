//! The servers that speak Redis' protocol and are stores of their own here.

use kurabe_client::adapter::{StoreError, Texts};

/// A server of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    Redis,
    Valkey,
}

impl Product {
    /// The product that a store's name stands for.
    pub(super) fn of(store: &str) -> Product {
        if store == Product::Valkey.name() { Product::Valkey } else { Product::Redis }
    }

    /// The store's name.
    fn name(self) -> &'static str {
        match self {
            Product::Redis => "redis",
            Product::Valkey => "valkey",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Product::Redis => "Redis",
            Product::Valkey => "Valkey",
        }
    }

    /// The product that a server tells to be; none where it tells nothing. Valkey gives its name and its own version
    /// beside that of the Redis which it is compatible with, and Redis gives its name in HELLO alone.
    fn told(texts: &Texts) -> Option<Product> {
        let is_valkey =
            texts.contains_key("valkey_version") || texts.get("server_name").is_some_and(|name| name == "valkey");
        match (is_valkey, texts.contains_key("version")) {
            (true, _) => Some(Product::Valkey),
            (false, true) => Some(Product::Redis),
            (false, false) => None,
        }
    }

    /// Refuses a server that is the other product.
    pub(super) fn check(self, texts: &Texts) -> Result<(), StoreError> {
        match Product::told(texts) {
            Some(other) if other != self => Err(StoreError::store(format!(
                "the server is {}, not {}; for it there is the store '{}'",
                other.title(),
                self.title(),
                other.name()
            ))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pairs: &[(&str, &str)]) -> Texts {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn a_server_is_the_product_that_it_tells_to_be() {
        let redis = texts(&[("version", "7.0.15"), ("redis_mode", "standalone")]);
        let valkey = texts(&[("version", "7.2.4"), ("server_name", "valkey"), ("valkey_version", "8.1.1")]);
        let by_hello = [texts(&[("server_name", "redis"), ("version", "7.0.15")]), texts(&[("server_name", "valkey")])];
        for (product, its, other) in [(Product::Redis, &redis, &valkey), (Product::Valkey, &valkey, &redis)] {
            assert_eq!(product.check(its), Ok(()));
            let error = product.check(other).expect_err("the other product").to_string();
            assert!(error.contains("not ") && error.contains(product.title()), "{error}");
            assert_eq!(product.check(&Texts::new()), Ok(()), "nothing is told");
        }
        assert!(Product::Redis.check(&by_hello[0]).is_ok() && Product::Valkey.check(&by_hello[0]).is_err());
        assert!(Product::Redis.check(&by_hello[1]).is_err() && Product::Valkey.check(&by_hello[1]).is_ok());
    }
}
