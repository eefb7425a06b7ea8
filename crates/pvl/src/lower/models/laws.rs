//! What the algebra says of one term: the equations that a step may need. Each holds of all processes, so that any of them
//! may be left out.

use process::{
    ActionId, Algebra, Binary, Bound, Expression, ExpressionKind, Guard, Limit, Normal, NormalKind,
    Substitution, Term, TermKind, Type, Unary, Value, VariableId,
};
use source::Span;

use crate::limits;

/// An equation between processes, for all values of the binders for which the condition is true and the foreign terms
/// may end.
#[derive(Debug)]
pub(super) struct Law {
    pub(super) guard: Guard,
    /// Conditions that must not be true.
    pub(super) excluded: Vec<Expression>,
    /// What it is about, if that is not the term itself.
    pub(super) subject: Option<Term>,
    pub(super) says: Says,
}

#[derive(Debug)]
pub(super) enum Says {
    /// It equals this term.
    Is(Term),
    /// It begins, among others, with this action and then this.
    Begins(ActionId, Vec<Expression>, Term),
    /// It has this alternative.
    Offers(Term),
    /// It may end.
    Ends,
}

/// What is known of a term. Where the algebra gives up, less is known.
pub(super) fn laws(model: &process::Model, term: &Term) -> Vec<Law> {
    let span = term.span();
    let mut found = Found { algebra: Algebra::new(model), laws: Vec::new(), span };
    found.add(Guard::always(span), Says::Is(term.clone()));
    // What the algebra cannot say is not said.
    let _ = found.all(term);
    found.laws
}

struct Found<'m> {
    algebra: Algebra<'m>,
    laws: Vec<Law>,
    span: Span,
}

impl Found<'_> {
    fn add(&mut self, guard: Guard, says: Says) {
        self.push(Law { guard, excluded: Vec::new(), subject: None, says });
    }

    /// Leaves out what is never true.
    fn push(&mut self, law: Law) {
        let is_true = |it: &Expression| *it.kind() == ExpressionKind::Literal(Value::Boolean(true));
        if !law.guard.is_false() && !law.excluded.iter().any(is_true) {
            self.laws.push(law);
        }
    }

    fn all(&mut self, term: &Term) -> Result<(), Limit> {
        let normal = self.algebra.normalise(term)?;
        for order in orders(&mut self.algebra, normal, self.span)? {
            if order != *term {
                self.add(Guard::always(self.span), Says::Is(order));
            }
        }
        self.alternatives(normal, Guard::always(self.span), true)?;
        self.families(normal)?;
        self.steps(normal, None, limits::STEPS_AHEAD)
    }

    /// The alternatives of a choice, also of one that a process is defined to be.
    fn alternatives(&mut self, normal: Normal, guard: Guard, unfolds: bool) -> Result<(), Limit> {
        match self.algebra.kind(normal).clone() {
            NormalKind::Choice(parts) => {
                for part in parts.iter() {
                    let term = canonical(&mut self.algebra, *part, self.span)?;
                    self.add(guard.clone(), Says::Offers(term));
                }
            }
            NormalKind::Conditional(condition, yes, no) => {
                let with = |condition: Expression| {
                    let both = ExpressionKind::Binary(Binary::And, guard.condition.clone(), condition);
                    let both = Expression::new(both, Type::Boolean, self.span);
                    Guard { condition: both, ..guard.clone() }
                };
                let not = ExpressionKind::Unary(Unary::Not, condition.clone());
                let not = Expression::new(not, Type::Boolean, self.span);
                let (then, otherwise) = (with(condition), with(not));
                self.alternatives(yes, then, false)?;
                self.alternatives(no, otherwise, false)?;
            }
            NormalKind::Call(process, arguments) if unfolds => {
                let unfolded = self.algebra.unfold(process, &arguments)?;
                self.alternatives(unfolded, guard, false)?;
            }
            NormalKind::Sum(bound, condition, body) => {
                let (bound, condition, body) = self.algebra.open(&bound, &condition, body)?;
                let term = canonical(&mut self.algebra, body, self.span)?;
                // A process for a value is found by what it is for that, which has to mention the value.
                if matches!(term.kind(), TermKind::Action(..) | TermKind::Call(..) | TermKind::Sequence(..)) {
                    let both = ExpressionKind::Binary(Binary::And, guard.condition.clone(), condition);
                    let condition = Expression::new(both, Type::Boolean, self.span);
                    let guard = Guard { binders: vec![bound], condition, ..guard };
                    self.add(guard, Says::Offers(term));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A family is its first or last member beside the others, and one more beside it is a longer one.
    fn families(&mut self, normal: Normal) -> Result<(), Limit> {
        let families: Vec<Normal> = match self.algebra.kind(normal) {
            NormalKind::Family(..) => vec![normal],
            NormalKind::Parallel(parts) => parts.iter().map(|(part, _)| *part).collect(),
            _ => Vec::new(),
        };
        for family in families {
            let NormalKind::Family(bound, from, to, body) = self.algebra.kind(family).clone() else {
                continue;
            };
            let subject = canonical(&mut self.algebra, family, self.span)?;
            let less = |left: &Expression, right: &Expression| {
                let kind = ExpressionKind::Binary(Binary::Less, left.clone(), right.clone());
                Expression::new(kind, Type::Boolean, self.span)
            };
            let moved = |by: Binary, it: &Expression| moved_by_one(by, it, self.span);
            let (second, last) = (moved(Binary::Add, &from), moved(Binary::Subtract, &to));
            let (before, behind) = (moved(Binary::Subtract, &from), moved(Binary::Add, &to));
            let (some, none_or_more) = (less(&from, &to), less(&before, &to));
            let parts = [
                (some.clone(), &from, (&second, &to), false),
                (some, &last, (&from, &last), false),
                (none_or_more.clone(), &before, (&before, &to), true),
                (none_or_more, &to, (&from, &behind), true),
            ];
            for (condition, at, (low, high), is_longer) in parts {
                let one = member_at(&mut self.algebra, (&bound, body), at, self.span)?;
                let other = family_between(&mut self.algebra, (&bound, body), (low, high), self.span)?;
                let (beside, whole) =
                    if is_longer { (subject.clone(), other) } else { (other, subject.clone()) };
                for (left, right) in [(&one, &beside), (&beside, &one)] {
                    let both = Term::new(TermKind::Parallel(left.clone(), right.clone()), self.span);
                    self.push(Law {
                        guard: Guard::when(condition.clone()),
                        excluded: Vec::new(),
                        subject: Some(both),
                        says: Says::Is(whole.clone()),
                    });
                }
            }
            self.other_orders(&subject, (&bound, body), (&from, &to))?;
        }
        Ok(())
    }

    /// A family is the one that counts from zero, and where its data fall as it counts, the one that counts backwards.
    fn other_orders(
        &mut self,
        subject: &Term,
        (bound, body): (&Bound, Normal),
        (from, to): (&Expression, &Expression),
    ) -> Result<(), Limit> {
        let span = self.span;
        let zero = Expression::new(ExpressionKind::Literal(Value::Integer(0.into())), Type::Integer, span);
        let number = |operator, left: &Expression, right: &Expression| {
            let kind = ExpressionKind::Binary(operator, left.clone(), right.clone());
            Expression::new(kind, Type::Integer, span)
        };
        let always = Expression::new(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean, span);
        let (opened, _, body) = self.algebra.open(bound, &always, body)?;
        let value = Expression::new(ExpressionKind::Variable(opened.variable), Type::Integer, span);
        let term = canonical(&mut self.algebra, body, span)?;
        let counted = match slope_of_data(&term, opened.variable) {
            // i becomes to - 1 - i.
            Some(Slope::Falling) => {
                number(Binary::Subtract, &moved_by_one(Binary::Subtract, to, span), &value)
            }
            _ if *from == zero => return Ok(()),
            _ => number(Binary::Add, from, &value),
        };
        let mut substitution = Substitution::new();
        substitution.set(opened.variable, counted);
        let body = self.algebra.substitute(body, &substitution)?;
        let length = if *from == zero { to.clone() } else { number(Binary::Subtract, to, from) };
        let family = self.algebra.family(&opened, &zero, &length, body)?;
        let other = canonical(&mut self.algebra, family, span)?;
        if other != *subject {
            let guard = Guard::always(span);
            let subject = Some(subject.clone());
            self.push(Law { guard, excluded: Vec::new(), subject, says: Says::Is(other) });
        }
        Ok(())
    }

    /// What a term can do first, and what is left of it then, a few steps ahead.
    fn steps(&mut self, normal: Normal, subject: Option<Term>, ahead: usize) -> Result<(), Limit> {
        let head = self.algebra.head(normal)?;
        for summand in &head.summands {
            let rest = canonical(&mut self.algebra, summand.rest, self.span)?;
            let says = Says::Begins(summand.action, summand.arguments.clone(), rest);
            self.push(Law {
                guard: summand.guard.clone(),
                excluded: Vec::new(),
                subject: subject.clone(),
                says,
            });
        }
        for guard in &head.termination {
            let subject = subject.clone();
            self.push(Law { guard: guard.clone(), excluded: Vec::new(), subject, says: Says::Ends });
        }
        self.only_one(&head, subject)?;
        if ahead == 0 || head.summands.len() > limits::ALTERNATIVES_TOLD_APART {
            return Ok(());
        }
        for summand in head.summands.iter().filter(|summand| summand.guard.binders.is_empty()) {
            let kind = self.algebra.kind(summand.rest);
            if matches!(kind, NormalKind::Sequence(..) | NormalKind::Parallel(_) | NormalKind::Call(..)) {
                let rest = canonical(&mut self.algebra, summand.rest, self.span)?;
                self.steps(summand.rest, Some(rest), ahead - 1)?;
            }
        }
        Ok(())
    }

    /// Where just one thing can be done, the term is that.
    fn only_one(&mut self, head: &process::Head, subject: Option<Term>) -> Result<(), Limit> {
        let guards = head.summands.iter().map(|summand| &summand.guard).chain(&head.termination);
        let conditions: Option<Vec<Expression>> = guards.map(Guard::as_condition).collect();
        let Some(conditions) = conditions else { return Ok(()) };
        if !head.opaque.is_empty() || conditions.len() > limits::ALTERNATIVES_TOLD_APART {
            return Ok(());
        }
        let others = |at: usize| -> Vec<Expression> {
            let others = conditions.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, it)| it.clone()).collect()
        };
        for (at, summand) in head.summands.iter().enumerate() {
            if !summand.guard.binders.is_empty() {
                continue;
            }
            let rest = canonical(&mut self.algebra, summand.rest, self.span)?;
            let action = Term::new(TermKind::Action(summand.action, summand.arguments.clone()), self.span);
            let step = match rest.kind() {
                TermKind::Empty => action,
                _ => Term::new(TermKind::Sequence(action, rest), self.span),
            };
            let (guard, subject) = (summand.guard.clone(), subject.clone());
            self.push(Law { guard, excluded: others(at), subject, says: Says::Is(step) });
        }
        if let [ends] = &head.termination[..]
            && ends.binders.is_empty()
        {
            let says = Says::Is(Term::new(TermKind::Empty, self.span));
            self.push(Law { guard: ends.clone(), excluded: others(head.summands.len()), subject, says });
        }
        Ok(())
    }
}

/// How a number changes as a variable grows.
#[derive(Clone, Copy)]
enum Slope {
    Rising,
    Falling,
}

/// How the first of the data of a process changes that depends on a variable, if that is known.
fn slope_of_data(term: &Term, variable: VariableId) -> Option<Slope> {
    match term.kind() {
        TermKind::Action(_, arguments) | TermKind::Call(_, arguments) => {
            arguments.iter().find_map(|argument| slope(argument, variable))
        }
        TermKind::Sequence(a, b) | TermKind::Choice(a, b) | TermKind::Parallel(a, b) => {
            slope_of_data(a, variable).or_else(|| slope_of_data(b, variable))
        }
        TermKind::Iteration(a) => slope_of_data(a, variable),
        _ => None,
    }
}

/// How a sum or a difference changes with a variable; none where it does not, or nobody knows.
fn slope(number: &Expression, variable: VariableId) -> Option<Slope> {
    let turned = |slope: Slope| match slope {
        Slope::Rising => Slope::Falling,
        Slope::Falling => Slope::Rising,
    };
    match number.kind() {
        ExpressionKind::Variable(it) => (*it == variable).then_some(Slope::Rising),
        ExpressionKind::Unary(Unary::Negate, inner) => slope(inner, variable).map(turned),
        ExpressionKind::Binary(Binary::Add, a, b) => slope(a, variable).or_else(|| slope(b, variable)),
        ExpressionKind::Binary(Binary::Subtract, a, b) => {
            slope(a, variable).or_else(|| slope(b, variable).map(turned))
        }
        _ => None,
    }
}

/// The number beside another one.
pub(super) fn moved_by_one(by: Binary, number: &Expression, span: Span) -> Expression {
    let one = Expression::new(ExpressionKind::Literal(Value::Integer(1.into())), Type::Integer, span);
    Expression::new(ExpressionKind::Binary(by, number.clone(), one), Type::Integer, span)
}

/// The member of a family for one value.
pub(super) fn member_at(
    algebra: &mut Algebra<'_>,
    (bound, body): (&Bound, Normal),
    at: &Expression,
    span: Span,
) -> Result<Term, Limit> {
    let always = Expression::new(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean, span);
    let (bound, _, body) = algebra.open(bound, &always, body)?;
    let mut value = Substitution::new();
    value.set(bound.variable, at.clone());
    let member = algebra.substitute(body, &value)?;
    canonical(algebra, member, span)
}

/// The same family between other bounds.
pub(super) fn family_between(
    algebra: &mut Algebra<'_>,
    (bound, body): (&Bound, Normal),
    (low, high): (&Expression, &Expression),
    span: Span,
) -> Result<Term, Limit> {
    let always = Expression::new(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean, span);
    let (bound, _, body) = algebra.open(bound, &always, body)?;
    let family = algebra.family(&bound, low, high, body)?;
    canonical(algebra, family, span)
}

/// The term of a normal form in the orders of its components that only the data tell apart.
fn orders(algebra: &mut Algebra<'_>, normal: Normal, span: Span) -> Result<Vec<Term>, Limit> {
    let first = canonical(algebra, normal, span)?;
    let NormalKind::Parallel(components) = algebra.kind(normal).clone() else { return Ok(vec![first]) };
    let mut parts: Vec<(String, Term)> = Vec::new();
    for (component, count) in components.iter() {
        let key = key(algebra, *component);
        let term = canonical(algebra, *component, span)?;
        parts.extend((0..*count).map(|_| (key.clone(), term.clone())));
        if parts.len() > limits::COMPONENTS_IN_ORDER {
            return Ok(vec![first]);
        }
    }
    let mut all = vec![first];
    permute(&mut parts, 0, &mut |parts| {
        // What is passed as a value may be anything, and stand anywhere.
        let is_sorted = parts.iter().filter(|part| part.0 != VALUE).is_sorted_by(|one, next| one.0 <= next.0);
        if is_sorted && all.len() < limits::ORDERS {
            let terms = parts.iter().map(|(_, term)| term.clone()).collect();
            let term = chained(terms, TermKind::Parallel, span);
            if !all.contains(&term) {
                all.push(term);
            }
        }
    });
    Ok(all)
}

/// A term with the key that tells it apart from others.
type Keyed = (String, Term);

fn permute(parts: &mut Vec<Keyed>, from: usize, visit: &mut dyn FnMut(&[Keyed])) {
    if from == parts.len() {
        visit(parts);
        return;
    }
    for at in from..parts.len() {
        parts.swap(from, at);
        permute(parts, from + 1, visit);
        parts.swap(from, at);
    }
}

/// The term of a normal form, with alternatives and components in an order that does not depend on the data: so that terms
/// that differ in their data only are equal where the data are.
pub(super) fn canonical(algebra: &mut Algebra<'_>, normal: Normal, span: Span) -> Result<Term, Limit> {
    let part = |algebra: &mut Algebra<'_>, part: Normal| canonical(algebra, part, span);
    let kind = match algebra.kind(normal).clone() {
        NormalKind::Sequence(first, second) => {
            TermKind::Sequence(part(algebra, first)?, part(algebra, second)?)
        }
        NormalKind::Choice(alternatives) => {
            let mut parts: Vec<(String, Term)> = Vec::new();
            for alternative in alternatives.iter() {
                parts.push((key(algebra, *alternative), part(algebra, *alternative)?));
            }
            parts.sort_by(|left, right| left.0.cmp(&right.0));
            return Ok(chained(parts.into_iter().map(|it| it.1).collect(), TermKind::Choice, span));
        }
        NormalKind::Parallel(components) => {
            let mut parts: Vec<(String, Term)> = Vec::new();
            for (component, count) in components.iter() {
                let (key, term) = (key(algebra, *component), part(algebra, *component)?);
                if parts.len() + *count as usize > limits::COMPONENTS {
                    return Err(Limit::TermSize);
                }
                parts.extend((0..*count).map(|_| (key.clone(), term.clone())));
            }
            parts.sort_by(|left, right| left.0.cmp(&right.0));
            return Ok(chained(parts.into_iter().map(|it| it.1).collect(), TermKind::Parallel, span));
        }
        NormalKind::Conditional(condition, yes, no) => {
            TermKind::Conditional(condition, part(algebra, yes)?, part(algebra, no)?)
        }
        NormalKind::Iteration(body) => TermKind::Iteration(part(algebra, body)?),
        _ => return algebra.term(normal),
    };
    Ok(Term::new(kind, span))
}

fn chained(parts: Vec<Term>, operator: fn(Term, Term) -> TermKind, span: Span) -> Term {
    let mut parts = parts.into_iter().rev();
    let Some(last) = parts.next() else { return Term::new(TermKind::Empty, span) };
    parts.fold(last, |rest, part| Term::new(operator(part, rest), span))
}

/// The key of a process that is passed as a value.
pub(super) const VALUE: &str = "v";

/// What a normal form is, whatever its data are.
pub(super) fn key(algebra: &Algebra<'_>, normal: Normal) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match algebra.kind(normal) {
        NormalKind::Empty => "0".to_string(),
        NormalKind::Deadlock => "1".to_string(),
        NormalKind::Action(action, _) => format!("a{:06}", action.0),
        NormalKind::Call(process, _) => format!("p{:06}", process.0),
        NormalKind::Foreign(_) => VALUE.to_string(),
        NormalKind::Sequence(first, second) => {
            format!("s({},{})", key(algebra, *first), key(algebra, *second))
        }
        NormalKind::Choice(parts) => {
            let mut keys: Vec<String> = parts.iter().map(|part| key(algebra, *part)).collect();
            keys.sort();
            format!("t({})", list(keys))
        }
        NormalKind::Parallel(parts) => {
            let mut keys: Vec<String> =
                parts.iter().map(|(part, count)| format!("{}x{count}", key(algebra, *part))).collect();
            keys.sort();
            format!("u({})", list(keys))
        }
        NormalKind::Conditional(_, yes, no) => {
            format!("c({},{})", key(algebra, *yes), key(algebra, *no))
        }
        NormalKind::Iteration(body) => format!("i({})", key(algebra, *body)),
        NormalKind::Sum(_, _, body) => format!("x({})", key(algebra, *body)),
        NormalKind::Family(_, _, _, body) => format!("y({})", key(algebra, *body)),
    }
}
