//! Expressions as they are evaluated: values are words, and everything is found by its number.

use crate::expression::{Binary, Builtin, Quantifier};
use crate::types::Type;

use super::words::Word;

/// An expression over words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Code {
    Constant(Word),
    Variable(u32),
    /// A field at the moment that is spoken about.
    Now(u32),
    /// A field before.
    Start(u32),
    Foreign(u32),
    Not(Box<Code>),
    Negate(Box<Code>),
    Binary(Binary, Box<Code>, Box<Code>),
    Conditional(Box<Code>, Box<Code>, Box<Code>),
    Let(u32, Box<Code>, Box<Code>),
    Call(u32, Vec<Code>),
    Builtin(Builtin, Vec<Code>),
    Quantified(Quantifier, Vec<CodeBinder>, Box<Code>, Box<Code>),
}

/// A bound variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeBinder {
    pub(crate) variable: u32,
    pub(crate) ty: Type,
    pub(crate) range: Option<(Code, Code)>,
}

impl Code {
    /// Calls `f` on every direct part.
    pub(crate) fn for_each_child(&self, f: &mut dyn FnMut(&Code)) {
        match self {
            Code::Constant(_) | Code::Variable(_) | Code::Now(_) | Code::Start(_) | Code::Foreign(_) => {}
            Code::Not(a) | Code::Negate(a) => f(a),
            Code::Binary(_, a, b) | Code::Let(_, a, b) => {
                f(a);
                f(b);
            }
            Code::Conditional(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            Code::Call(_, parts) | Code::Builtin(_, parts) => parts.iter().for_each(f),
            Code::Quantified(_, binders, condition, body) => {
                for (low, high) in binders.iter().filter_map(|binder| binder.range.as_ref()) {
                    f(low);
                    f(high);
                }
                f(condition);
                f(body);
            }
        }
    }

    /// Whether a part, or the whole, is such a one.
    pub(crate) fn any(&self, is_it: &dyn Fn(&Code) -> bool) -> bool {
        if is_it(self) {
            return true;
        }
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(is_it));
        found
    }

    /// The fields that are read, at any moment.
    pub(crate) fn fields(&self, into: &mut Vec<u32>) {
        if let Code::Now(field) | Code::Start(field) = self {
            into.push(*field);
        }
        self.for_each_child(&mut |child| child.fields(into));
    }
}
