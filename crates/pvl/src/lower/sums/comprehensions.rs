//! Set comprehensions: which function they are, and the checks at the place where they stand.
//!
//! Sets are finite, so each variable must run over a collection or, if it is an integer, between bounds that do not
//! depend on variables behind it. Where the value says which choice it comes from, as in `x + 1` or a tuple of all
//! variables, membership is decided by that choice; otherwise each choice gives an element, and each element comes
//! from some choice.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Pending;
use crate::lower::prelude::Theory;
use crate::lower::scope::{Scope, Variable};
use crate::lower::sums::captures::Captures;
use crate::lower::sums::set_functions::{Given, SetFunction, membership};
use crate::lower::sums::shared_functions::shape;
use crate::resolve::{NameTarget, Operation, Type};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, NodeId, Selector};

/// The values of a set, for all choices.
struct Chosen<'t> {
    value: &'t Expression,
    selectors: &'t [Selector],
    condition: &'t Expression,
    /// Whether a variable has another type than the elements that it runs over.
    converts: bool,
    place: Span,
}

fn element_of(set: &Type) -> Type {
    match set {
        Type::Set(element) => (**element).clone(),
        _ => Type::Unknown,
    }
}

/// Whether a choice can be found by its membership: the solver looks for terms, not for results of arithmetic.
fn is_pattern(membership: &s::Expression) -> bool {
    match &*membership.kind {
        s::ExpressionKind::Binary(s::BinaryOperator::In, _, source) => {
            matches!(&*source.kind, s::ExpressionKind::Name(_))
        }
        _ => false,
    }
}

impl<'t> Scope<'_, 't> {
    /// `set<T>{ value | selectors; condition }`
    pub(crate) fn comprehension(
        &mut self,
        value: &'t Expression,
        selectors: &'t [Selector],
        condition: &'t Expression,
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let ids: Vec<NodeId> = selectors.iter().map(|selector| selector.id).collect();
        if !self.choices_are_finite(selectors, condition, &ids) {
            return self.at(place).bool(true);
        }
        let sources = selectors.iter().filter_map(|it| it.source.as_ref());
        let parts: Vec<&'t Expression> = [value, condition].into_iter().chain(sources).collect();
        let converts = selectors.iter().any(|selector| self.converted_source(selector).is_some());
        let reads = converts || parts.iter().any(|part| self.reads_heap(part));
        if !converts && let Some(source) = self.set_itself(value, selectors, condition) {
            return source;
        }
        if !reads {
            let element = self.ty(&element_of(ty), place);
            if let Some(set) = self.listed_set(value, selectors, condition, element, place) {
                return set;
            }
        }
        let captures = self.captures(&parts, &ids);
        let name = self.lowering.globals.fresh("comprehension");
        let arguments = self.captured(&captures, place);
        let set = Chosen { value, selectors, condition, converts, place };
        let mut function = self.set_function(&set, name.clone(), &captures, ty);
        // What may have to be read, and what is defined only here, is found out from the function's parts.
        let is_partial = reads || function.may_be_undefined(&self.lowering.prelude.partial_functions());
        if is_partial {
            function.sources.clear();
            function.given = None;
        }
        let element = function.element.clone();
        let declaration = function.clone().declaration(&mut self.at(place), Vec::new());
        let declared = self.at(place).member(s::MemberKind::Function(declaration.clone()));
        let key = shape(&[declared], &[&name]);
        let name = match self.lowering.shared.get(&key) {
            Some(known) => known.clone(),
            None => {
                self.lowering.shared.insert(key, name.clone());
                if is_partial {
                    self.lowering.need(Theory::SetMember);
                    self.lowering.pending.push(Pending::Set(function));
                } else {
                    self.lowering.add_member(place, s::MemberKind::Function(declaration));
                }
                name
            }
        };
        if !is_partial {
            return self.at(place).call(&name, arguments);
        }
        let is_defined = self.choices_are_defined(value, selectors, condition, place);
        let mut build = self.at(place);
        let set = build.call(&name, arguments);
        let nothing = s::ExpressionKind::Collection(s::CollectionKind::Set, Some(element), Vec::new());
        let nothing = build.expression(nothing);
        build.conditional(is_defined, set, nothing)
    }

    /// Whether each variable runs over a collection or between bounds; says so if not.
    fn choices_are_finite(
        &mut self,
        selectors: &'t [Selector],
        condition: &'t Expression,
        ids: &[NodeId],
    ) -> bool {
        for (index, selector) in selectors.iter().enumerate() {
            let is_bounded = self.variable_type(selector.id) == Type::Int
                && self.has_bound(condition, selector.id, &ids[index..], true)
                && self.has_bound(condition, selector.id, &ids[index..], false);
            if selector.source.is_none() && !is_bounded {
                let message = format!("the set may be infinite: nothing bounds `{}`", selector.name.text);
                let help = "let it run over a collection with `<-`, or give it a lower and an upper bound";
                self.error("infiniteSet", selector.span, message, help);
                return false;
            }
        }
        true
    }

    /// The function that gives the set, for all that it captures.
    fn set_function(
        &mut self,
        set: &Chosen<'t>,
        name: Arc<str>,
        captures: &Captures,
        ty: &Type,
    ) -> SetFunction {
        let Chosen { value, selectors, condition, converts, place } = *set;
        let ids: Vec<NodeId> = selectors.iter().map(|selector| selector.id).collect();
        let (mut scope, formals) = self.function_scope(captures, place);
        let member = scope.member.names.fresh("x");
        let element = scope.ty(&element_of(ty), place);
        let set = scope.ty(ty, place);
        let it = scope.at(place).variable(&member);
        let mut choice = Vec::new();
        let is_decided =
            !converts && scope.choice_of(value, it, &ids, &mut choice) && choice.len() == ids.len();
        let mut bindings = Vec::new();
        let mut sources = Vec::new();
        let given = if is_decided { scope.given(value, selectors, condition) } else { None };
        let (facts, value) = if is_decided {
            for (id, value) in choice {
                scope.bindings.variables.insert(id, Variable::Value(value));
            }
            (scope.choice_facts(selectors, condition, &mut None), None)
        } else {
            let written = selectors.iter().filter_map(|it| it.source.as_ref());
            let is_given = |source: &&Expression| !scope.mentions(source, &ids);
            let written: Vec<&'t Expression> = written.filter(is_given).collect();
            sources.extend(written.into_iter().map(|source| scope.expression(source)));
            let mut declared = Some(Vec::new());
            let facts = scope.choice_facts(selectors, condition, &mut declared);
            bindings = declared.unwrap_or_default();
            (facts, Some(scope.expression(value)))
        };
        SetFunction {
            name,
            formals,
            set,
            element,
            member,
            bindings,
            facts,
            value,
            given,
            sources,
            triggers: Vec::new(),
            names: scope.member.names.clone(),
            place,
        }
    }

    /// What each choice gives, if the choices are elements of collections and nothing is read.
    fn given(
        &mut self,
        value: &'t Expression,
        selectors: &'t [Selector],
        condition: &'t Expression,
    ) -> Option<Given> {
        let sources = selectors.iter().map(|it| it.source.as_ref()).collect::<Option<Vec<_>>>()?;
        if [value, condition].into_iter().chain(sources).any(|part| self.reads_heap(part)) {
            return None;
        }
        let mut declared = Some(Vec::new());
        let mut facts = self.choice_facts(selectors, condition, &mut declared);
        let condition = facts.pop()?;
        if !facts.iter().all(|fact| is_pattern(membership(fact))) {
            return None;
        }
        let value = self.expression(value);
        Some(Given { bindings: declared?, sources: facts, condition, value })
    }

    /// True, and fails where the value is not defined for a choice.
    fn choices_are_defined(
        &mut self,
        value: &'t Expression,
        selectors: &'t [Selector],
        condition: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let mut bindings = Some(Vec::new());
        let (facts, is_defined) = self.specification(|scope| {
            let facts = scope.choice_facts(selectors, condition, &mut bindings);
            let value = scope.expression(value);
            (facts, scope.evaluated(value, place))
        });
        let mut build = self.at(place);
        let guard = build.all(facts);
        let body = build.implies(guard, is_defined);
        build.forall(bindings.unwrap_or_default(), Vec::new(), body)
    }

    /// The type of the elements that a variable runs over, if its own is another one.
    fn converted_source(&self, selector: &'t Selector) -> Option<Type> {
        let source = selector.source.as_ref()?;
        let (Type::Seq(element) | Type::Set(element) | Type::Bag(element)) = self.converted_type(source)
        else {
            return None;
        };
        (*element != self.variable_type(selector.id)).then(|| (*element).clone())
    }

    /// What the selectors and the condition say about a choice. With `bindings`, the variables are declared there;
    /// otherwise they have values already.
    fn choice_facts(
        &mut self,
        selectors: &'t [Selector],
        condition: &'t Expression,
        bindings: &mut Option<Vec<s::Binding>>,
    ) -> Vec<s::Expression> {
        let mut facts = Vec::new();
        for selector in selectors {
            let source = selector.source.as_ref().map(|source| (source, self.expression(source)));
            let own = self.variable_type(selector.id);
            let other = self.converted_source(selector);
            if let Some(bindings) = bindings {
                let ty = other.clone().unwrap_or_else(|| own.clone());
                let ty = self.ty(&ty, selector.span);
                let name = self.declare(selector.id, &selector.name.text);
                bindings.push(self.at(selector.span).binding(&name, ty));
            }
            if let Some((written, source)) = source {
                let variable = self.variable(selector.id, selector.span);
                let is_bag = matches!(self.converted_type(written), Type::Bag(_));
                let mut build = self.at(selector.span);
                let mut fact = build.binary(s::BinaryOperator::In, variable.clone(), source);
                if is_bag {
                    let zero = build.int(0);
                    fact = build.less(zero, fact);
                }
                facts.push(fact);
                // The element runs; the variable is what it converts to.
                if let Some(other) = other {
                    let value = self.convert(variable, &other, &own, written);
                    self.bindings.variables.insert(selector.id, Variable::Value(value));
                }
            }
        }
        facts.push(self.expression(condition));
        facts
    }

    /// The choice of variables that gives the value `it`, if each value has one; whether that is so.
    fn choice_of(
        &mut self,
        value: &'t Expression,
        it: s::Expression,
        variables: &[NodeId],
        choice: &mut Vec<(NodeId, s::Expression)>,
    ) -> bool {
        if self.converted_type(value) != self.type_of(value) {
            return false;
        }
        let place = value.span;
        match &*value.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&value.id) {
                Some(NameTarget::Variable(id)) if variables.contains(id) => {
                    let is_new = choice.iter().all(|(known, _)| known != id);
                    choice.push((*id, it));
                    is_new
                }
                _ => false,
            },
            ExpressionKind::Binary(
                operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                left,
                right,
            ) => {
                let is_integer =
                    matches!(self.resolution.operations.get(&value.id), Some(Operation::Numbers(Type::Int)));
                if !is_integer || self.type_of(left) != Type::Int || self.type_of(right) != Type::Int {
                    return false;
                }
                let is_sum = *operator == BinaryOperator::Add;
                if !self.mentions(right, variables) {
                    let amount = self.expression(right);
                    let back = if is_sum { s::BinaryOperator::Subtract } else { s::BinaryOperator::Add };
                    let before = self.at(place).binary(back, it, amount);
                    return self.choice_of(left, before, variables, choice);
                }
                if !self.mentions(left, variables) {
                    let amount = self.expression(left);
                    let mut build = self.at(place);
                    let before = match is_sum {
                        true => build.subtract(it, amount),
                        false => build.subtract(amount, it),
                    };
                    return self.choice_of(right, before, variables, choice);
                }
                false
            }
            ExpressionKind::Tuple { first, second, .. } => {
                let mut build = self.at(place);
                let left = build.call("tuple_first", vec![it.clone()]);
                let right = build.call("tuple_second", vec![it]);
                self.choice_of(first, left, variables, choice)
                    && self.choice_of(second, right, variables, choice)
            }
            _ => false,
        }
    }

    /// Whether a conjunct bounds the variable from below or above without the other variables.
    fn has_bound(&self, condition: &Expression, variable: NodeId, others: &[NodeId], below: bool) -> bool {
        use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, Star};
        let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return false };
        let is_bound = |it: &Expression, bound: &Expression| {
            matches!(self.resolution.names.get(&it.id), Some(NameTarget::Variable(id)) if *id == variable)
                && !self.mentions(bound, others)
        };
        match operator {
            And | Star => {
                self.has_bound(left, variable, others, below)
                    || self.has_bound(right, variable, others, below)
            }
            Equal => is_bound(left, right) || is_bound(right, left),
            Less | LessEqual if below => is_bound(right, left),
            Less | LessEqual => is_bound(left, right),
            Greater | GreaterEqual if below => is_bound(left, right),
            Greater | GreaterEqual => is_bound(right, left),
            _ => false,
        }
    }
}
