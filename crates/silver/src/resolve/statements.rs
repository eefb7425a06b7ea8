//! Checks statements and builds their typed form.

use std::sync::Arc;

use source::Span;

use super::checker::{Checker, Global};
use super::expressions::NO_LABEL;
use super::termination::Decreases;
use super::unify::Ty;
use crate::syntax::tree::{self, ExpressionKind as Tree, StatementKind as TreeStatement};
use crate::typed::{
    Annotations, Assumption, AssumptionKind, Block, ExpressionRef, FieldId, Label, LocalId, LocalKind,
    MethodId, Resource, Statement, StatementKind, Type,
};

/// The left-hand side of an assignment, checked.
enum Target {
    Local(LocalId, Span),
    Field { receiver: ExpressionRef, field: FieldId, span: Span },
}

impl Checker {
    /// Declares the labels of a method body, which may be used before they are reached.
    pub(super) fn declare_labels(&mut self, statements: &[tree::Statement]) {
        for statement in statements {
            match &statement.kind {
                TreeStatement::Label { name, .. } => {
                    if self.find_label(&name.text).is_some() {
                        self.inconsistent(
                            statement.span,
                            format!("label `{}` is declared twice", name.text),
                            "rename one of them",
                        );
                    } else {
                        self.member.labels.push(Label { name: name.text.to_string(), span: statement.span });
                    }
                }
                TreeStatement::Annotated(_, inner) => self.declare_labels(std::slice::from_ref(&**inner)),
                TreeStatement::Block(block) | TreeStatement::While { body: block, .. } => {
                    self.declare_labels(&block.statements);
                }
                TreeStatement::Package { proof: Some(block), .. } => self.declare_labels(&block.statements),
                TreeStatement::If { then, otherwise, .. } => {
                    self.declare_labels(&then.statements);
                    match otherwise {
                        Some(tree::Otherwise::Block(block)) => self.declare_labels(&block.statements),
                        Some(tree::Otherwise::If(inner)) => {
                            self.declare_labels(std::slice::from_ref(&**inner))
                        }
                        None => {}
                    }
                }
                TreeStatement::Expansion(statements) => self.declare_labels(statements),
                _ => {}
            }
        }
    }

    pub(super) fn block(&mut self, block: &tree::Block) -> Block {
        self.enter_scope();
        let mut typed = Block { span: block.span, ..Block::default() };
        self.statements(&block.statements, &mut typed);
        self.leave_scope();
        typed
    }

    fn statements(&mut self, statements: &[tree::Statement], block: &mut Block) {
        for statement in statements {
            self.statement(statement, block, &mut Annotations::default());
        }
    }

    /// Checks a statement and appends it to the block, whose scope is open.
    fn statement(&mut self, statement: &tree::Statement, block: &mut Block, annotations: &mut Annotations) {
        let span = statement.span;
        let kind = match &statement.kind {
            TreeStatement::Annotated(annotation, inner) => {
                annotations.add(&annotation.key, annotation.values.iter().map(ToString::to_string));
                return self.statement(inner, block, annotations);
            }
            // The expansion of a macro opens no scope.
            TreeStatement::Expansion(statements) => return self.statements(statements, block),
            TreeStatement::Define(_) => return,
            TreeStatement::Unreachable => {
                annotations.add(super::smoke::UNREACHABLE, []);
                StatementKind::Block(Block::default())
            }
            TreeStatement::Block(inner) => StatementKind::Block(self.block(inner)),
            TreeStatement::Variables { bindings, value } => {
                let targets = self.variables(bindings, block);
                match value {
                    None => return,
                    Some(value) => match self.assign(targets, false, true, value, span) {
                        Some(kind) => kind,
                        None => return,
                    },
                }
            }
            TreeStatement::Assign { targets, value } => {
                let had_errors = self.diagnostics.len();
                let checked: Vec<Target> = targets.iter().filter_map(|target| self.target(target)).collect();
                let has_bad_target = checked.len() != targets.len() || self.diagnostics.len() > had_errors;
                match self.assign(checked, has_bad_target, !targets.is_empty(), value, span) {
                    Some(kind) => kind,
                    None => return,
                }
            }
            TreeStatement::Assert(expression) => {
                StatementKind::Assert { assertion: self.check(expression, &Ty::Impure), blame: None }
            }
            TreeStatement::Inhale(expression) => {
                self.member.assumptions.push(Assumption { kind: AssumptionKind::Inhale, span });
                StatementKind::Inhale(self.check(expression, &Ty::Impure))
            }
            TreeStatement::Exhale(expression) => StatementKind::Exhale(self.check(expression, &Ty::Impure)),
            TreeStatement::Refute(expression) => {
                StatementKind::Refute { assertion: self.check(expression, &Ty::Bool), is_precaution: false }
            }
            TreeStatement::Question(expression) => {
                StatementKind::Question(self.check(expression, &Ty::Impure))
            }
            TreeStatement::Precaution(expression) => {
                StatementKind::Refute { assertion: self.check(expression, &Ty::Bool), is_precaution: true }
            }
            TreeStatement::Assume(expression) => {
                self.member.assumptions.push(Assumption { kind: AssumptionKind::Assume, span });
                let assumption = self.check(expression, &Ty::Impure);
                super::assumptions::assume(&assumption)
            }
            TreeStatement::Fold(access) => StatementKind::Fold(self.predicate_access(access, "folded").0),
            TreeStatement::Unfold(access) => {
                StatementKind::Unfold(self.predicate_access(access, "unfolded").0)
            }
            TreeStatement::If { condition, then, otherwise } => {
                self.branches(condition, then, otherwise.as_ref())
            }
            TreeStatement::While { condition, invariants, body } => {
                self.while_loop(condition, invariants, body)
            }
            TreeStatement::Label { name, invariants } => {
                let invariants = self.label_invariants(invariants);
                match self.find_label(&name.text) {
                    Some(label) => StatementKind::Label { label, invariants },
                    None => return,
                }
            }
            TreeStatement::Goto(name) => match self.find_label(&name.text) {
                Some(label) => StatementKind::Goto(label),
                None => {
                    self.inconsistent(span, format!("there is no label `{}`", name.text), NO_LABEL);
                    return;
                }
            },
            TreeStatement::Package { wand, proof } => {
                let wand = self.wand(wand).0;
                let proof = proof.as_ref().map_or_else(Block::default, |proof| self.block(proof));
                StatementKind::Package { wand, proof }
            }
            TreeStatement::Apply(wand) => StatementKind::Apply(self.wand(wand).0),
            TreeStatement::Quasihavoc { condition, resource } => {
                let condition = condition.as_ref().map(|condition| self.check(condition, &Ty::Bool));
                match self.havocked(resource, span) {
                    Some(resource) => StatementKind::Quasihavoc { condition, resource },
                    None => return,
                }
            }
            TreeStatement::QuasihavocAll { bindings, condition, resource } => {
                self.enter_scope();
                let variables = self.bind(bindings);
                let condition = condition.as_ref().map(|condition| self.check(condition, &Ty::Bool));
                let resource = self.havocked(resource, span);
                self.leave_scope();
                match resource {
                    Some(resource) => StatementKind::QuasihavocAll { variables, condition, resource },
                    None => return,
                }
            }
        };
        let annotations = (!annotations.is_empty()).then(|| Arc::new(std::mem::take(annotations)));
        block.statements.push(Statement { kind, span, annotations });
    }

    fn label_invariants(&mut self, invariants: &[tree::Specification]) -> Vec<ExpressionRef> {
        let assertions = invariants.iter().filter_map(|specification| match &specification.kind {
            tree::SpecificationKind::Assertion(invariant) => Some(invariant),
            tree::SpecificationKind::Decreases(_) => None,
        });
        assertions.map(|invariant| self.check(invariant, &Ty::Impure)).collect()
    }

    fn variables(&mut self, bindings: &[tree::Binding], block: &mut Block) -> Vec<Target> {
        bindings
            .iter()
            .map(|binding| {
                let ty = self.ground_type(&binding.ty);
                let local = self.declare_local(&binding.name, ty, LocalKind::Variable);
                block.locals.push(local);
                Target::Local(local, binding.name.span)
            })
            .collect()
    }

    fn branches(
        &mut self,
        condition: &tree::Expression,
        then: &tree::Block,
        otherwise: Option<&tree::Otherwise>,
    ) -> StatementKind {
        let condition = self.check(condition, &Ty::Bool);
        let then = self.block(then);
        let otherwise = match otherwise {
            None => Block::default(),
            Some(tree::Otherwise::Block(block)) => self.block(block),
            Some(tree::Otherwise::If(inner)) => {
                let mut block = Block { span: Some(inner.span), ..Block::default() };
                self.statement(inner, &mut block, &mut Annotations::default());
                block
            }
        };
        StatementKind::If { condition, then, otherwise }
    }

    fn while_loop(
        &mut self,
        condition: &tree::Expression,
        specifications: &[tree::Specification],
        body: &tree::Block,
    ) -> StatementKind {
        let condition = self.check(condition, &Ty::Bool);
        let index = self.member.loops.len();
        self.member.loops.push(Vec::new());
        let (invariants, decreases) = self.specifications(specifications);
        self.member.loops[index] = decreases;
        StatementKind::While { condition, invariants, body: self.block(body) }
    }

    /// Clauses of a contract or loop: assertions, and beside them the measures of termination.
    pub(super) fn specifications(
        &mut self,
        specifications: &[tree::Specification],
    ) -> (Vec<ExpressionRef>, Vec<Decreases>) {
        let mut assertions = Vec::new();
        let mut decreases = Vec::new();
        for specification in specifications {
            match &specification.kind {
                tree::SpecificationKind::Assertion(expression) => {
                    assertions.push(self.check(expression, &Ty::Impure));
                    self.no_permission_queries(expression, false);
                }
                tree::SpecificationKind::Decreases(clause) => decreases.push(self.decreases_clause(clause)),
            }
        }
        (assertions, decreases)
    }

    /// Contracts may ask for permissions only inside inhale-exhale assertions.
    pub(super) fn no_permission_queries(&mut self, expression: &tree::Expression, forperm_allowed: bool) {
        let mut stack = vec![expression];
        let mut found = Vec::new();
        while let Some(node) = stack.pop() {
            match &*node.kind {
                Tree::InhaleExhale(..) => {}
                Tree::CurrentPermission(_) => found.push(node.span),
                Tree::ForPerm { .. } if !forperm_allowed => found.push(node.span),
                kind => kind.for_each_child(&mut |child| stack.push(child)),
            }
        }
        for span in found {
            let message = "contracts and invariants may use `perm` and `forperm` only inside `[…, …]`";
            self.error(span, message, "write `[true, perm(…) …]` to check it and not assume it");
        }
    }

    /// Function preconditions and predicates cannot hold wands.
    pub(super) fn no_wands(&mut self, expression: &tree::Expression) {
        let mut stack = vec![expression];
        let mut found = Vec::new();
        while let Some(node) = stack.pop() {
            match &*node.kind {
                Tree::Binary(tree::BinaryOperator::Wand, ..) => found.push(node.span),
                kind => kind.for_each_child(&mut |child| stack.push(child)),
            }
        }
        for span in found {
            self.error(
                span,
                "magic wands cannot be used in function preconditions or predicates",
                "keep wands in method contracts and bodies",
            );
        }
    }

    fn target(&mut self, target: &tree::Expression) -> Option<Target> {
        match &*target.kind {
            Tree::Name(name) => {
                let visible = self.visible_locals(&name.text);
                let assignable: Vec<LocalId> = visible
                    .iter()
                    .copied()
                    .filter(|local| {
                        let kind = self.member.locals[local.index()].kind;
                        matches!(kind, LocalKind::Variable | LocalKind::Return)
                    })
                    .collect();
                match assignable.as_slice() {
                    [local] => return Some(Target::Local(*local, target.span)),
                    [] if visible.is_empty() => {
                        self.error(
                            target.span,
                            format!("the variable `{}` is not declared", name.text),
                            "declare it with `var`",
                        );
                    }
                    [] => {
                        let help =
                            "parameters and bound variables keep their value; copy it to a local variable";
                        self.error(target.span, format!("`{}` cannot be assigned", name.text), help);
                    }
                    _ => self.error(
                        target.span,
                        format!("`{}` is declared more than once", name.text),
                        "rename all but one of the declarations",
                    ),
                }
                None
            }
            Tree::Field(base, name) => {
                let field = self.find_field(name)?;
                let receiver = self.check(base, &Ty::Ref);
                Some(Target::Field { receiver, field, span: target.span })
            }
            _ => {
                self.error(
                    target.span,
                    "only variables and fields can be assigned",
                    "assign to a variable or to `x.f`",
                );
                None
            }
        }
    }

    fn target_type(&self, target: &Target) -> Type {
        match target {
            Target::Local(local, _) => self.member.locals[local.index()].ty.clone(),
            Target::Field { field, .. } => self.program.field(*field).ty.clone(),
        }
    }

    /// `None` after an error.
    fn assign(
        &mut self,
        mut targets: Vec<Target>,
        has_bad_target: bool,
        has_operator: bool,
        value: &tree::Expression,
        span: Span,
    ) -> Option<StatementKind> {
        if let Tree::Call(name, arguments, _) = &*value.kind {
            let is_function = self.global(&name.text).iter().any(|global| {
                matches!(
                    global,
                    Global::Function(_)
                        | Global::DomainFunction(_)
                        | Global::Predicate(_)
                        | Global::Constructor(_)
                )
            });
            let is_single = targets.len() == 1 || has_bad_target;
            if !is_single || !is_function {
                return self.method_call(name, arguments, value.span, targets, has_bad_target, span);
            }
        }
        if has_bad_target {
            return None;
        }
        if targets.len() != 1 {
            let message = if !has_operator {
                "only a call of a method without results can be a statement"
            } else {
                "only a method call can be assigned to several targets"
            };
            self.error(span, message, "call a method, or assign one value to one target");
            return None;
        }
        let target = targets.pop()?;
        let ty = Ty::from_typed(&self.target_type(&target));
        if let Tree::New(fields) = &*value.kind {
            if ty != Ty::Ref {
                let target_span = match &target {
                    Target::Local(_, span) | Target::Field { span, .. } => *span,
                };
                self.mismatch(target_span, &ty, &Ty::Ref);
            }
            let fields: Arc<[FieldId]> = self.new_fields(fields).into();
            let declared = self.member.locals.len();
            return Some(self.through_temporaries(vec![target], span, move |targets| StatementKind::New {
                target: targets[0],
                fields,
                declared,
            }));
        }
        let value = self.check(value, &ty);
        Some(match target {
            Target::Local(local, _) => StatementKind::Assign { target: local, value },
            Target::Field { receiver, field, span } => {
                StatementKind::FieldAssign { receiver, field, target_span: span, value }
            }
        })
    }

    fn method_call(
        &mut self,
        name: &tree::Name,
        arguments: &[tree::Expression],
        call_span: Span,
        targets: Vec<Target>,
        has_bad_target: bool,
        span: Span,
    ) -> Option<StatementKind> {
        let mut methods: Vec<MethodId> = Vec::new();
        for global in self.global(&name.text) {
            if let Global::Method(method) = global {
                methods.push(*method);
            }
        }
        let Some(&method) = methods.first() else {
            self.error(
                name.span,
                format!("there is no method `{}`", name.text),
                "declare it, or check its spelling",
            );
            return None;
        };
        let declared = self.program.method(method);
        let type_of = |local: &LocalId| Ty::from_typed(&declared.locals[local.index()].ty);
        let formals: Vec<Ty> = declared.formals.iter().map(type_of).collect();
        let returns: Vec<Ty> = declared.returns.iter().map(type_of).collect();
        if formals.len() != arguments.len() {
            let message =
                format!("{} arguments are needed, but there are {}", formals.len(), arguments.len());
            self.error(call_span, message, "pass one argument for each parameter");
            return None;
        }
        if has_bad_target {
            return None;
        }
        if returns.len() != targets.len() {
            let message =
                format!("the method has {} results, but {} are assigned", returns.len(), targets.len());
            self.error(span, message, "assign one target for each result");
            return None;
        }
        if methods.len() > 1 {
            self.error(
                span,
                format!("method `{}` is declared more than once", name.text),
                "rename all but one of the declarations",
            );
            return None;
        }
        let arguments: Arc<[ExpressionRef]> =
            arguments.iter().zip(&formals).map(|(argument, formal)| self.check(argument, formal)).collect();
        for (target, expected) in targets.iter().zip(&returns) {
            let actual = Ty::from_typed(&self.target_type(target));
            let target_span = match target {
                Target::Local(_, span) | Target::Field { span, .. } => *span,
            };
            if !self.solver.require(&actual, expected) {
                self.mismatch(target_span, &actual, expected);
            }
        }
        Some(self.through_temporaries(targets, span, move |targets| StatementKind::Call {
            method,
            arguments,
            targets: targets.into(),
        }))
    }

    /// Fields as targets of calls and `new` are assigned through temporary variables: the receivers are evaluated
    /// before, the fields written after.
    fn through_temporaries(
        &mut self,
        targets: Vec<Target>,
        span: Span,
        statement: impl FnOnce(Vec<LocalId>) -> StatementKind,
    ) -> StatementKind {
        let mut block = Block::default();
        let mut locals = Vec::new();
        let mut after = Vec::new();
        let mut fields = Vec::new();
        for (index, target) in targets.into_iter().enumerate() {
            match target {
                Target::Local(local, _) => locals.push(local),
                Target::Field { receiver, field, span: target_span } => {
                    let receiver_span = receiver.span;
                    let kind = LocalKind::Generated;
                    let receiver_local =
                        self.new_local(&format!("_receiver{index}"), Type::Ref, receiver_span, kind);
                    let ty = self.program.field(field).ty.clone();
                    let local = self.new_local(&format!("_target{index}"), ty.clone(), target_span, kind);
                    block.locals.extend([receiver_local, local]);
                    let assign = StatementKind::Assign { target: receiver_local, value: receiver };
                    block.statements.push(Statement::new(assign, receiver_span));
                    let receiver = crate::typed::Expression::local(receiver_local, Type::Ref, receiver_span);
                    let value = crate::typed::Expression::local(local, ty, target_span);
                    let assign = StatementKind::FieldAssign { receiver, field, target_span, value };
                    after.push(Statement::new(assign, target_span));
                    locals.push(local);
                    if fields.contains(&field) {
                        self.error(
                            span,
                            "several targets of one call access the same field",
                            "assign to variables first, then to the fields",
                        );
                    }
                    fields.push(field);
                }
            }
        }
        let kind = statement(locals);
        if after.is_empty() {
            return kind;
        }
        block.statements.push(Statement::new(kind, span));
        block.statements.extend(after);
        StatementKind::Block(block)
    }

    fn havocked(&mut self, resource: &tree::Expression, span: Span) -> Option<Resource> {
        let message = "`quasihavoc` applies to a field access, a predicate or a wand";
        match &*resource.kind {
            Tree::Field(..) | Tree::Call(..) | Tree::Binary(tree::BinaryOperator::Wand, ..) => {}
            _ => {
                self.error(span, message, "write `x.f`, `P(…)` or `A --* B`");
                return None;
            }
        }
        let errors = self.diagnostics.len();
        let (typed, ty) = self.check_any(resource);
        if ty == Ty::Error || self.diagnostics.len() > errors {
            return None;
        }
        let named = Resource::named_by(&typed);
        if named.is_none() {
            self.error(span, message, "write `x.f`, `P(…)` or `A --* B`");
        }
        named
    }
}
