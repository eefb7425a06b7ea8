//! What a Silver term needs to have a value: permissions, and facts such as that an index is inside.
//!
//! A term is walked in the order in which it is evaluated. What it reads, and what the functions that it calls require
//! to be readable, are *needs*, each under the conditions that were passed on the way; all other checks are facts,
//! whose conjunction says that the term is defined. The term's own function can then require the needs alone and have
//! some other value where the term is not defined. Contracts frame themselves, so that nothing in them has to be
//! walked, and amounts do not matter to functions.

mod guarded;
mod permissions;
pub(crate) mod terms;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

pub(crate) use self::permissions::{Owner, SumIndex};
use self::terms::{Replacements, is_instance, replaced};
use crate::lower::build::{Build, is_resource};
use crate::lower::names::Names;
use crate::lower::origin::Origins;
use crate::lower::terms::triggers::is_application;

/// A contract of a function or a body of a predicate, over parameters.
#[derive(Clone)]
pub(crate) struct Declared {
    pub formals: Vec<s::Binding>,
    pub assertions: Vec<s::Expression>,
}

/// Functions and predicates of the program by name.
#[derive(Default)]
pub(crate) struct Declarations {
    pub functions: FxHashMap<Arc<str>, Declared>,
    pub predicates: FxHashMap<Arc<str>, Declared>,
}

impl Declarations {
    pub(crate) fn add(&mut self, member: &s::Member) {
        match &member.kind {
            s::MemberKind::Function(function) => self.add_function(function),
            s::MemberKind::Predicate(predicate) => {
                let declared = Declared {
                    formals: predicate.formals.clone(),
                    assertions: predicate.body.iter().cloned().collect(),
                };
                self.predicates.insert(predicate.name.text.clone(), declared);
            }
            _ => {}
        }
    }

    pub(crate) fn add_function(&mut self, function: &s::Function) {
        let assertion = |clause: &s::Specification| match &clause.kind {
            s::SpecificationKind::Assertion(assertion) => Some(assertion.clone()),
            s::SpecificationKind::Decreases(_) => None,
        };
        let assertions = function.preconditions.iter().filter_map(assertion).collect();
        let declared = Declared { formals: function.formals.clone(), assertions };
        self.functions.insert(function.name.text.clone(), declared);
    }

    /// Whether the value of the term depends on the heap.
    fn reads_heap(&self, term: &s::Expression) -> bool {
        let mut found = match &*term.kind {
            s::ExpressionKind::Field(..) | s::ExpressionKind::Unfolding(..) => true,
            s::ExpressionKind::Call(name, ..) => self
                .functions
                .get(&name.text)
                .is_some_and(|declared| declared.assertions.iter().any(is_resource)),
            _ => false,
        };
        term.kind.for_each_child(&mut |child| found = found || self.reads_heap(child));
        found
    }
}

/// What was passed on the way to a part of a term.
#[derive(Clone)]
enum Step {
    /// The part is only evaluated if this holds.
    Assumed(s::Expression),
    /// A check of what is evaluated before.
    Checked(s::Expression),
    /// The part is evaluated for all values of a variable; terms of it that mention the variable.
    Bound(s::Binding, Vec<s::Expression>),
    /// The part is evaluated with this predicate opened, which has these locations, some for all values of variables.
    Opened(s::Expression, Vec<(Vec<Arc<str>>, s::Expression)>),
}

/// Permission to read that a term needs.
struct Need {
    /// A field or a predicate.
    resource: s::Name,
    is_field: bool,
    arguments: Vec<s::Expression>,
    bound: Vec<s::Binding>,
    /// In order; whether it is a check only.
    conditions: Vec<(bool, s::Expression)>,
}

/// A construct that no function can have in its place.
pub(crate) struct Refusal {
    pub what: &'static str,
    pub span: Span,
}

/// A walk over terms.
pub(crate) struct Walk<'w> {
    pub declarations: &'w Declarations,
    pub names: &'w mut Names,
    pub origins: &'w mut Origins,
    pub place: Span,
    steps: Vec<Step>,
    needs: Vec<Need>,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(
        declarations: &'w Declarations,
        names: &'w mut Names,
        origins: &'w mut Origins,
        place: Span,
    ) -> Walk<'w> {
        Walk { declarations, names, origins, place, steps: Vec::new(), needs: Vec::new() }
    }

    pub(crate) fn at(&mut self) -> Build<'_> {
        Build::new(&mut *self.origins, self.place)
    }

    /// What follows is for all values of a variable.
    pub(crate) fn bind(&mut self, binding: s::Binding) {
        self.steps.push(Step::Bound(binding, Vec::new()));
    }

    /// Walks a condition of what follows; itself, behind the checks that it is defined.
    pub(crate) fn condition(&mut self, condition: &s::Expression) -> Result<s::Expression, Refusal> {
        let mark = self.steps.len();
        self.term(condition)?;
        let mut parts: Vec<s::Expression> = self.steps[mark..]
            .iter()
            .filter_map(|step| match step {
                Step::Checked(check) => Some(check.clone()),
                _ => None,
            })
            .collect();
        self.steps.push(Step::Assumed(condition.clone()));
        parts.push(condition.clone());
        Ok(self.at().all(parts))
    }

    /// Walks a term; the checks are kept for what follows.
    pub(crate) fn term(&mut self, term: &s::Expression) -> Result<(), Refusal> {
        use s::BinaryOperator as B;
        use s::ExpressionKind::*;
        match &*term.kind {
            Binary(operator @ (B::And | B::Or | B::Implies), left, right) => {
                self.term(left)?;
                let condition = match operator {
                    B::Or => self.at().not(left.clone()),
                    _ => left.clone(),
                };
                self.inside(vec![Step::Assumed(condition)], right)
            }
            Binary(B::Wand, ..) => Err(refusal("a magic wand", term)),
            Binary(operator, left, right) => {
                self.term(left)?;
                self.term(right)?;
                self.divisor(*operator, right);
                Ok(())
            }
            Conditional(condition, then, otherwise) => {
                self.term(condition)?;
                self.inside(vec![Step::Assumed(condition.clone())], then)?;
                let not = self.at().not(condition.clone());
                self.inside(vec![Step::Assumed(not)], otherwise)
            }
            Field(receiver, field) => {
                self.term(receiver)?;
                self.need(field, true, vec![receiver.clone()]);
                Ok(())
            }
            Call(name, arguments, _) => {
                for argument in arguments {
                    self.term(argument)?;
                }
                let Some(declared) = self.declarations.functions.get(&name.text) else { return Ok(()) };
                for assertion in self.instances(declared, arguments) {
                    self.require(&assertion)?;
                }
                Ok(())
            }
            Index(base, index) => {
                self.term(base)?;
                self.term(index)?;
                self.lookup(term.span, base, index);
                Ok(())
            }
            Forall { bindings, body, .. } | Exists { bindings, body, .. } => self.quantified(bindings, body),
            Let { name, value, body } => {
                self.term(value)?;
                let replacements = Replacements::from_iter([(name.text.clone(), value.clone())]);
                let body = replaced(body, &replacements, self.names);
                self.term(&body)
            }
            Unfolding(access, body) => self.unfolding(access, body, term),
            Annotated(_, inner) => self.term(inner),
            Int(_) | Bool(_) | Null | NoPermission | FullPermission | Wildcard | Epsilon | Name(_)
            | Unary(..) | Chain(..) | Range(..) | Slice(..) | Size(_) | Collection(..) | Map(..)
            | MapDomain(_) | MapRange(_) => {
                let mut children = Vec::new();
                term.kind.for_each_child(&mut |child| children.push(child));
                children.into_iter().try_for_each(|child| self.term(child))
            }
            Old(..) => Err(refusal("`\\old` inside of a function, a quantifier or an operation", term)),
            Update(..) => Err(refusal("an update of a collection", term)),
            Result => Err(refusal("`\\result`", term)),
            Access(..) | PredicateInstance(..) | InhaleExhale(..) | New(_) => {
                Err(refusal("a resource", term))
            }
            CurrentPermission(_) | ForPerm { .. } => Err(refusal("an amount of permission", term)),
            Applying(..) | Asserting(..) => Err(refusal("this construct", term)),
        }
    }

    /// Checks that a divisor is not zero.
    fn divisor(&mut self, operator: s::BinaryOperator, right: &s::Expression) {
        use s::BinaryOperator::{Add, Divide, IntDivide, Modulo};
        if !matches!(operator, Divide | IntDivide | Modulo) || is_number(right) {
            return;
        }
        let mut build = self.at();
        // A quotient of fractions: only zero is twice itself, whatever the type.
        let zero = match operator {
            Divide => build.binary(Add, right.clone(), right.clone()),
            _ => build.int(0),
        };
        let check = build.different(right.clone(), zero);
        self.steps.push(Step::Checked(check));
    }

    /// Checks that a sequence has the index, or a map the key.
    fn lookup(&mut self, lookup: Span, base: &s::Expression, index: &s::Expression) {
        let is_map = self.origins.is_map_lookup(lookup);
        let mut build = self.at();
        let check = if is_map {
            build.binary(s::BinaryOperator::In, index.clone(), base.clone())
        } else {
            let (zero, size) = (build.int(0), build.size(base.clone()));
            build.within(zero, index.clone(), size)
        };
        self.steps.push(Step::Checked(check));
    }

    fn quantified(&mut self, bindings: &[s::Binding], body: &s::Expression) -> Result<(), Refusal> {
        // There is always a value above the lower bound, so that the upper one has to be defined.
        for bound in first_range(body, bindings) {
            self.term(bound)?;
        }
        let steps = bindings.iter().map(|binding| {
            let mut patterns = Vec::new();
            if bindings.len() == 1 {
                self.patterns(body, &binding.name.text, &mut patterns);
            }
            Step::Bound(binding.clone(), patterns)
        });
        let steps = steps.collect();
        self.inside(steps, body)
    }

    fn unfolding(
        &mut self,
        access: &s::Expression,
        body: &s::Expression,
        term: &s::Expression,
    ) -> Result<(), Refusal> {
        let s::ExpressionKind::Access(location, _) = &*access.kind else {
            return Err(refusal("this `unfolding`", term));
        };
        let s::ExpressionKind::Call(name, arguments, _) = &*location.kind else {
            return Err(refusal("this `unfolding`", term));
        };
        for argument in arguments {
            self.term(argument)?;
        }
        self.need(name, false, arguments.clone());
        let mut contents = Vec::new();
        if let Some(declared) = self.declarations.predicates.get(&name.text) {
            for assertion in self.instances(declared, arguments) {
                locations(&assertion, &mut Vec::new(), &mut contents);
            }
        }
        self.inside(vec![Step::Opened(access.clone(), contents)], body)
    }

    /// Calls and elements that have the variable as an argument and do not depend on the heap.
    fn patterns(&self, term: &s::Expression, variable: &Arc<str>, found: &mut Vec<s::Expression>) {
        use s::ExpressionKind::{Call, Index};
        let is_it = |argument: &s::Expression| terms::as_name(argument) == Some(variable);
        let is_pattern = match &*term.kind {
            Call(_, arguments, _) => arguments.iter().any(is_it),
            Index(_, index) => is_it(index),
            _ => false,
        };
        let is_known = |text: &String| found.iter().any(|known| terms::text(known) == *text);
        let is_pattern = is_pattern && is_application(term) && !self.declarations.reads_heap(term);
        if is_pattern && !is_known(&terms::text(term)) {
            found.push(term.clone());
        }
        term.kind.for_each_child(&mut |child| self.patterns(child, variable, found));
    }

    /// Walks a part under further steps; its checks are kept as one.
    fn inside(&mut self, steps: Vec<Step>, part: &s::Expression) -> Result<(), Refusal> {
        let mark = self.steps.len();
        self.steps.extend(steps);
        let result = self.term(part);
        if let Some(check) = self.close(mark) {
            self.steps.push(Step::Checked(check));
        }
        result
    }

    /// Takes the steps since a mark back; the checks among them.
    pub(crate) fn close(&mut self, mark: usize) -> Option<s::Expression> {
        let mut rest: Option<s::Expression> = None;
        while self.steps.len() > mark {
            let Some(step) = self.steps.pop() else { break };
            let mut build = self.at();
            rest = match (step, rest) {
                (Step::Checked(check), None) => Some(check),
                (Step::Checked(check), Some(rest)) => Some(build.and(check, rest)),
                (_, None) => None,
                (Step::Assumed(condition), Some(rest)) => Some(build.implies(condition, rest)),
                // Where the term for some value is looked at, the check for it is known.
                (Step::Bound(binding, patterns), Some(rest)) => {
                    let triggers = patterns.into_iter().map(|pattern| build.trigger(vec![pattern])).collect();
                    Some(build.forall(vec![binding], triggers, rest))
                }
                (Step::Opened(access, _), Some(rest)) => {
                    Some(build.expression(s::ExpressionKind::Unfolding(access, rest)))
                }
            };
        }
        rest
    }

    /// The assertions for these arguments.
    fn instances(&mut self, declared: &Declared, arguments: &[s::Expression]) -> Vec<s::Expression> {
        let names = declared.formals.iter().map(|formal| formal.name.text.clone());
        let replacements: Replacements = names.zip(arguments.iter().cloned()).collect();
        declared.assertions.iter().map(|it| replaced(it, &replacements, self.names)).collect()
    }

    /// What the contract of a function that is called asks for.
    fn require(&mut self, assertion: &s::Expression) -> Result<(), Refusal> {
        use s::BinaryOperator as B;
        use s::ExpressionKind::*;
        if !is_resource(assertion) {
            self.steps.push(Step::Checked(assertion.clone()));
            return Ok(());
        }
        match &*assertion.kind {
            Binary(B::And, left, right) => {
                self.require(left)?;
                self.require(right)
            }
            Binary(B::Implies, condition, body) => {
                self.require_inside(Step::Assumed(condition.clone()), body)
            }
            Conditional(condition, then, otherwise) => {
                self.require_inside(Step::Assumed(condition.clone()), then)?;
                let not = self.at().not(condition.clone());
                self.require_inside(Step::Assumed(not), otherwise)
            }
            Forall { bindings, body, .. } => {
                let mark = self.steps.len();
                self.steps.extend(bindings.iter().map(|binding| Step::Bound(binding.clone(), Vec::new())));
                let result = self.require(body);
                if let Some(check) = self.close(mark) {
                    self.steps.push(Step::Checked(check));
                }
                result
            }
            Let { name, value, body } => {
                let replacements = Replacements::from_iter([(name.text.clone(), value.clone())]);
                let body = replaced(body, &replacements, self.names);
                self.require(&body)
            }
            InhaleExhale(_, checked) | Annotated(_, checked) => self.require(checked),
            Access(location, _) => match &*location.kind {
                Field(receiver, field) => {
                    self.need(field, true, vec![receiver.clone()]);
                    Ok(())
                }
                Call(name, arguments, _) => {
                    self.need(name, false, arguments.clone());
                    Ok(())
                }
                _ => Err(refusal("a function that requires this resource", assertion)),
            },
            _ => Err(refusal("a function that requires this resource", assertion)),
        }
    }

    fn require_inside(&mut self, step: Step, part: &s::Expression) -> Result<(), Refusal> {
        let mark = self.steps.len();
        self.steps.push(step);
        let result = self.require(part);
        if let Some(check) = self.close(mark) {
            self.steps.push(Step::Checked(check));
        }
        result
    }

    /// Records that a location is read here, unless a predicate that is open has it.
    fn need(&mut self, resource: &s::Name, is_field: bool, arguments: Vec<s::Expression>) {
        let kind = match (is_field, &arguments[..]) {
            (true, [receiver]) => s::ExpressionKind::Field(receiver.clone(), resource.clone()),
            _ => s::ExpressionKind::Call(resource.clone(), arguments.clone(), None),
        };
        let location = self.at().expression(kind);
        let mut bound = Vec::new();
        let mut conditions = Vec::new();
        let mut opened: Vec<s::Expression> = Vec::new();
        for step in self.steps.clone() {
            match step {
                Step::Bound(binding, _) => bound.push(binding),
                Step::Assumed(condition) => {
                    conditions.push((false, self.within_opened(&opened, condition)));
                }
                Step::Checked(check) => conditions.push((true, self.within_opened(&opened, check))),
                Step::Opened(access, contents) => {
                    if contents.iter().any(|(names, known)| is_instance(known, &location, names)) {
                        return;
                    }
                    opened.push(access);
                }
            }
        }
        let arguments = arguments.into_iter().map(|it| self.within_opened(&opened, it)).collect();
        self.needs.push(Need { resource: resource.clone(), is_field, arguments, bound, conditions });
    }

    /// The value of a term where these predicates are open.
    fn within_opened(&mut self, opened: &[s::Expression], term: s::Expression) -> s::Expression {
        if opened.is_empty() || !self.declarations.reads_heap(&term) {
            return term;
        }
        opened.iter().rev().fold(term, |term, access| {
            self.at().expression(s::ExpressionKind::Unfolding(access.clone(), term))
        })
    }
}

fn refusal(what: &'static str, term: &s::Expression) -> Refusal {
    Refusal { what, span: term.span }
}

/// The bounds of the first variable, if they are what is looked at first.
fn first_range<'e>(body: &'e s::Expression, bindings: &[s::Binding]) -> Vec<&'e s::Expression> {
    use s::BinaryOperator as B;
    let mut term = body;
    while let s::ExpressionKind::Binary(operator @ (B::And | B::Implies), left, right) = &*term.kind {
        if let (B::And, s::ExpressionKind::Binary(B::LessEqual, low, lower)) = (operator, &*left.kind)
            && let s::ExpressionKind::Binary(B::Less, upper, high) = &*right.kind
        {
            let names: Vec<Arc<str>> = bindings.iter().map(|it| it.name.text.clone()).collect();
            let is_first = |it: &s::Expression| terms::as_name(it) == names.first();
            let is_free = |it: &s::Expression| !terms::mentions(it, &names);
            let is_range = is_first(lower) && is_first(upper) && is_free(low) && is_free(high);
            return if is_range { vec![low, high] } else { Vec::new() };
        }
        term = left;
    }
    Vec::new()
}

/// Whether this is a number other than zero.
fn is_number(term: &s::Expression) -> bool {
    match &*term.kind {
        s::ExpressionKind::Int(digits) => digits.bytes().any(|digit| digit != b'0'),
        s::ExpressionKind::FullPermission => true,
        _ => false,
    }
}

/// The locations that an assertion holds permission to, some for all values of variables.
fn locations(
    assertion: &s::Expression,
    bound: &mut Vec<Arc<str>>,
    found: &mut Vec<(Vec<Arc<str>>, s::Expression)>,
) {
    use s::ExpressionKind::*;
    match &*assertion.kind {
        Access(location, _) => found.push((bound.clone(), location.clone())),
        Forall { bindings, body, .. } => {
            let mark = bound.len();
            bound.extend(bindings.iter().map(|binding| binding.name.text.clone()));
            locations(body, bound, found);
            bound.truncate(mark);
        }
        Binary(s::BinaryOperator::And | s::BinaryOperator::Implies, left, right) => {
            locations(left, bound, found);
            locations(right, bound, found);
        }
        Conditional(_, left, right) => {
            locations(left, bound, found);
            locations(right, bound, found);
        }
        InhaleExhale(inner, _) | Annotated(_, inner) | Let { body: inner, .. } => {
            locations(inner, bound, found);
        }
        _ => {}
    }
}
