//! Silver names for what PVL declares: readable, unique, and never a keyword.
//!
//! Variables of different members may have the same name, but none may have the name of a member.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

type Shared = Rc<RefCell<FxHashSet<Arc<str>>>>;

/// Gives out names of one name space. A name that is taken gets a number behind it.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    /// Names that are taken, with the number to try next for each.
    taken: FxHashMap<Arc<str>, u32>,
    /// All names of this kind, for those who avoid them.
    given: Shared,
    /// All names of the other kind.
    avoided: Shared,
}

impl Names {
    /// Names of variables of one member, where these are the names of members.
    pub(super) fn of_variables(members: &Names) -> Names {
        Names { taken: FxHashMap::default(), given: members.avoided.clone(), avoided: members.given.clone() }
    }

    /// A new name that looks like `wanted`.
    pub(super) fn fresh(&mut self, wanted: &str) -> Arc<str> {
        let base = identifier(wanted);
        let mut name: Arc<str> = base.as_str().into();
        while self.taken.contains_key(&name) || self.avoided.borrow().contains(&name) {
            let next = self.taken.entry(base.as_str().into()).or_default();
            *next += 1;
            let number = *next;
            name = format!("{base}_{number}").into();
        }
        self.taken.insert(name.clone(), 0);
        self.given.borrow_mut().insert(name.clone());
        name
    }

    /// Takes a name as it is.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.entry(name.into()).or_default();
        self.given.borrow_mut().insert(name.into());
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
    fn no_variable_has_the_name_of_a_member() {
        let mut members = Names::default();
        assert_eq!(&*members.fresh("p"), "p");
        let mut variables = Names::of_variables(&members);
        assert_eq!(&*variables.fresh("p"), "p_1");
        assert_eq!(&*variables.fresh("x"), "x");
        assert_eq!(&*Names::of_variables(&members).fresh("x"), "x");
        assert_eq!(&*members.fresh("x"), "x_1");
    }
}
