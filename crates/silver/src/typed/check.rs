//! Checks the invariants of typed programs that passes and the engine rely on.
//!
//! A violation is a fault of the front end, never of the input.

use super::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, Local, Program, Statement, StatementKind,
    Type, UnaryOperator, for_each_expression, is_pure, visit_expression, visit_statements,
};

/// All violations, in words; empty for a sound program.
pub fn check_program(program: &Program) -> Vec<String> {
    let mut check = Check { program, member: String::new(), problems: Vec::new() };
    for domain in &program.domains {
        for axiom in &domain.axioms {
            check.member.clone_from(&domain.name);
            check.formula(&axiom.body, &axiom.locals);
        }
    }
    for function in &program.functions {
        check.member.clone_from(&function.name);
        for formula in function.preconditions.iter().chain(&function.postconditions) {
            check.formula(formula, &function.locals);
        }
        for body in function.body.iter() {
            check.expression(body, &function.locals);
            check.require(body.ty == function.result, "the body has the function's type", body);
        }
    }
    for predicate in &program.predicates {
        check.member.clone_from(&predicate.name);
        for body in predicate.body.iter() {
            check.formula(body, &predicate.locals);
        }
    }
    for method in &program.methods {
        check.member.clone_from(&method.name);
        for formula in method.preconditions.iter().chain(&method.postconditions) {
            check.formula(formula, &method.locals);
        }
        if let Some(body) = &method.body {
            visit_statements(body, &mut |statement| check.statement(statement, &method.locals));
        }
    }
    check.problems
}

struct Check<'a> {
    program: &'a Program,
    member: String,
    problems: Vec<String>,
}

impl Check<'_> {
    fn require(&mut self, holds: bool, rule: &str, node: &Expression) {
        if !holds {
            let at = node.span.start;
            self.problems.push(format!("{}: not true at offset {at}: {rule}: {:?}", self.member, node.kind));
        }
    }

    fn formula(&mut self, formula: &ExpressionRef, locals: &[Local]) {
        self.require(formula.ty == Type::Bool, "a formula has type Bool", formula);
        self.expression(formula, locals);
    }

    fn statement(&mut self, statement: &Statement, locals: &[Local]) {
        for_each_expression(statement, &mut |expression| self.expression(expression, locals));
        match &statement.kind {
            StatementKind::Assign { target, value } => {
                let declared = &locals[target.index()].ty;
                self.require(*declared == value.ty, "a variable is assigned a value of its type", value);
            }
            StatementKind::FieldAssign { receiver, field, value, .. } => {
                self.require(receiver.ty == Type::Ref, "a receiver is a reference", receiver);
                self.require(
                    self.program.field(*field).ty == value.ty,
                    "a field is assigned its type",
                    value,
                );
            }
            StatementKind::Call { method, arguments, targets } => {
                let declared = self.program.method(*method);
                for (formal, argument) in declared.formals.iter().zip(arguments.iter()) {
                    let expected = &declared.locals[formal.index()].ty;
                    self.require(*expected == argument.ty, "an argument has its parameter's type", argument);
                }
                let arity =
                    declared.formals.len() == arguments.len() && declared.returns.len() == targets.len();
                if !arity {
                    self.problems.push(format!("{}: a call has the wrong arity", self.member));
                }
            }
            StatementKind::Inhale(assertion)
            | StatementKind::Exhale(assertion)
            | StatementKind::Question(assertion)
            | StatementKind::Assert { assertion, .. }
            | StatementKind::Refute { assertion, .. } => {
                self.require(assertion.ty == Type::Bool, "an assertion has type Bool", assertion);
            }
            StatementKind::If { condition, .. } | StatementKind::While { condition, .. } => {
                self.require(condition.ty == Type::Bool, "a condition has type Bool", condition);
                self.require(is_pure(condition), "a condition is pure", condition);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &ExpressionRef, locals: &[Local]) {
        let mut nodes = Vec::new();
        visit_expression(expression, &mut |node| {
            nodes.push(node.clone());
            true
        });
        for node in nodes {
            self.node(&node, locals);
        }
    }

    fn node(&mut self, node: &Expression, locals: &[Local]) {
        match &node.kind {
            ExpressionKind::Local(local) => {
                let known = locals.get(local.index()).is_some_and(|declared| declared.ty == node.ty);
                self.require(known, "a variable is declared with its type", node);
            }
            ExpressionKind::Binary(operator, left, right) => {
                let holds = binary_types(*operator, &left.ty, &right.ty, &node.ty);
                self.require(holds, "operands and result have the operator's types", node);
            }
            ExpressionKind::Unary(operator, operand) => {
                let holds = unary_types(*operator, &operand.ty, &node.ty);
                self.require(holds, "operand and result have the operator's types", node);
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let holds = condition.ty == Type::Bool && then.ty == otherwise.ty && then.ty == node.ty;
                self.require(holds, "the branches of a conditional have its type", node);
            }
            ExpressionKind::FieldAccess { receiver, field } => {
                let holds = receiver.ty == Type::Ref && self.program.field(*field).ty == node.ty;
                self.require(holds, "a field access has the field's type", node);
            }
            ExpressionKind::FunctionApplication { function, arguments } => {
                let declared = self.program.function(*function);
                let formals = declared.formals.iter().map(|formal| &declared.locals[formal.index()].ty);
                let holds = declared.formals.len() == arguments.len()
                    && formals.zip(arguments.iter()).all(|(formal, argument)| *formal == argument.ty)
                    && declared.result == node.ty;
                self.require(holds, "an application has the function's types", node);
            }
            ExpressionKind::DomainApplication { function, type_arguments, arguments } => {
                let declared = self.program.domain_function(*function);
                let parameters = &self.program.domain(declared.domain).parameters;
                let holds = parameters.len() == type_arguments.len()
                    && declared.formals.len() == arguments.len()
                    && declared
                        .formals
                        .iter()
                        .zip(arguments.iter())
                        .all(|(formal, argument)| formal.ty.instantiate(type_arguments) == argument.ty)
                    && declared.result.instantiate(type_arguments) == node.ty;
                self.require(holds, "an application has the domain function's types", node);
            }
            ExpressionKind::Let { variable, value, .. } => {
                let known = locals.get(variable.index()).is_some_and(|declared| declared.ty == value.ty);
                self.require(known, "a variable bound by `let` has its value's type", node);
            }
            ExpressionKind::Forall { body, .. } => {
                let holds = is_pure(body) || node.as_quantified_permission().is_some();
                self.require(holds, "an impure quantifier is a quantified permission", node);
            }
            _ => {}
        }
    }
}

fn unary_types(operator: UnaryOperator, operand: &Type, result: &Type) -> bool {
    match (operator, operand) {
        (UnaryOperator::Not, Type::Bool) => *result == Type::Bool,
        (UnaryOperator::IntNegate, Type::Int) => *result == Type::Int,
        (UnaryOperator::PermNegate, Type::Perm) => *result == Type::Perm,
        (UnaryOperator::SeqLength, Type::Seq(_))
        | (UnaryOperator::SetCardinality, Type::Set(_))
        | (UnaryOperator::MultisetCardinality, Type::Multiset(_))
        | (UnaryOperator::MapCardinality, Type::Map(..)) => *result == Type::Int,
        (UnaryOperator::MapDomain, Type::Map(key, _)) => *result == Type::Set(key.clone()),
        (UnaryOperator::MapRange, Type::Map(_, value)) => *result == Type::Set(value.clone()),
        _ => false,
    }
}

fn binary_types(operator: BinaryOperator, left: &Type, right: &Type, result: &Type) -> bool {
    use BinaryOperator::*;
    use Type::{Bool, Int, Perm};
    match operator {
        And | Or | Implies => (left, right, result) == (&Bool, &Bool, &Bool),
        Equal | NotEqual => left == right && *result == Bool,
        IntAdd | IntSubtract | IntMultiply | IntDivide | IntModulo => {
            (left, right, result) == (&Int, &Int, &Int)
        }
        IntLess | IntLessEqual | IntGreater | IntGreaterEqual => (left, right, result) == (&Int, &Int, &Bool),
        PermAdd | PermSubtract | PermMultiply | PermPermDivide => {
            (left, right, result) == (&Perm, &Perm, &Perm)
        }
        IntPermMultiply => (left, right, result) == (&Int, &Perm, &Perm),
        PermIntDivide => (left, right, result) == (&Perm, &Int, &Perm),
        Fraction => (left, right, result) == (&Int, &Int, &Perm),
        PermLess | PermLessEqual | PermGreater | PermGreaterEqual => {
            (left, right, result) == (&Perm, &Perm, &Bool)
        }
        SeqRange => (left, right) == (&Int, &Int) && *result == Type::seq(Int),
        SeqAppend => matches!(left, Type::Seq(_)) && left == right && left == result,
        SeqContains => matches!(right, Type::Seq(element) if **element == *left) && *result == Bool,
        SeqIndex => matches!(left, Type::Seq(element) if **element == *result) && *right == Int,
        SeqTake | SeqDrop => matches!(left, Type::Seq(_)) && *right == Int && left == result,
        SetUnion | SetIntersection | SetDifference => {
            matches!(left, Type::Set(_)) && left == right && left == result
        }
        SetSubset => matches!(left, Type::Set(_)) && left == right && *result == Bool,
        SetContains => matches!(right, Type::Set(element) if **element == *left) && *result == Bool,
        MultisetUnion | MultisetIntersection | MultisetDifference => {
            matches!(left, Type::Multiset(_)) && left == right && left == result
        }
        MultisetSubset => matches!(left, Type::Multiset(_)) && left == right && *result == Bool,
        MultisetCount => matches!(right, Type::Multiset(element) if **element == *left) && *result == Int,
        MapLookup => matches!(left, Type::Map(key, value) if **key == *right && **value == *result),
        MapContains => matches!(right, Type::Map(key, _) if **key == *left) && *result == Bool,
    }
}
