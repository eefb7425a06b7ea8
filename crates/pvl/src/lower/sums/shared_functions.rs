//! Sums and sets that are the same function: the same text up to the names of variables.
//!
//! Two places share a function if one text becomes the other by giving variables other names, one to one. That is
//! what makes them equal for the proof, whatever the binder is called and whatever the caller calls the object. It is
//! enough to look at words, since no variable of Silver has the name of a member (see [`crate::lower::names`]), so that a word
//! stands for a variable everywhere or nowhere.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::syntax::tree as s;

/// The text of members with numbers for variables and for the members' own names.
pub(crate) fn shape(members: &[s::Member], own: &[&Arc<str>]) -> String {
    let mut variables = Variables::default();
    members.iter().for_each(|member| variables.member(member));
    let program = s::Program { members: members.to_vec() };
    let text = silver::syntax::print(&program);
    let mut shape = String::with_capacity(text.len());
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut rest = text.as_str();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    while let Some(start) = rest.find(is_word) {
        shape.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        if variables.names.contains(word) {
            let next = numbers.len();
            let number = *numbers.entry(word).or_insert(next);
            let _ = write!(shape, "#{number}");
        } else if let Some(number) = own.iter().position(|name| ***name == *word) {
            let _ = write!(shape, "@{number}");
        } else {
            shape.push_str(word);
        }
        rest = &rest[end..];
    }
    shape.push_str(rest);
    shape
}

#[derive(Default)]
struct Variables {
    names: FxHashSet<Arc<str>>,
}

impl Variables {
    fn bindings(&mut self, bindings: &[s::Binding]) {
        self.names.extend(bindings.iter().map(|binding| binding.name.text.clone()));
    }

    fn member(&mut self, member: &s::Member) {
        match &member.kind {
            s::MemberKind::Function(function) => {
                self.bindings(&function.formals);
                for clause in function.preconditions.iter().chain(&function.postconditions) {
                    match &clause.kind {
                        s::SpecificationKind::Assertion(assertion) => self.expression(assertion),
                        s::SpecificationKind::Decreases(decreases) => {
                            if let s::Measure::Tuple(measures) = &decreases.measure {
                                measures.iter().for_each(|measure| self.expression(measure));
                            }
                        }
                    }
                }
                function.body.iter().for_each(|body| self.expression(body));
            }
            s::MemberKind::Domain(domain) => {
                for function in &domain.functions {
                    let names = function.formals.iter().filter_map(|(name, _)| name.as_ref());
                    self.names.extend(names.map(|name| name.text.clone()));
                }
                domain.axioms.iter().for_each(|axiom| self.expression(&axiom.body));
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &s::Expression) {
        use s::ExpressionKind::{Exists, ForPerm, Forall, Let};
        match &*expression.kind {
            Forall { bindings, .. } | Exists { bindings, .. } => self.bindings(bindings),
            ForPerm { bindings, .. } => self.bindings(bindings),
            Let { name, .. } => {
                self.names.insert(name.text.clone());
            }
            _ => {}
        }
        expression.kind.for_each_child(&mut |child| self.expression(child));
    }
}
