//! Set comprehensions whose choices can be written down: they are the set of the values, one by one.
//!
//! `set<int>{ x * x | int x <- {1, 2, 3}; x > 1 }` is `{2 * 2, 3 * 3}`: that is the definition, and it says what no
//! axiom with a trigger can, such as how many elements there are. It is for few choices whose condition is decided by
//! numbers alone, and for choices that are always defined, since one that no value mentions is not evaluated any more;
//! all others remain functions, see [`crate::lower::set_functions`].

use silver::syntax::tree as s;
use source::Span;

use crate::limits;
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{NameTarget, Type};
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind, NodeId, Selector};

/// What a choice is made from, and what was found so far.
struct Listing<'t> {
    value: &'t Expression,
    condition: &'t Expression,
    tried: usize,
    values: Vec<s::Expression>,
}

impl<'t> Scope<'_, 't> {
    /// The set of all values, if the choices are few and known.
    pub(crate) fn listed_set(
        &mut self,
        value: &'t Expression,
        selectors: &'t [Selector],
        condition: &'t Expression,
        element: s::Type,
        place: Span,
    ) -> Option<s::Expression> {
        let mut listing = Listing { value, condition, tried: 0, values: Vec::new() };
        let messages = self.lowering.diagnostics.len();
        let open: Vec<&Selector> = selectors.iter().collect();
        let list = |scope: &mut Self| scope.locally(|scope| scope.list(&open, &mut listing));
        let mut is_listed = self.specification(list);
        // What is wrong with all choices is said once, by the function.
        if self.lowering.diagnostics.len() > messages {
            self.lowering.diagnostics.truncate(messages);
            is_listed = None;
        }
        is_listed?;
        let element = listing.values.is_empty().then_some(element);
        let set = s::ExpressionKind::Collection(s::CollectionKind::Set, element, listing.values);
        Some(self.at(place).expression(set))
    }

    /// The set `s` that `set<T>{ x | T x <- s; true }` is.
    pub(crate) fn set_itself(
        &mut self,
        value: &'t Expression,
        selectors: &'t [Selector],
        condition: &'t Expression,
    ) -> Option<s::Expression> {
        let [Selector { id, source: Some(source), .. }] = selectors else { return None };
        let is_variable = matches!(*value.kind, ExpressionKind::Name(_))
            && self.resolution.names.get(&value.id) == Some(&NameTarget::Variable(*id))
            && self.converted_type(value) == self.type_of(value);
        let is_set = matches!(self.converted_type(source), Type::Set(_));
        let is_all = matches!(*condition.kind, ExpressionKind::Bool(true));
        (is_variable && is_set && is_all).then(|| self.expression(source))
    }

    /// Chooses values for variables that have none, in whatever order their bounds are known.
    fn list(&mut self, open: &[&'t Selector], listing: &mut Listing<'t>) -> Option<()> {
        if open.is_empty() {
            let condition = self.expression(listing.condition);
            if truth(&condition)? {
                let value = self.expression(listing.value);
                listing.values.push(value);
            }
            return Some(());
        }
        let (index, elements) = self.next_choices(open, listing.condition)?;
        let mut others = open.to_vec();
        let selector = others.remove(index);
        for element in elements {
            listing.tried += 1;
            if listing.tried > limits::LISTED_CHOICES {
                return None;
            }
            self.bindings.variables.insert(selector.id, Variable::Value(element));
            self.list(&others, listing)?;
        }
        self.bindings.variables.remove(&selector.id);
        Some(())
    }

    /// A variable that can be chosen before the others, and what it can be. Sources come first: each has to be one that
    /// is always defined, also where nothing is left to be chosen for another variable.
    fn next_choices(
        &mut self,
        open: &[&'t Selector],
        condition: &'t Expression,
    ) -> Option<(usize, Vec<s::Expression>)> {
        let ids: Vec<NodeId> = open.iter().map(|selector| selector.id).collect();
        for (index, selector) in open.iter().enumerate() {
            if let Some(source) = &selector.source
                && !self.mentions(source, &ids)
            {
                let source = self.expression(source);
                return Some((index, self.elements(&source)?));
            }
        }
        open.iter().enumerate().filter(|(_, selector)| selector.source.is_none()).find_map(
            |(index, selector)| {
                let low = self.known_bound(condition, selector.id, &ids, true)?;
                let high = self.known_bound(condition, selector.id, &ids, false)?;
                Some((index, self.integers(low, high.checked_add(1)?, selector.span)?))
            },
        )
    }

    /// The elements of a collection that is written out.
    fn elements(&mut self, collection: &s::Expression) -> Option<Vec<s::Expression>> {
        use s::ExpressionKind::{Binary, Call, Collection, MapDomain, Range};
        let place = collection.span;
        match &*collection.kind {
            Collection(_, _, elements) => elements.iter().all(is_plain).then(|| elements.clone()),
            Binary(s::BinaryOperator::Union | s::BinaryOperator::Append, left, right) => {
                let mut elements = self.elements(left)?;
                elements.extend(self.elements(right)?);
                Some(elements)
            }
            Range(low, high) => self.integers(number(low)?, number(high)?, place),
            Call(name, arguments, _) if &*name.text == "range_set" => match &arguments[..] {
                [low, high] => self.integers(number(low)?, number(high)?, place),
                _ => None,
            },
            MapDomain(map) => {
                let mut keys = Vec::new();
                keys_of(map, &mut keys)?;
                Some(keys)
            }
            _ => None,
        }
    }

    fn integers(&mut self, low: i64, high: i64, place: Span) -> Option<Vec<s::Expression>> {
        let count = usize::try_from(high.checked_sub(low)?.max(0)).ok()?;
        if count > limits::LISTED_CHOICES {
            return None;
        }
        let mut build = self.at(place);
        Some((low..high).map(|value| build.int(value)).collect())
    }

    /// A number that a conjunct gives as the least or the greatest value of the variable. The condition as a whole is
    /// looked at for each choice, so that it does not matter which bound this is.
    fn known_bound(
        &mut self,
        condition: &'t Expression,
        variable: NodeId,
        open: &[NodeId],
        is_low: bool,
    ) -> Option<i64> {
        use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, Star};
        let ExpressionKind::Binary(operator, left, right) = &*condition.kind else { return None };
        if matches!(operator, And | Star) {
            return self
                .known_bound(left, variable, open, is_low)
                .or_else(|| self.known_bound(right, variable, open, is_low));
        }
        let is_variable = |scope: &Self, it: &Expression| matches!(scope.resolution.names.get(&it.id), Some(NameTarget::Variable(id)) if *id == variable);
        let (smaller, larger, step) = match operator {
            Less => (left, right, 1),
            LessEqual => (left, right, 0),
            Greater => (right, left, 1),
            GreaterEqual => (right, left, 0),
            Equal if is_variable(self, left) => return self.known_number(right, open),
            Equal if is_variable(self, right) => return self.known_number(left, open),
            _ => return None,
        };
        if is_low && is_variable(self, larger) {
            return self.known_number(smaller, open)?.checked_add(step);
        }
        if !is_low && is_variable(self, smaller) {
            return self.known_number(larger, open)?.checked_sub(step);
        }
        None
    }

    /// The number that an expression is, if no variable that is still open is in it.
    fn known_number(&mut self, expression: &'t Expression, open: &[NodeId]) -> Option<i64> {
        if self.mentions(expression, open) {
            return None;
        }
        number(&self.expression(expression))
    }
}

/// The keys of a map that is written out.
fn keys_of(map: &s::Expression, keys: &mut Vec<s::Expression>) -> Option<()> {
    match &*map.kind {
        s::ExpressionKind::Map(_, pairs) => {
            for (key, value) in pairs {
                (is_plain(key) && is_plain(value)).then_some(())?;
                keys.push(key.clone());
            }
            Some(())
        }
        s::ExpressionKind::Update(map, key, value) => {
            (is_plain(key) && is_plain(value)).then_some(())?;
            keys_of(map, keys)?;
            keys.push(key.clone());
            Some(())
        }
        _ => None,
    }
}

/// Whether a term is defined whatever its variables are.
fn is_plain(term: &s::Expression) -> bool {
    use s::ExpressionKind::{Bool, Call, Collection, Int, Name, Null, Unary};
    match &*term.kind {
        Int(_) | Bool(_) | Null | Name(_) => true,
        Unary(_, operand) => is_plain(operand),
        Collection(_, _, elements) => elements.iter().all(is_plain),
        Call(name, arguments, _) => &*name.text == "tuple" && arguments.iter().all(is_plain),
        _ => number(term).is_some(),
    }
}

/// The number that a term is, if it has no variables and is computed without overflow.
fn number(term: &s::Expression) -> Option<i64> {
    use s::BinaryOperator::{Add, IntDivide, Modulo, Multiply, Subtract};
    use s::ExpressionKind::{Binary, Call, Conditional, Int, Unary};
    match &*term.kind {
        Int(digits) => digits.parse().ok(),
        Unary(s::UnaryOperator::Negate, operand) => number(operand)?.checked_neg(),
        Conditional(condition, then, otherwise) => number(if truth(condition)? { then } else { otherwise }),
        Binary(operator, left, right) => {
            let (left, right) = (number(left)?, number(right)?);
            match operator {
                Add => left.checked_add(right),
                Subtract => left.checked_sub(right),
                Multiply => left.checked_mul(right),
                // As SMT-LIB defines them: what remains is never negative.
                IntDivide => left.checked_div_euclid(right),
                Modulo => left.checked_rem_euclid(right),
                _ => None,
            }
        }
        Call(name, arguments, _) => {
            let [tuple] = &arguments[..] else { return None };
            let Call(constructor, parts, _) = &*tuple.kind else { return None };
            match (&*name.text, &*constructor.text, &parts[..]) {
                ("tuple_first", "tuple", [first, second]) if is_plain(second) => number(first),
                ("tuple_second", "tuple", [first, second]) if is_plain(first) => number(second),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a condition is true, if numbers decide it.
fn truth(condition: &s::Expression) -> Option<bool> {
    use s::BinaryOperator as B;
    use s::ExpressionKind::{Binary, Bool, Collection, Conditional, Unary};
    match &*condition.kind {
        Bool(value) => Some(*value),
        Unary(s::UnaryOperator::Not, operand) => Some(!truth(operand)?),
        Conditional(condition, then, otherwise) => truth(if truth(condition)? { then } else { otherwise }),
        Binary(operator, left, right) => match operator {
            // What is behind an operand that decides is not evaluated.
            B::And => Some(truth(left)? && truth(right)?),
            B::Or => Some(truth(left)? || truth(right)?),
            B::Implies => Some(!truth(left)? || truth(right)?),
            B::Iff => Some(truth(left)? == truth(right)?),
            B::Equal if truth(left).is_some() => Some(truth(left)? == truth(right)?),
            B::NotEqual if truth(left).is_some() => Some(truth(left)? != truth(right)?),
            B::Equal => Some(number(left)? == number(right)?),
            B::NotEqual => Some(number(left)? != number(right)?),
            B::Less => Some(number(left)? < number(right)?),
            B::LessEqual => Some(number(left)? <= number(right)?),
            B::Greater => Some(number(left)? > number(right)?),
            B::GreaterEqual => Some(number(left)? >= number(right)?),
            B::In => {
                let Collection(s::CollectionKind::Set | s::CollectionKind::Seq, _, elements) = &*right.kind
                else {
                    return None;
                };
                let wanted = number(left)?;
                let numbers: Option<Vec<i64>> = elements.iter().map(number).collect();
                Some(numbers?.contains(&wanted))
            }
            _ => None,
        },
        _ => None,
    }
}
