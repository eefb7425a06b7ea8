//! Silver names for what PVL declares: readable, unique, and never a keyword.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

type Shared = Rc<RefCell<FxHashSet<Arc<str>>>>;

/// Gives out names of one name space. A name that is taken gets a number behind it.
///
/// In Silver a variable cannot have the name of a member. Members are found one after the other, so both sides know
/// what the other has given out.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    /// Names that are taken, with the number to try next for each.
    taken: FxHashMap<Arc<str>, u32>,
    /// All that this side has given out.
    own: Shared,
    others: Shared,
}

impl Names {
    /// Names for the variables of one member, where these are the names of members.
    pub(super) fn local(&self) -> Names {
        Names { taken: FxHashMap::default(), own: self.others.clone(), others: self.own.clone() }
    }

    /// A new name that looks like `wanted`.
    pub(super) fn fresh(&mut self, wanted: &str) -> Arc<str> {
        let base = identifier(wanted);
        let mut name: Arc<str> = base.as_str().into();
        let mut number = self.taken.get(&name).copied().unwrap_or(0);
        while self.taken.contains_key(&name) || self.others.borrow().contains(&name) {
            number += 1;
            name = format!("{base}_{number}").into();
        }
        self.taken.insert(base.into(), number);
        self.reserve(&name);
        name
    }

    /// A new name that looks like `wanted` behind a prefix, which is an identifier; and what stands behind the prefix.
    pub(super) fn fresh_behind(&mut self, prefix: &str, wanted: &str) -> (Arc<str>, Arc<str>) {
        let name = self.fresh(&format!("{prefix}{wanted}"));
        let word = name.get(prefix.len()..).unwrap_or_default().into();
        (name, word)
    }

    /// Does not give out a name because the other side has it.
    pub(super) fn avoid(&mut self, name: &str) {
        self.others.borrow_mut().insert(name.into());
    }

    /// Takes a name as it is.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.entry(name.into()).or_default();
        self.own.borrow_mut().insert(name.into());
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

    #[test]
    fn variables_and_members_have_different_names() {
        let mut members = Names::default();
        members.reserve("length");
        let mut first = members.local();
        assert_eq!(&*first.fresh("length"), "length_1");
        assert_eq!(&*first.fresh("x"), "x");
        assert_eq!(&*members.local().fresh("x"), "x");
        assert_eq!(&*members.fresh("x"), "x_1");
        assert_eq!(&*members.local().fresh("x_1"), "x_1_1");
    }
}
