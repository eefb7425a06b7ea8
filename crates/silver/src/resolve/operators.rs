//! Inference for operators, most of which are overloaded.
//!
//! The tables of signatures are in the order in which Viper prefers them.

use source::Span;

use super::checker::Checker;
use super::draft::Draft;
use super::unify::{Signature, Ty};
use crate::limits;
use crate::syntax::tree::{self, BinaryOperator as Surface};
use crate::typed::{
    Assumption, AssumptionKind, BinaryOperator, ExpressionKind, ExpressionRef, Type, UnaryOperator, Wand,
};

pub(super) fn signature(operands: &[Ty], result: Ty) -> Signature {
    Signature { operands: operands.to_vec(), result }
}

impl Checker {
    /// An operator application with several signatures. `build` sees the finished operands.
    pub(super) fn overloaded(
        &mut self,
        operands: Vec<Draft>,
        candidates: Vec<Signature>,
        span: Span,
        build: impl FnOnce(Vec<ExpressionRef>, &Type) -> ExpressionKind + 'static,
    ) -> Draft {
        if operands.iter().any(|operand| self.is_error(operand)) {
            return Draft::error(span);
        }
        let types: Vec<Ty> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let result = match candidates.as_slice() {
            [only] => only.result.clone(),
            _ => self.solver.fresh(),
        };
        let expected: Vec<Vec<Ty>> = candidates.iter().map(|candidate| candidate.operands.clone()).collect();
        if let Err(index) = self.solver.choose(types, result.clone(), candidates) {
            let found = self.describe(&operands[index].ty);
            let mut wanted: Vec<String> = expected.iter().map(|types| self.describe(&types[index])).collect();
            wanted.dedup();
            self.error(
                operands[index].span,
                format!("expected {}, found {found}", wanted.join(" or ")),
                "check the types of what is combined here",
            );
            return Draft::error(span);
        }
        Draft::node(operands, result, span, move |parts| {
            let children = std::mem::take(&mut parts.children);
            build(children, &parts.ty)
        })
    }

    /// An operator with operands of known types.
    pub(super) fn simple(
        &mut self,
        operands: Vec<Draft>,
        expected: &[Ty],
        result: Ty,
        span: Span,
        build: impl FnOnce(Vec<ExpressionRef>, &Type) -> ExpressionKind + 'static,
    ) -> Draft {
        self.overloaded(operands, vec![signature(expected, result)], span, build)
    }

    pub(super) fn unary(
        &mut self,
        operator: tree::UnaryOperator,
        operand: &tree::Expression,
        span: Span,
    ) -> Draft {
        let operand = self.infer(operand);
        match operator {
            tree::UnaryOperator::Not => {
                self.simple(vec![operand], &[Ty::Bool], Ty::Bool, span, unary_node(|_| UnaryOperator::Not))
            }
            tree::UnaryOperator::Negate => {
                let candidates = vec![signature(&[Ty::Perm], Ty::Perm), signature(&[Ty::Int], Ty::Int)];
                let build = unary_node(|ty| match ty {
                    Type::Perm => UnaryOperator::PermNegate,
                    _ => UnaryOperator::IntNegate,
                });
                self.overloaded(vec![operand], candidates, span, build)
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        operator: Surface,
        left: &tree::Expression,
        right: &tree::Expression,
        span: Span,
    ) -> Draft {
        let left = self.infer(left);
        let right = self.infer(right);
        self.apply(operator, left, right, span)
    }

    fn apply(&mut self, operator: Surface, left: Draft, right: Draft, span: Span) -> Draft {
        match operator {
            Surface::And => self.conjunction(left, right, span),
            Surface::Implies => self.implication(left, right, span),
            Surface::Wand => self.magic_wand(left, right, span),
            Surface::Or | Surface::Iff => {
                let operator =
                    if operator == Surface::Or { BinaryOperator::Or } else { BinaryOperator::Equal };
                self.simple(
                    vec![left, right],
                    &[Ty::Bool, Ty::Bool],
                    Ty::Bool,
                    span,
                    binary_node(move |_, _| operator),
                )
            }
            Surface::Equal | Surface::NotEqual => {
                self.equality(operator == Surface::Equal, left, right, span)
            }
            _ => {
                let candidates = self.signatures(operator);
                self.overloaded(vec![left, right], candidates, span, move |children, ty| {
                    typed_binary(operator, children, ty)
                })
            }
        }
    }

    fn signatures(&mut self, operator: Surface) -> Vec<Signature> {
        use Ty::{Bool, Int, Perm};
        match operator {
            Surface::Add | Surface::Subtract => {
                vec![signature(&[Perm, Perm], Perm), signature(&[Int, Int], Int)]
            }
            Surface::Less | Surface::LessEqual | Surface::Greater | Surface::GreaterEqual => {
                vec![signature(&[Perm, Perm], Bool), signature(&[Int, Int], Bool)]
            }
            Surface::Multiply => vec![
                signature(&[Perm, Perm], Perm),
                signature(&[Int, Perm], Perm),
                signature(&[Perm, Int], Perm),
                signature(&[Int, Int], Int),
            ],
            Surface::Divide => vec![
                signature(&[Perm, Perm], Perm),
                signature(&[Perm, Int], Perm),
                signature(&[Int, Int], Perm),
                signature(&[Int, Int], Int),
            ],
            Surface::IntDivide | Surface::Modulo => vec![signature(&[Int, Int], Int)],
            Surface::Append => {
                let seq = Ty::seq(self.solver.fresh());
                vec![signature(&[seq.clone(), seq.clone()], seq)]
            }
            Surface::Union | Surface::Intersection | Surface::SetMinus => {
                let set = Ty::set(self.solver.fresh());
                let multiset = Ty::multiset(self.solver.fresh());
                vec![
                    signature(&[set.clone(), set.clone()], set),
                    signature(&[multiset.clone(), multiset.clone()], multiset),
                ]
            }
            Surface::Subset => {
                let set = Ty::set(self.solver.fresh());
                let multiset = Ty::multiset(self.solver.fresh());
                vec![signature(&[set.clone(), set], Bool), signature(&[multiset.clone(), multiset], Bool)]
            }
            Surface::In => {
                let element = self.solver.fresh();
                let value = self.solver.fresh();
                vec![
                    signature(&[element.clone(), Ty::set(element.clone())], Bool),
                    signature(&[element.clone(), Ty::seq(element.clone())], Bool),
                    signature(&[element.clone(), Ty::multiset(element.clone())], Int),
                    signature(&[element.clone(), Ty::map(element, value)], Bool),
                ]
            }
            Surface::And
            | Surface::Or
            | Surface::Implies
            | Surface::Iff
            | Surface::Wand
            | Surface::Equal
            | Surface::NotEqual => vec![signature(&[Bool, Bool], Bool)],
        }
    }

    /// Requires a formula or an assertion; says whether it is an assertion. `None` after an error.
    fn assertion_operand(&mut self, operand: &Draft) -> Option<bool> {
        if self.is_error(operand) {
            return None;
        }
        if !self.solver.require(&operand.ty, &Ty::Impure) {
            self.mismatch(operand.span, &operand.ty, &Ty::Bool);
            return None;
        }
        Some(self.solver.shallow(&operand.ty).is_assertion())
    }

    fn conjunction(&mut self, left: Draft, right: Draft, span: Span) -> Draft {
        let (a, b) = (self.assertion_operand(&left), self.assertion_operand(&right));
        let (Some(a), Some(b)) = (a, b) else { return Draft::error(span) };
        let ty = if a || b { Ty::Impure } else { Ty::Bool };
        binary_draft(left, right, ty, span, BinaryOperator::And)
    }

    fn implication(&mut self, left: Draft, right: Draft, span: Span) -> Draft {
        if self.is_error(&left) || self.is_error(&right) {
            return Draft::error(span);
        }
        if !self.solver.require(&left.ty, &Ty::Bool) {
            self.mismatch(left.span, &left.ty, &Ty::Bool);
            return Draft::error(span);
        }
        let Some(impure) = self.assertion_operand(&right) else { return Draft::error(span) };
        let ty = if impure { Ty::Impure } else { Ty::Bool };
        binary_draft(left, right, ty, span, BinaryOperator::Implies)
    }

    fn magic_wand(&mut self, left: Draft, right: Draft, span: Span) -> Draft {
        let (a, b) = (self.assertion_operand(&left), self.assertion_operand(&right));
        if a.is_none() || b.is_none() {
            return Draft::error(span);
        }
        Draft::node(vec![left, right], Ty::Wand, span, move |parts| {
            ExpressionKind::Wand(Wand { left: parts.next(), right: parts.next(), span })
        })
    }

    pub(super) fn inhale_exhale(
        &mut self,
        inhale: &tree::Expression,
        exhale: &tree::Expression,
        span: Span,
    ) -> Draft {
        self.member.assumptions.push(Assumption { kind: AssumptionKind::InhaleExhale, span });
        let (inhale, exhale) = (self.infer(inhale), self.infer(exhale));
        let (a, b) = (self.assertion_operand(&inhale), self.assertion_operand(&exhale));
        let (Some(a), Some(b)) = (a, b) else { return Draft::error(span) };
        let ty = if a || b { Ty::Impure } else { Ty::Bool };
        Draft::node(vec![inhale, exhale], ty, span, |parts| ExpressionKind::InhaleExhale {
            inhale: parts.next(),
            exhale: parts.next(),
        })
    }

    fn equality(&mut self, equal: bool, left: Draft, right: Draft, span: Span) -> Draft {
        if self.is_error(&left) || self.is_error(&right) {
            return Draft::error(span);
        }
        let mut pure = true;
        for operand in [&left, &right] {
            if self.solver.shallow(&operand.ty).is_assertion() {
                self.error(
                    operand.span,
                    "assertions about permissions cannot be compared",
                    "compare values, or use `<==>` on pure formulas",
                );
                pure = false;
            }
        }
        if !pure {
            return Draft::error(span);
        }
        if !self.solver.require(&right.ty, &left.ty) {
            self.mismatch(right.span, &right.ty, &left.ty);
            return Draft::error(span);
        }
        let operator = if equal { BinaryOperator::Equal } else { BinaryOperator::NotEqual };
        binary_draft(left, right, Ty::Bool, span, operator)
    }

    pub(super) fn conditional(
        &mut self,
        condition: &tree::Expression,
        then: &tree::Expression,
        otherwise: &tree::Expression,
        span: Span,
    ) -> Draft {
        let (condition, then, otherwise) = (self.infer(condition), self.infer(then), self.infer(otherwise));
        if [&condition, &then, &otherwise].iter().any(|draft| self.is_error(draft)) {
            return Draft::error(span);
        }
        if !self.solver.require(&condition.ty, &Ty::Bool) {
            self.mismatch(condition.span, &condition.ty, &Ty::Bool);
            return Draft::error(span);
        }
        let impure = [&then, &otherwise].iter().any(|branch| self.solver.shallow(&branch.ty).is_assertion());
        let ty = if impure {
            let (a, b) = (self.assertion_operand(&then), self.assertion_operand(&otherwise));
            if a.is_none() || b.is_none() {
                return Draft::error(span);
            }
            Ty::Impure
        } else {
            if !self.solver.require(&otherwise.ty, &then.ty) {
                self.mismatch(otherwise.span, &otherwise.ty, &then.ty);
                return Draft::error(span);
            }
            then.ty.clone()
        };
        Draft::node(vec![condition, then, otherwise], ty, span, |parts| ExpressionKind::Conditional {
            condition: parts.next(),
            then: parts.next(),
            otherwise: parts.next(),
        })
    }

    /// `a < b <= c` is `a < b && b <= c`.
    pub(super) fn chain(
        &mut self,
        first: &tree::Expression,
        rest: &[(Surface, tree::Expression)],
        span: Span,
    ) -> Draft {
        if self.chain_nesting >= limits::CHAIN_NESTING {
            self.error(span, "comparison chains are nested too deeply", "split the chain with `&&`");
            return Draft::error(span);
        }
        self.chain_nesting += 1;
        let mut result: Option<Draft> = None;
        let mut left_tree = first;
        for (operator, right_tree) in rest {
            let left = self.infer(left_tree);
            let right = self.infer(right_tree);
            let start = if result.is_none() { span } else { left.span };
            let comparison_span = Span { end: right.span.end, ..start };
            let comparison = self.apply(*operator, left, right, comparison_span);
            let so_far = Span { end: comparison_span.end, ..span };
            result = Some(match result {
                None => comparison,
                Some(previous) => self.conjunction(previous, comparison, so_far),
            });
            left_tree = right_tree;
        }
        self.chain_nesting -= 1;
        result.unwrap_or_else(|| Draft::error(span))
    }
}

fn binary_draft(left: Draft, right: Draft, ty: Ty, span: Span, operator: BinaryOperator) -> Draft {
    Draft::node(vec![left, right], ty, span, move |parts| {
        ExpressionKind::Binary(operator, parts.next(), parts.next())
    })
}

/// A unary node whose operator depends on the operand's type.
pub(super) fn unary_node(
    operator: impl FnOnce(&Type) -> UnaryOperator,
) -> impl FnOnce(Vec<ExpressionRef>, &Type) -> ExpressionKind {
    |mut children, _| match children.pop() {
        Some(operand) => ExpressionKind::Unary(operator(&operand.ty), operand),
        None => ExpressionKind::Bool(true),
    }
}

/// A binary node whose operator depends on the operands' types.
pub(super) fn binary_node(
    operator: impl FnOnce(&Type, &Type) -> BinaryOperator,
) -> impl FnOnce(Vec<ExpressionRef>, &Type) -> ExpressionKind {
    |mut children, _| match (children.pop(), children.pop()) {
        (Some(right), Some(left)) => ExpressionKind::Binary(operator(&left.ty, &right.ty), left, right),
        _ => ExpressionKind::Bool(true),
    }
}

/// The operation that an overloaded operator is, now that all types are known.
fn typed_binary(operator: Surface, mut children: Vec<ExpressionRef>, ty: &Type) -> ExpressionKind {
    use BinaryOperator as B;
    let (Some(right), Some(left)) = (children.pop(), children.pop()) else {
        return ExpressionKind::Bool(true);
    };
    let of_numbers = |int: B, perm: B| if left.ty == Type::Int { int } else { perm };
    let is_multiset = matches!(right.ty, Type::Multiset(_));
    let of_members = |multiset: B, set: B| if is_multiset { multiset } else { set };
    let operator = match operator {
        Surface::Add => of_numbers(B::IntAdd, B::PermAdd),
        Surface::Subtract => of_numbers(B::IntSubtract, B::PermSubtract),
        Surface::Less => of_numbers(B::IntLess, B::PermLess),
        Surface::LessEqual => of_numbers(B::IntLessEqual, B::PermLessEqual),
        Surface::Greater => of_numbers(B::IntGreater, B::PermGreater),
        Surface::GreaterEqual => of_numbers(B::IntGreaterEqual, B::PermGreaterEqual),
        Surface::Multiply => match (&left.ty, &right.ty) {
            (Type::Int, Type::Int) => B::IntMultiply,
            (Type::Int, _) => B::IntPermMultiply,
            (_, Type::Int) => return ExpressionKind::Binary(B::IntPermMultiply, right, left),
            _ => B::PermMultiply,
        },
        Surface::Divide => match (&left.ty, &right.ty) {
            (Type::Int, _) if *ty == Type::Int => B::IntDivide,
            (Type::Int, _) => B::Fraction,
            (_, Type::Int) => B::PermIntDivide,
            _ => B::PermPermDivide,
        },
        Surface::IntDivide => B::IntDivide,
        Surface::Modulo => B::IntModulo,
        Surface::Append => B::SeqAppend,
        Surface::Union => of_members(B::MultisetUnion, B::SetUnion),
        Surface::Intersection => of_members(B::MultisetIntersection, B::SetIntersection),
        Surface::SetMinus => of_members(B::MultisetDifference, B::SetDifference),
        Surface::Subset => of_members(B::MultisetSubset, B::SetSubset),
        Surface::In => match &right.ty {
            Type::Seq(_) => B::SeqContains,
            Type::Multiset(_) => B::MultisetCount,
            Type::Map(..) => B::MapContains,
            _ => B::SetContains,
        },
        // These have nodes of their own.
        Surface::And | Surface::Wand => B::And,
        Surface::Or => B::Or,
        Surface::Implies => B::Implies,
        Surface::Iff | Surface::Equal => B::Equal,
        Surface::NotEqual => B::NotEqual,
    };
    ExpressionKind::Binary(operator, left, right)
}
