//! Small constructors for Silver trees. Every node gets an origin of its own.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use super::origin::{Origins, Role};

/// Builds nodes that all stand for one place of the PVL program.
pub(super) struct Build<'o> {
    origins: &'o mut Origins,
    place: Span,
    /// The role of nodes that have none of their own.
    role: Role,
}

impl<'o> Build<'o> {
    pub(super) fn new(origins: &'o mut Origins, place: Span) -> Build<'o> {
        Build { origins, place, role: Role::Plain }
    }

    /// Builds nodes whose failures have this code.
    pub(super) fn coded(self, code: &'static str) -> Build<'o> {
        Build { role: Role::Code(code), ..self }
    }

    pub(super) fn node(&mut self, role: Role) -> Span {
        let role = if role == Role::Plain { self.role } else { role };
        self.origins.add(self.place, role)
    }

    pub(super) fn expression(&mut self, kind: s::ExpressionKind) -> s::Expression {
        let span = self.node(Role::Plain);
        s::Expression::new(kind, span)
    }

    pub(super) fn expression_as(&mut self, role: Role, kind: s::ExpressionKind) -> s::Expression {
        let span = self.node(role);
        s::Expression::new(kind, span)
    }

    pub(super) fn name(&mut self, text: &Arc<str>) -> s::Name {
        s::Name { text: text.clone(), span: self.node(Role::Plain) }
    }

    pub(super) fn name_of(&mut self, text: &str) -> s::Name {
        s::Name { text: text.into(), span: self.node(Role::Plain) }
    }

    pub(super) fn variable(&mut self, text: &Arc<str>) -> s::Expression {
        let name = self.name(text);
        let span = name.span;
        s::Expression::new(s::ExpressionKind::Name(name), span)
    }

    pub(super) fn int(&mut self, value: i64) -> s::Expression {
        if value < 0 {
            let positive = self.expression(s::ExpressionKind::Int(value.unsigned_abs().to_string().into()));
            return self.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, positive));
        }
        self.expression(s::ExpressionKind::Int(value.to_string().into()))
    }

    pub(super) fn natural(&mut self, value: u64) -> s::Expression {
        self.expression(s::ExpressionKind::Int(value.to_string().into()))
    }

    pub(super) fn bool(&mut self, value: bool) -> s::Expression {
        self.expression(s::ExpressionKind::Bool(value))
    }

    pub(super) fn null(&mut self) -> s::Expression {
        self.expression(s::ExpressionKind::Null)
    }

    pub(super) fn write(&mut self) -> s::Expression {
        self.expression(s::ExpressionKind::FullPermission)
    }

    pub(super) fn no_permission(&mut self) -> s::Expression {
        self.expression(s::ExpressionKind::NoPermission)
    }

    pub(super) fn wildcard(&mut self) -> s::Expression {
        self.expression(s::ExpressionKind::Wildcard)
    }

    pub(super) fn not(&mut self, operand: s::Expression) -> s::Expression {
        if let s::ExpressionKind::Bool(value) = *operand.kind {
            return self.bool(!value);
        }
        self.expression(s::ExpressionKind::Unary(s::UnaryOperator::Not, operand))
    }

    pub(super) fn binary(
        &mut self,
        operator: s::BinaryOperator,
        left: s::Expression,
        right: s::Expression,
    ) -> s::Expression {
        self.expression(s::ExpressionKind::Binary(operator, left, right))
    }

    pub(super) fn equal(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        self.binary(s::BinaryOperator::Equal, left, right)
    }

    pub(super) fn different(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        self.binary(s::BinaryOperator::NotEqual, left, right)
    }

    pub(super) fn at_most(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        self.binary(s::BinaryOperator::LessEqual, left, right)
    }

    pub(super) fn less(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        self.binary(s::BinaryOperator::Less, left, right)
    }

    pub(super) fn subtract(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        self.binary(s::BinaryOperator::Subtract, left, right)
    }

    /// `left && right`, without parts that are `true`.
    pub(super) fn and(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        if is_true(&left) {
            return right;
        }
        if is_true(&right) {
            return left;
        }
        self.binary(s::BinaryOperator::And, left, right)
    }

    pub(super) fn all(&mut self, conjuncts: Vec<s::Expression>) -> s::Expression {
        let mut result: Option<s::Expression> = None;
        for conjunct in conjuncts {
            result = Some(match result {
                None => conjunct,
                Some(left) => self.and(left, conjunct),
            });
        }
        result.unwrap_or_else(|| self.bool(true))
    }

    pub(super) fn implies(&mut self, left: s::Expression, right: s::Expression) -> s::Expression {
        if is_true(&left) || is_true(&right) {
            return right;
        }
        self.binary(s::BinaryOperator::Implies, left, right)
    }

    /// `low <= value && value < high`
    pub(super) fn within(
        &mut self,
        low: s::Expression,
        value: s::Expression,
        high: s::Expression,
    ) -> s::Expression {
        let lower = self.at_most(low, value.clone());
        let upper = self.less(value, high);
        self.and(lower, upper)
    }

    pub(super) fn conditional(
        &mut self,
        condition: s::Expression,
        then: s::Expression,
        otherwise: s::Expression,
    ) -> s::Expression {
        self.expression(s::ExpressionKind::Conditional(condition, then, otherwise))
    }

    pub(super) fn call(&mut self, function: &str, arguments: Vec<s::Expression>) -> s::Expression {
        let name = self.name_of(function);
        self.expression(s::ExpressionKind::Call(name, arguments, None))
    }

    /// A call whose type arguments the context does not give.
    pub(super) fn call_typed(
        &mut self,
        function: &str,
        arguments: Vec<s::Expression>,
        ty: s::Type,
    ) -> s::Expression {
        let name = self.name_of(function);
        self.expression(s::ExpressionKind::Call(name, arguments, Some(ty)))
    }

    /// The empty collection of this type; `None` if it is no type of collections.
    pub(super) fn empty(&mut self, ty: s::Type) -> Option<s::Expression> {
        use s::CollectionKind::{Multiset, Seq, Set};
        let (kind, element) = match ty.kind {
            s::TypeKind::Seq(element) => (Seq, element),
            s::TypeKind::Set(element) => (Set, element),
            s::TypeKind::Multiset(element) => (Multiset, element),
            s::TypeKind::Map(key, value) => {
                return Some(self.expression(s::ExpressionKind::Map(Some((*key, *value)), Vec::new())));
            }
            _ => return None,
        };
        Some(self.expression(s::ExpressionKind::Collection(kind, Some(*element), Vec::new())))
    }

    /// `|collection|`
    pub(super) fn size(&mut self, collection: s::Expression) -> s::Expression {
        self.expression(s::ExpressionKind::Size(collection))
    }

    /// `sequence[index]`
    pub(super) fn index(&mut self, sequence: s::Expression, index: s::Expression) -> s::Expression {
        self.expression(s::ExpressionKind::Index(sequence, index))
    }

    /// `map[key]`
    pub(super) fn map_lookup(&mut self, map: s::Expression, key: s::Expression) -> s::Expression {
        let lookup = self.expression(s::ExpressionKind::Index(map, key));
        self.origins.add_map_lookup(lookup.span);
        lookup
    }

    pub(super) fn field(&mut self, role: Role, receiver: s::Expression, field: &Arc<str>) -> s::Expression {
        let name = self.name(field);
        self.expression_as(role, s::ExpressionKind::Field(receiver, name))
    }

    pub(super) fn access(&mut self, location: s::Expression, amount: s::Expression) -> s::Expression {
        self.expression(s::ExpressionKind::Access(location, Some(amount)))
    }

    pub(super) fn binding(&mut self, name: &Arc<str>, ty: s::Type) -> s::Binding {
        s::Binding { name: self.name(name), ty }
    }

    pub(super) fn forall(
        &mut self,
        bindings: Vec<s::Binding>,
        triggers: Vec<s::Trigger>,
        body: s::Expression,
    ) -> s::Expression {
        if bindings.is_empty() || is_true(&body) {
            return body;
        }
        self.expression(s::ExpressionKind::Forall { bindings, triggers, body })
    }

    pub(super) fn trigger(&mut self, expressions: Vec<s::Expression>) -> s::Trigger {
        s::Trigger { expressions, span: self.node(Role::Plain) }
    }

    /// A function of a domain without an interpretation.
    pub(super) fn domain_function(
        &mut self,
        name: &Arc<str>,
        formals: Vec<s::Binding>,
        result: s::Type,
    ) -> s::DomainFunction {
        s::DomainFunction {
            annotations: Vec::new(),
            unique: false,
            name: self.name(name),
            formals: formals.into_iter().map(|formal| (Some(formal.name), formal.ty)).collect(),
            result,
            interpretation: None,
            span: self.node(Role::Plain),
        }
    }

    pub(super) fn ty(&mut self, kind: s::TypeKind) -> s::Type {
        s::Type { kind, span: self.node(Role::Plain) }
    }

    /// Functions from values of a type to processes.
    pub(super) fn members_type(&mut self, element: s::Type) -> s::Type {
        let name = self.name_of("ProcessMembers");
        self.ty(s::TypeKind::Named(name, Some(vec![element])))
    }

    pub(super) fn statement(&mut self, kind: s::StatementKind) -> s::Statement {
        s::Statement { kind, span: self.node(Role::Plain) }
    }

    /// A statement whose failure is told apart by its role. Silver reports failures of some statements at their
    /// assertions.
    pub(super) fn statement_as(&mut self, role: Role, mut kind: s::StatementKind) -> s::Statement {
        use s::StatementKind::{Assert, Exhale, Precaution, Question, Refute};
        if let Assert(assertion)
        | Exhale(assertion)
        | Refute(assertion)
        | Question(assertion)
        | Precaution(assertion) = &mut kind
        {
            assertion.span = self.origins.add_statement(assertion.span, self.place, role);
        }
        s::Statement { kind, span: self.node(role) }
    }

    pub(super) fn specification(&mut self, assertion: s::Expression) -> s::Specification {
        let span = assertion.span;
        s::Specification { kind: s::SpecificationKind::Assertion(assertion), span }
    }

    pub(super) fn block(&mut self, statements: Vec<s::Statement>) -> s::Block {
        s::Block { statements, span: Some(self.node(Role::Plain)) }
    }

    pub(super) fn member(&mut self, kind: s::MemberKind) -> s::Member {
        let span = self.node(Role::Plain);
        s::Member { annotations: Vec::new(), kind, span, head: span }
    }
}

pub(super) fn is_true(expression: &s::Expression) -> bool {
    matches!(*expression.kind, s::ExpressionKind::Bool(true))
}

/// The conjuncts of an assertion, in order.
pub(super) fn conjuncts(expression: s::Expression, result: &mut Vec<s::Expression>) {
    match *expression.kind {
        s::ExpressionKind::Binary(s::BinaryOperator::And, left, right) => {
            conjuncts(left, result);
            conjuncts(right, result);
        }
        s::ExpressionKind::Bool(true) => {}
        kind => result.push(s::Expression { kind: Box::new(kind), ..expression }),
    }
}

/// Whether the assertion holds permissions, as far as its text says.
pub(super) fn is_resource(expression: &s::Expression) -> bool {
    use s::ExpressionKind::*;
    match &*expression.kind {
        Access(..) | PredicateInstance(..) => true,
        Binary(s::BinaryOperator::Wand, ..) => true,
        CurrentPermission(_) | Old(..) => false,
        Forall { body, .. } | Unfolding(_, body) | Let { body, .. } | ForPerm { body, .. } => {
            is_resource(body)
        }
        Binary(_, left, right) | InhaleExhale(left, right) => is_resource(left) || is_resource(right),
        Conditional(_, then, otherwise) => is_resource(then) || is_resource(otherwise),
        Annotated(_, inner) => is_resource(inner),
        _ => false,
    }
}
