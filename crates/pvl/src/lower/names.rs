//! Silver names for what PVL declares: readable, unique, and never a keyword.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Gives out names of one name space. A name that is taken gets a number behind it.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    /// Names that are taken, with the number to try next for each.
    taken: FxHashMap<Arc<str>, u32>,
}

impl Names {
    /// A new name that looks like `wanted`.
    pub(super) fn fresh(&mut self, wanted: &str) -> Arc<str> {
        let base = identifier(wanted);
        let mut name: Arc<str> = base.as_str().into();
        while self.taken.contains_key(&name) {
            let next = self.taken.get_mut(base.as_str());
            let number = match next {
                Some(next) => {
                    *next += 1;
                    *next
                }
                None => 1,
            };
            name = format!("{base}_{number}").into();
        }
        self.taken.insert(name.clone(), 0);
        name
    }

    /// Takes a name as it is.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.entry(name.into()).or_default();
    }
}

/// The text as a Silver identifier.
fn identifier(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result: String = text.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if result.is_empty() || result.starts_with(|c: char| c.is_ascii_digit()) {
        result.insert(0, '_');
    }
    if silver::syntax::is_keyword(&result) {
        result.push('_');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_unique_and_not_keywords() {
        let mut names = Names::default();
        assert_eq!(&*names.fresh("x"), "x");
        assert_eq!(&*names.fresh("x"), "x_1");
        assert_eq!(&*names.fresh("x_1"), "x_1_1");
        assert_eq!(&*names.fresh("x"), "x_2");
        assert_eq!(&*names.fresh("method"), "method_");
        assert_eq!(&*names.fresh("1 ä"), "_1__");
    }
}
