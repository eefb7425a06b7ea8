//! Why a check of PVL fails, as a sentence about what is written there, and what can be done about it.
//!
//! Works on the nodes at the place, the code, and the values of the counterexample; where these do not tell enough,
//! nothing is said beyond what the code says.

use num_bigint::BigInt;
use source::SourceMap;

use super::place;
use super::problem::{Measure, Problem};
use super::render::line;
use super::term::Term;
use crate::syntax::tree::{BinaryOperator, Builtin, Expression, ExpressionKind, Program, UnaryOperator};

/// What a failure is about.
pub(super) struct Subject<'s> {
    pub(super) problem: &'s Problem<'s>,
    pub(super) tree: &'s Program,
    pub(super) sources: &'s SourceMap,
}

/// An index and what it is an index into, with what its length is called.
struct Subscript<'t> {
    index: &'t Expression,
    length: Option<Term>,
    length_text: String,
}

impl<'s> Subject<'s> {
    fn at<T>(&self, pick: impl Fn(&'s Expression) -> Option<T>) -> Option<T> {
        place::expression(self.tree, self.problem.span, pick)
    }

    fn text(&self, expression: &Expression) -> Option<&'s str> {
        line(self.sources, expression.span)
    }

    /// The reason.
    pub(super) fn reason(&self) -> Option<String> {
        let base = self.plain_code()?;
        let here = || line(self.sources, self.problem.span);
        match base {
            "decreasesFailed" | "loopDecreasesFailed" => self.measure(),
            "negativePermValue" => Some(format!("`{}` may be negative", here()?)),
            "arrayBounds" | "indexNegative" | "indexExceedsLength" => {
                self.index(&self.subscript(base)?, base == "indexNegative")
            }
            "divByZero" => match self.divisor_is_vector() {
                true => Some(format!("an element of `{}` may be zero", here()?)),
                false => Some(format!("`{}` may be zero", here()?)),
            },
            "setEmpty" => Some(format!("`{}` may be empty", self.text(self.chosen_from()?)?)),
            "negativeExponent" => Some(format!("`{}` may be negative", self.text(self.exponent()?)?)),
            "mapKey" => {
                let map = place::indexed(self.tree, self.problem.span).and_then(|map| self.text(map));
                Some(match map {
                    Some(map) => format!("`{}` may not be a key of `{map}`", here()?),
                    None => format!("`{}` may not be a key", here()?),
                })
            }
            "arraySize" => Some(format!("`{}` may be negative", self.text(self.size()?)?)),
            "ptrBlock" => {
                let pointer = self.text(self.pointer()?)?;
                Some(format!("`{}` may lie outside of the block of `{pointer}`", here()?))
            }
            "optNone" => Some(format!("`{}` may be `None`", self.absent()?)),
            "left" => Some(format!("`{}` may be a left value", self.absent()?)),
            "right" => Some(format!("`{}` may be a right value", self.absent()?)),
            _ => Some(format!("`{}` may be null", self.absent()?)),
        }
    }

    /// The code, if it has no reason behind it.
    fn plain_code(&self) -> Option<&'static str> {
        Some(self.problem.code.base).filter(|_| self.problem.code.reason.is_none())
    }

    fn subscript(&self, code: &str) -> Option<Subscript<'s>> {
        if code != "arrayBounds" {
            let base = place::indexed(self.tree, self.problem.span)?;
            let length = Term::of(base).map(|term| Term::Size(Box::new(term)));
            let length_text = format!("|{}|", self.text(base)?);
            return Some(Subscript { index: self.at(Some)?, length, length_text });
        }
        let (base, index) = self.at(|expression| match &*expression.kind {
            ExpressionKind::Index(base, index) if !matches!(*index.kind, ExpressionKind::AnyIndex) => {
                Some((base, index))
            }
            _ => None,
        })?;
        let length = Term::of(base).map(|term| term.field("length"));
        let length_text = format!("{}.length", self.text(base)?);
        Some(Subscript { index, length, length_text })
    }

    fn index(&self, subscript: &Subscript<'_>, is_negative: bool) -> Option<String> {
        let Subscript { index, length, length_text } = subscript;
        let value = |term: &Term| self.problem.values.integer(term);
        let at = Term::of(index).as_ref().and_then(value);
        let size = length.as_ref().and_then(value);
        let is_literal = matches!(*index.kind, ExpressionKind::Int(_));
        let index = self.text(index)?;
        let zero = BigInt::from(0);
        match (at, size) {
            (Some(_), Some(size)) if is_literal => Some(format!("`{length_text}` may be {size}")),
            (Some(at), _) if at < zero => Some(format!("`{index}` may be negative")),
            (Some(at), Some(size)) if at == size => Some(format!("`{index}` may equal `{length_text}`")),
            (Some(at), Some(size)) if at > size => {
                Some(format!("`{index}` may be greater than `{length_text}`"))
            }
            _ if is_negative => Some(format!("`{index}` may be negative")),
            (Some(_), _) => Some(format!("`{index}` may not be less than `{length_text}`")),
            _ => None,
        }
    }

    /// Whether a divisor is a vector, as far as the counterexample knows it by name.
    fn divisor_is_vector(&self) -> bool {
        let size = self.at(Term::of).map(|divisor| Term::Size(Box::new(divisor)));
        size.is_some_and(|size| self.problem.values.integer(&size).is_some())
    }

    fn chosen_from(&self) -> Option<&'s Expression> {
        self.at(|expression| match &*expression.kind {
            ExpressionKind::Builtin(Builtin::Choose, arguments) => arguments.first(),
            _ => None,
        })
    }

    fn exponent(&self) -> Option<&'s Expression> {
        self.at(|expression| match &*expression.kind {
            ExpressionKind::Binary(BinaryOperator::Power, _, exponent) => Some(exponent),
            ExpressionKind::Builtin(Builtin::Pow, arguments) => arguments.get(1),
            _ => None,
        })
    }

    /// The size of a new array.
    fn size(&self) -> Option<&'s Expression> {
        self.at(|expression| match &*expression.kind {
            ExpressionKind::NewArray { dimensions, .. } => dimensions.last(),
            _ => None,
        })
    }

    /// The pointer that is followed, moved or asked about.
    fn pointer(&self) -> Option<&'s Expression> {
        self.at(|expression| match &*expression.kind {
            ExpressionKind::Index(base, _) | ExpressionKind::Unary(UnaryOperator::Dereference, base) => {
                Some(base)
            }
            ExpressionKind::Binary(BinaryOperator::Add | BinaryOperator::Subtract, base, _) => Some(base),
            ExpressionKind::Builtin(_, arguments) => arguments.first(),
            _ => None,
        })
    }

    /// What may be null, or empty.
    fn absent(&self) -> Option<&'s str> {
        let selected = |field: &'static str| {
            self.at(move |expression| match &*expression.kind {
                ExpressionKind::Field(base, name) if &*name.text == field => Some(base),
                _ => None,
            })
        };
        let subject = match self.plain_code()? {
            "ptrNull" => self.pointer(),
            "arrayNull" => self
                .at(|expression| match &*expression.kind {
                    ExpressionKind::Index(base, _) => Some(base),
                    _ => None,
                })
                .or_else(|| selected("length")),
            "invocationObjectNull" => self.at(|expression| match &*expression.kind {
                ExpressionKind::Call(call) => call.receiver.as_ref(),
                _ => None,
            }),
            "lockNull" | "forkNull" | "joinNull" => place::operated(self.tree, self.problem.span),
            "optNone" => selected("get"),
            "left" => selected("right"),
            "right" => selected("left"),
            _ => None,
        };
        self.text(subject?)
    }

    /// Why a measure fails, by what the counterexample says about it.
    fn measure(&self) -> Option<String> {
        let mut pairs = Vec::new();
        let mut bounded = 0;
        for measure in &self.problem.measures {
            match measure {
                Measure::Decreasing { smaller, larger } => pairs.push((smaller, larger)),
                Measure::Bounded => bounded += 1,
            }
        }
        let ([(smaller, larger)], 1) = (&pairs[..], bounded) else { return None };
        Some(match self.problem.values.integer(larger) {
            Some(value) if value < BigInt::from(0) => format!("`{larger}` may be negative"),
            _ if smaller == larger => format!("`{larger}` may stay as it is"),
            _ => format!("`{smaller}` may not be less than `{larger}`"),
        })
    }

    /// What is likely to help; `location` is what there is too little permission to.
    pub(super) fn next_step(&self, location: Option<&str>) -> Option<String> {
        let is_number = |term: &Term| matches!(term, Term::Element { .. });
        let is_written = |it: &super::term::Spelled| it.is_hidden || !it.term.mentions(&is_number);
        let location = location.filter(|_| self.problem.location.as_ref().is_some_and(is_written));
        if self.problem.code.reason.is_some() {
            return self.next_step_for_contract(location);
        }
        let here = || self.at(Some);
        Some(match self.problem.code.base {
            code @ ("perm" | "arrayPerm" | "assignFieldFailed") => {
                let amount = if code == "assignFieldFailed" { "write" } else { "read" };
                let location = location?;
                format!(
                    "`Perm({location}, {amount})` has to be held here: ask for it in the precondition and in the \
                     invariants of loops around, or unfold the predicate that holds it"
                )
            }
            code @ ("arrayBounds" | "indexNegative" | "indexExceedsLength") => {
                self.bounds(&self.subscript(code)?)?
            }
            "divByZero" if self.divisor_is_vector() => return None,
            "divByZero" => format!("require `{} != 0`, or test it by `if`", self.operand(here()?)?),
            "arraySize" => format!("require `{} >= 0`", self.operand(self.size()?)?),
            "mapKey" => {
                let map = self.text(place::indexed(self.tree, self.problem.span)?)?;
                format!("require `{} in {map}.keys`, or test it by `if`", self.operand(here()?)?)
            }
            "arrayNull" | "ptrNull" | "invocationObjectNull" | "lockNull" | "forkNull" | "joinNull" => {
                format!("require `{} != null`, or test it by `if`", self.absent()?)
            }
            "optNone" => format!("require `{} != None`, or test it by `if`", self.absent()?),
            "running" => format!(
                "`fork` needs `idle({})`: the constructor has to ensure `idle(this)`, and `join` gives it back",
                self.object()?
            ),
            "idle" => format!("`join` needs `running({})`, which `fork` gives", self.object()?),
            "actionNotOffered" => "the part that is held, with this share, has to be able to begin with the action and to \
                                   go on with what is left: `assert m.state(q, T);` in front shows whether T is held"
                .to_string(),
            "destroyUnfinished" => "all parts have to be merged, and what is left has to be able to end: \
                                    `assert m.state(1, T);` in front shows whether T is left"
                .to_string(),
            "modelReceiver" => "name the actions and processes through the object of the step, or say in the contract that the \
                                two are the same"
                .to_string(),
            "modelWrite" => "write it in an action block of an action that modifies it, or before `create`".to_string(),
            "createPermission" => "a model is created once, until it is destroyed, by whoever holds all of its fields".to_string(),
            "splitFailed" => "what is split is `m.state(q1 + q2, P1 || P2)`".to_string(),
            "mergeFailed" => "what is merged is `m.state(q1, P1) ** m.state(q2, P2)`".to_string(),
            "lockNotCommitted" => format!(
                "require `committed({})`; `commit` establishes it, at the end of a constructor",
                self.object()?
            ),
            _ => return None,
        })
    }

    /// The object of a statement.
    fn object(&self) -> Option<&'s str> {
        self.text(place::operated(self.tree, self.problem.span)?)
    }

    fn next_step_for_contract(&self, location: Option<&str>) -> Option<String> {
        if !self.problem.code.lacks_permission() {
            return None;
        }
        Some(match self.problem.code.base {
            "preFailed" | "contextPreFailed" | "forkPre" | "invariantFailed" | "commitFailed"
                if self.problem.wants_part =>
            {
                "this part has to be held, or a larger one that it can be split from: a `split` in front, with the shares and \
                 terms of both, says how"
                    .to_string()
            }
            "heldFailed" => {
                let object = self.object()?;
                format!("`held({object})` comes from `lock {object};`")
            }
            "invariantFailed" => format!(
                "`unlock` gives back what the lock invariant holds: it comes from `lock {};`",
                self.object()?
            ),
            "commitFailed" => {
                "`commit` gives the lock invariant to the lock: all of it has to be held before".to_string()
            }
            "parPreFailed" => "all threads together need this: each of them needs locations of its own, \
                               or a fraction that is small enough for all"
                .to_string(),
            "inconsistent" => {
                "what threads take away from a barrier has to be brought there by some thread".to_string()
            }
            "preFailed" | "contextPreFailed" | "forkPre" => format!(
                "the caller has to hold it: ask for `{}` in its own contract, or get it from a call before",
                location?
            ),
            _ => return None,
        })
    }

    fn bounds(&self, subscript: &Subscript<'_>) -> Option<String> {
        let index = self.operand(subscript.index)?;
        let length = &subscript.length_text;
        if matches!(*subscript.index.kind, ExpressionKind::Int(_)) {
            return Some(format!("require `{index} < {length}`, or test it by `if`"));
        }
        Some(format!(
            "make sure of `0 <= {index} && {index} < {length}`: in the precondition, a loop invariant or a condition \
             before"
        ))
    }

    /// An expression as it is written, in brackets where it would bind looser than a comparison or is hard to read.
    fn operand(&self, expression: &Expression) -> Option<String> {
        use BinaryOperator::{Add, Multiply, Subtract};
        let text = self.text(expression)?;
        let is_plain = match &*expression.kind {
            ExpressionKind::Binary(Add | Subtract | Multiply, ..) => true,
            ExpressionKind::Unary(UnaryOperator::Negate, _) => true,
            ExpressionKind::Binary(..)
            | ExpressionKind::Unary(..)
            | ExpressionKind::Conditional(..)
            | ExpressionKind::Unfolding(..)
            | ExpressionKind::With { .. }
            | ExpressionKind::Scale(..)
            | ExpressionKind::MapInsert(..) => false,
            _ => true,
        };
        Some(if is_plain || is_in_brackets(expression) { text.to_string() } else { format!("({text})") })
    }
}

/// Whether an expression with an operator is written in brackets, which belong to its place.
fn is_in_brackets(expression: &Expression) -> bool {
    match &*expression.kind {
        ExpressionKind::Binary(_, first, _) | ExpressionKind::Conditional(first, ..) => {
            expression.span.start < first.span.start
        }
        _ => false,
    }
}
