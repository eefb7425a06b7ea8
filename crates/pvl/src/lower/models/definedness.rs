//! Where an expression of the language has a value, as a condition of Silver. What is not known here is refused by whoever
//! asks: a term with data that may have no value says so for these data only.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::scope::{Scope, Variable};
use crate::resolve::{CallTarget, Member, Operation, Selection, Subscript};
use crate::syntax::tree::{BinaryOperator, Call, Expression, ExpressionKind, NodeId, Routine};

impl<'t> Scope<'_, 't> {
    /// Where an expression of the language has a value; `None` if that is not known.
    pub(super) fn definedness(&mut self, expression: &'t Expression) -> Option<s::Expression> {
        let place = expression.span;
        match &*expression.kind {
            ExpressionKind::Binary(operator, left, right) => {
                self.definedness_of_operation(expression, *operator, [left, right])
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let first = self.definedness(condition)?;
                let (yes, no) = (self.definedness(yes)?, self.definedness(no)?);
                let decides = self.assertion(condition);
                let mut build = self.at(place);
                let branches = build.conditional(decides, yes, no);
                Some(build.and(first, branches))
            }
            ExpressionKind::Index(base, index) => {
                let [first, second] = [self.definedness(base)?, self.definedness(index)?];
                let (collection, at) = (self.assertion(base), self.assertion(index));
                let subscript = *self.resolution.subscripts.get(&expression.id)?;
                let mut build = self.at(place);
                let inside = match subscript {
                    Subscript::Seq | Subscript::String => {
                        let zero = build.int(0);
                        let size = build.size(collection);
                        build.within(zero, at, size)
                    }
                    Subscript::Map => {
                        let domain = build.expression(s::ExpressionKind::MapDomain(collection));
                        build.binary(s::BinaryOperator::In, at, domain)
                    }
                    _ => return None,
                };
                Some(build.all(vec![first, second, inside]))
            }
            ExpressionKind::Size(operand)
            | ExpressionKind::Trigger(_, operand)
            | ExpressionKind::Unary(_, operand) => self.definedness(operand),
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&expression.id)? {
                Selection::EnumConstant(_) => Some(self.at(place).bool(true)),
                Selection::Member(
                    Member::Size | Member::IsEmpty | Member::TupleFirst | Member::TupleSecond,
                ) => self.definedness(object),
                Selection::Member(Member::SeqHead | Member::SeqTail) => self.has_elements(object, place),
                _ => None,
            },
            ExpressionKind::Call(call) => match self.resolution.calls.get(&expression.id)? {
                CallTarget::Routine(target) => self.definedness_of_call(target.routine, call, place),
                CallTarget::Member(Member::Size | Member::IsEmpty | Member::SeqContains) => {
                    self.definedness(call.receiver.as_ref()?)
                }
                CallTarget::MemberFunction(Member::SeqHead | Member::SeqTail) => {
                    let [sequence] = &call.arguments[..] else { return None };
                    self.has_elements(sequence, place)
                }
                _ => None,
            },
            ExpressionKind::Collection { elements, .. } => {
                let parts = self.all_defined(elements)?;
                Some(self.at(place).all(parts))
            }
            ExpressionKind::Tuple { first, second, .. } => {
                let (first, second) = (self.definedness(first)?, self.definedness(second)?);
                Some(self.at(place).and(first, second))
            }
            ExpressionKind::Int(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::Char(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Null
            | ExpressionKind::NoneOption
            | ExpressionKind::NoPermission
            | ExpressionKind::WritePermission
            | ExpressionKind::Name(_) => Some(self.at(place).bool(true)),
            _ => None,
        }
    }

    fn definedness_of_operation(
        &mut self,
        expression: &'t Expression,
        operator: BinaryOperator,
        [left, right]: [&'t Expression; 2],
    ) -> Option<s::Expression> {
        let place = expression.span;
        let first = self.definedness(left)?;
        let second = self.definedness(right)?;
        match (self.resolution.operations.get(&expression.id)?, operator) {
            (Operation::Logic, _) => {
                let mut decides = self.assertion(left);
                if operator == BinaryOperator::Or {
                    decides = self.at(place).not(decides);
                }
                let mut build = self.at(place);
                let second = build.implies(decides, second);
                Some(build.and(first, second))
            }
            (
                Operation::Numbers(_),
                BinaryOperator::Divide | BinaryOperator::Modulo | BinaryOperator::FractionDivide,
            ) => {
                let divisor = self.assertion(right);
                let mut build = self.at(place);
                let zero = build.int(0);
                let nonzero = build.different(divisor, zero);
                Some(build.all(vec![first, second, nonzero]))
            }
            (Operation::Numbers(_), BinaryOperator::Power) => None,
            (
                Operation::Numbers(_)
                | Operation::Equality(_)
                | Operation::Concatenation(_)
                | Operation::Collections(_)
                | Operation::Member
                | Operation::MapKey
                | Operation::BagCount
                | Operation::Prepend
                | Operation::Append,
                _,
            ) => Some(self.at(place).and(first, second)),
            _ => None,
        }
    }

    /// A call has a value where its arguments have and the preconditions are true of them.
    fn definedness_of_call(&mut self, routine: NodeId, call: &'t Call, place: Span) -> Option<s::Expression> {
        let routine = self.resolution.items.routines.get(&routine).copied()?;
        let contract = match routine {
            Routine::Function(function) => &function.contract,
            Routine::Method(method) => &method.contract,
            _ => return None,
        };
        let mut parts = self.all_defined(&call.arguments)?;
        let values: Vec<s::Expression> =
            call.arguments.iter().map(|argument| self.assertion(argument)).collect();
        let own = self.locally(|scope| {
            for (parameter, value) in routine.parameters().iter().zip(values) {
                scope.bindings.variables.insert(parameter.id, Variable::Value(value));
            }
            let clauses: Vec<&'t Expression> = contract.preconditions().collect();
            clauses.into_iter().map(|clause| scope.assertion(clause)).collect::<Vec<_>>()
        });
        parts.extend(own);
        Some(self.at(place).all(parts))
    }

    /// A sequence has a value, and a first element.
    fn has_elements(&mut self, sequence: &'t Expression, place: Span) -> Option<s::Expression> {
        let inner = self.definedness(sequence)?;
        let sequence = self.assertion(sequence);
        let mut build = self.at(place);
        let zero = build.int(0);
        let size = build.size(sequence);
        let some = build.less(zero, size);
        Some(build.and(inner, some))
    }

    fn all_defined(&mut self, expressions: &'t [Expression]) -> Option<Vec<s::Expression>> {
        expressions.iter().map(|expression| self.definedness(expression)).collect()
    }
}
