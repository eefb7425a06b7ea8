//! Statements: their expressions, the variables they declare, and what they may assign.

use source::{Diagnostic, Span};

use super::Type;
use super::checker::{Checker, Wall, WallKind};
use crate::codes;
use crate::syntax::tree::{
    Block, Branch, ClauseKind, Contract, Declarator, Expression, ExpressionKind, Name, NodeId, RangeVariable,
    Statement, StatementKind, Type as WrittenType,
};

/// Where a contract stands, which decides the clauses that it can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContractPlace {
    Routine,
    Function,
    Constructor,
    Class,
    Loop,
    ParBlock,
    Barrier,
    Frame,
    Process,
}

impl ContractPlace {
    fn allows(self, clause: &ClauseKind) -> bool {
        use ClauseKind::*;
        use ContractPlace::*;
        match clause {
            Requires(_) | Ensures(_) | Context(_) => self != Class,
            ContextEverywhere(_) => {
                matches!(self, Routine | Function | Constructor | ParBlock | Loop | Process)
            }
            LoopInvariant(_) => self == Loop,
            LockInvariant(_) => self == Class,
            KernelInvariant(_) | Signals { .. } => false,
            Given(_) => matches!(self, Routine | Function | Constructor),
            // A function is its value, and nothing else comes out of it.
            Yields(_) => matches!(self, Routine | Constructor),
            Decreases(_) => matches!(self, Routine | Function | Constructor | Loop | Process),
            Modifies(_) | Accessible(_) => self == Process,
        }
    }

    fn text(self) -> &'static str {
        match self {
            ContractPlace::Routine => "a method",
            ContractPlace::Function => "a function",
            ContractPlace::Constructor => "a constructor",
            ContractPlace::Class => "a class",
            ContractPlace::Loop => "a loop",
            ContractPlace::ParBlock => "a par block",
            ContractPlace::Barrier => "a barrier",
            ContractPlace::Frame => "a frame",
            ContractPlace::Process => "a process",
        }
    }
}

impl<'tree> Checker<'tree> {
    pub(super) fn block(&mut self, block: &'tree Block) {
        self.scoped(|checker| {
            for statement in &block.statements {
                checker.statement(statement);
            }
        });
    }

    pub(super) fn body(&mut self, statement: &'tree Statement) {
        self.scoped(|checker| checker.statement(statement));
    }

    pub(super) fn ghost_statement(&mut self, statement: &'tree Statement) {
        self.within(|context| context.ghost = true, |checker| checker.statement(statement));
    }

    /// An assertion: a resource in which nothing changes.
    pub(super) fn assertion(&mut self, expression: &'tree Expression) {
        self.specification(|checker| checker.check(expression, &Type::Resource));
    }

    fn fact(&mut self, expression: &'tree Expression) {
        self.specification(|checker| checker.check(expression, &Type::Boolean));
    }

    pub(super) fn specification<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.within(
            |context| {
                context.pure = true;
                context.ghost = true;
            },
            part,
        )
    }

    /// Reports clauses that have no meaning in front of something.
    pub(super) fn clauses(&mut self, contract: &'tree Contract, place: ContractPlace) {
        contract_expressions(contract, |expression| self.forbid_held_amounts(expression));
        let mut measured = false;
        for clause in &contract.clauses {
            if matches!(clause.kind, ClauseKind::Decreases(_)) {
                if measured {
                    self.error(
                        codes::CLAUSE,
                        clause.span,
                        "there is a second `decreases` in this contract",
                        "write one lexicographic measure: `decreases a, b;`",
                    );
                }
                measured = true;
            }
            if place.allows(&clause.kind) {
                continue;
            }
            let keyword = clause.kind.keyword();
            let help = match &clause.kind {
                ClauseKind::LoopInvariant(_) => "write it directly in front of the loop",
                ClauseKind::LockInvariant(_) => "write it in front of the class whose lock protects it",
                ClauseKind::Signals { .. } => "there are no exceptions in PVL",
                ClauseKind::KernelInvariant(_) => "it belongs to GPU kernels",
                ClauseKind::Modifies(_) | ClauseKind::Accessible(_) => {
                    "it belongs to the actions and processes of a model"
                }
                _ => "remove it, or move it to a contract where it has a meaning",
            };
            self.error(
                codes::CLAUSE,
                clause.span,
                format!("`{keyword}` has no meaning at {}", place.text()),
                help,
            );
        }
    }

    /// The clauses of a loop, in the scope of its variables.
    fn loop_contract(&mut self, contract: &'tree Contract) {
        self.clauses(contract, ContractPlace::Loop);
        if let Some(invariant) = contract.loop_invariants().next()
            && let Some(other) = contract.preconditions().chain(contract.postconditions()).next()
        {
            let error = Diagnostic::error(
                codes::CLAUSE,
                other.span,
                "a loop has either invariants or a contract for each iteration",
            )
            .label(invariant.span, "this is an invariant")
            .help(
                "with `requires` and `ensures` iterations are proved to be independent, without an invariant",
            );
            self.report(error);
        }
        let is_shared = contract.is_iteration_contract();
        contract_expressions(contract, |expression| match is_shared {
            true => self.shared_assertion(expression),
            false => self.assertion(expression),
        });
        self.measure(contract);
    }

    pub(super) fn measure(&mut self, contract: &'tree Contract) {
        if let Some((crate::syntax::tree::Measure::Tuple(measures), _)) = contract.measure() {
            self.specification(|checker| {
                for measure in measures {
                    let ty = checker.infer(measure, None);
                    let ordered = ty.is_number()
                        || matches!(
                            ty,
                            Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Boolean | Type::Resource
                        );
                    let is_call = matches!(&*measure.kind, ExpressionKind::Call(_));
                    if ty == Type::Resource && !is_call || ty == Type::Void {
                        checker.error(
                            codes::TYPE,
                            measure.span,
                            "this is no measure",
                            "use a number, a sequence, a set, or a predicate that is unfolded",
                        );
                    }
                    if !ordered && ty.is_nullable() && !ty.is_unknown() {
                        checker.error(
                            codes::TYPE,
                            measure.span,
                            "references do not decrease",
                            "use a number, a sequence, a set, or a predicate that is unfolded",
                        );
                    }
                }
            });
        }
    }

    pub(super) fn statement(&mut self, statement: &'tree Statement) {
        match &statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::Local { ty, declarators } => self.locals(ty, declarators),
            StatementKind::Assign { target, value } => {
                let ty = self.infer(target, None);
                self.check_assignable(target);
                self.check(value, &ty);
            }
            StatementKind::Increment(target) | StatementKind::Decrement(target) => {
                let ty = self.infer(target, None);
                self.check_assignable(target);
                if !ty.is_number() {
                    self.unexpected(target, &ty, "a number");
                }
            }
            StatementKind::Evaluate(expression) => {
                self.infer(expression, None);
                self.useless(expression);
            }
            StatementKind::Return(value) => self.return_statement(statement.span, value.as_ref()),
            StatementKind::If { condition, then, otherwise } => {
                if let Branch::Condition(condition) = condition {
                    self.check(condition, &Type::Boolean);
                }
                self.body(then);
                if let Some(otherwise) = otherwise {
                    self.body(otherwise);
                }
            }
            StatementKind::While { contract, condition, body } => {
                self.loop_contract(contract);
                self.check(condition, &Type::Boolean);
                self.body(body);
            }
            StatementKind::For { contract, initial, condition, update, body } => {
                self.scoped(|checker| {
                    for statement in initial {
                        checker.statement(statement);
                    }
                    checker.loop_contract(contract);
                    if let Some(condition) = condition {
                        checker.check(condition, &Type::Boolean);
                    }
                    for statement in update {
                        checker.statement(statement);
                    }
                    checker.loop_body(contract, body, statement.span);
                });
            }
            StatementKind::RangedFor { contract, variable, body } => self.scoped(|checker| {
                checker.range_variable(variable);
                checker.loop_contract(contract);
                checker.loop_body(contract, body, statement.span);
            }),
            StatementKind::Goto(name) => self.goto(statement.id, name),
            StatementKind::Label(_) => {}
            StatementKind::Lock(object)
            | StatementKind::Unlock(object)
            | StatementKind::Wait(object)
            | StatementKind::Notify(object)
            | StatementKind::Commit(object) => {
                self.object(object);
            }
            StatementKind::Fork(object) | StatementKind::Join(object) => {
                let ty = self.infer(object, None);
                self.runnable(object, &ty);
            }
            StatementKind::Par(region) => self.region(region),
            StatementKind::Barrier { block, invariants, contract, proof } => {
                self.barrier(statement, block, invariants);
                self.clauses(contract, ContractPlace::Barrier);
                contract_expressions(contract, |expression| self.shared_assertion(expression));
                if let Some(proof) = proof {
                    self.within(|context| context.ghost = true, |checker| checker.block(proof));
                }
            }
            StatementKind::Invariant { name, resource, body } => {
                self.shared_assertion(resource);
                self.forbid_held_amounts(resource);
                self.around.invariants.push((name.text.clone(), statement.id));
                self.block(body);
                self.around.invariants.pop();
            }
            StatementKind::Atomic { invariants, body } => {
                let opened = self.opened_invariants(invariants);
                let before = self.around.open.len();
                self.around.open.extend(&opened);
                self.resolution.opened.insert(statement.id, opened);
                self.body(body);
                self.around.open.truncate(before);
            }
            StatementKind::Vector { variable, body } => {
                let wall = Wall { span: statement.span, kind: WallKind::ParBlock };
                self.check_range(variable);
                self.walled(wall, |checker| {
                    checker.declare(&variable.name, variable.id, true);
                    checker.block(body);
                });
            }
            StatementKind::Send { distance, resource, .. } => {
                self.fixed_distance(distance);
                self.shared_assertion(resource);
                self.forbid_held_amounts(resource);
            }
            StatementKind::Receive { label, repeated } => {
                self.receive(statement.id, label, repeated.as_ref())
            }
            StatementKind::Fold(target) | StatementKind::Unfold(target) => {
                self.specification(|checker| checker.fold_target(target));
            }
            StatementKind::Assume(fact) => self.fact_or_resource(fact),
            StatementKind::Assert(assertion) => {
                self.within(
                    |context| context.effects_before = !context.pure,
                    |checker| checker.assertion(assertion),
                );
            }
            StatementKind::Prove { claim, proof } => {
                self.proved_fact(claim);
                let wall = Wall { span: statement.span, kind: WallKind::Proof };
                self.walled(wall, |checker| {
                    if let Some((bindings, ..)) = claim.as_universal() {
                        bindings.iter().for_each(|it| checker.declare(&it.name, it.id, true));
                    }
                    checker.statement(proof);
                });
            }
            StatementKind::Obtain { claim } => {
                self.proved_fact(claim);
                if let ExpressionKind::Quantifier { bindings, .. } = &*claim.kind {
                    bindings.iter().for_each(|it| self.declare(&it.name, it.id, true));
                }
            }
            StatementKind::Reveal { names, hides } => self.revealing(statement.id, names, *hides),
            StatementKind::Calc { steps, result } => {
                let wall = Wall { span: statement.span, kind: WallKind::Proof };
                for step in steps {
                    self.proved_fact(&step.claim);
                    self.walled(wall, |checker| {
                        step.proof.iter().for_each(|proof| checker.statement(proof));
                    });
                }
                self.proved_fact(result);
            }
            StatementKind::Inhale(assertion)
            | StatementKind::Exhale(assertion)
            | StatementKind::Question(assertion)
            | StatementKind::Refute(assertion) => self.assertion(assertion),
            StatementKind::Package { wand, proof } => {
                self.wand(wand);
                self.ghost_statement(proof);
            }
            StatementKind::Apply(wand) => self.wand(wand),
            StatementKind::Extract(body) => self.body(body),
            StatementKind::Frame { contract, body } => {
                self.clauses(contract, ContractPlace::Frame);
                contract_expressions(contract, |expression| self.assertion(expression));
                self.body(body);
            }
            // The scope of a ghost declaration is that of the statements around it.
            StatementKind::Ghost(inner) => self.ghost_statement(inner),
            StatementKind::Action { model, amount, process, action, body } => {
                let ty = self.infer(model, None);
                if !matches!(ty, Type::Model(_)) {
                    self.unexpected(model, &ty, "a model");
                }
                self.specification(|checker| {
                    checker.check(amount, &Type::Rational);
                    checker.check(process, &Type::Process);
                    checker.check(action, &Type::Process);
                });
                if let Some(body) = body {
                    self.body(body);
                }
            }
        }
    }

    fn locals(&mut self, ty: &'tree WrittenType, declarators: &'tree [Declarator]) {
        let ty = self.written_value(ty);
        for declarator in declarators {
            if let Some(value) = &declarator.value {
                self.check(value, &ty);
            }
            self.set_variable(declarator.id, ty.clone());
            self.declare_local(&declarator.name, declarator.id);
        }
    }

    /// What is done in one iteration; with a contract for each of them they may run at the same time.
    fn loop_body(&mut self, contract: &Contract, body: &'tree Statement, span: Span) {
        if contract.is_iteration_contract() {
            let wall = Wall { span, kind: WallKind::IterationContract };
            self.walled(wall, |checker| checker.body(body));
        } else {
            self.body(body);
        }
    }

    fn fact_or_resource(&mut self, expression: &'tree Expression) {
        let message = "`assume` takes facts, and this holds permissions";
        self.fact_not_resource(expression, codes::TYPE, message, "permissions are taken with `inhale`");
    }

    /// What a proof of its own, or a witness, is given for.
    fn proved_fact(&mut self, expression: &'tree Expression) {
        let message = "a proof of its own shows facts, and this holds permissions";
        let help = "show what follows about values, and `assert` the permissions by themselves";
        self.fact_not_resource(expression, codes::PROOF_OF_RESOURCE, message, help);
    }

    fn fact_not_resource(
        &mut self,
        expression: &'tree Expression,
        code: &'static str,
        message: &'static str,
        help: &'static str,
    ) {
        let before = self.diagnostics.len();
        self.fact(expression);
        // Better than the general sentence about booleans.
        let is_resource = self.resolution.expressions.get(&expression.id) == Some(&Type::Resource);
        if is_resource && self.diagnostics.len() > before {
            self.diagnostics.truncate(before);
            self.error(code, expression.span, message, help);
        }
    }

    fn wand(&mut self, wand: &'tree Expression) {
        self.assertion(wand);
        let is_wand =
            matches!(&*wand.kind, ExpressionKind::Binary(crate::syntax::tree::BinaryOperator::Wand, ..));
        if !is_wand {
            self.error(codes::TYPE, wand.span, "this is not a magic wand", "a wand is written `A -* B`");
        }
    }

    /// An expression as a statement that neither calls nor checks anything.
    fn useless(&mut self, expression: &Expression) {
        let what = match &*expression.kind {
            ExpressionKind::Binary(crate::syntax::tree::BinaryOperator::Equal, ..) => {
                "to assign, write `=`; to check, write `assert`"
            }
            ExpressionKind::Name(_) | ExpressionKind::Int(_) | ExpressionKind::Bool(_) => {
                "remove it, or write what should be done with it"
            }
            _ => return,
        };
        self.report(
            Diagnostic::warning(codes::SUSPICIOUS, expression.span, "this statement does nothing").help(what),
        );
    }

    fn return_statement(&mut self, span: Span, value: Option<&'tree Expression>) {
        let Some(result) = self.context.result.clone() else {
            if let Some(value) = value {
                self.infer(value, None);
                self.error(
                    codes::TYPE,
                    value.span,
                    "nothing can be returned here",
                    "only methods with a type other than `void` return a value",
                );
            }
            return;
        };
        match (value, result) {
            (None, Type::Void | Type::Unknown) => {}
            (None, ty) => {
                let message = format!("a value of type `{}` must be returned", self.show(&ty));
                self.error(codes::TYPE, span, message, "write `return e;`");
            }
            (Some(value), Type::Void) => {
                let ty = self.infer(value, None);
                if ty != Type::Void {
                    self.error(
                        codes::TYPE,
                        value.span,
                        "a value is returned from a method of type `void`",
                        "remove the value, or give the method a type",
                    );
                }
            }
            (Some(value), ty) => self.check(value, &ty),
        }
    }

    fn goto(&mut self, statement: NodeId, name: &Name) {
        match self.around.labels.get(&name.text) {
            Some(label) => {
                self.resolution.labels.insert(statement, *label);
            }
            None => self.error(
                codes::NO_SUCH_NAME,
                name.span,
                format!("there is no label `{}`", name.text),
                "name a place with `label name;` in the same method",
            ),
        }
    }

    pub(super) fn check_range(&mut self, variable: &'tree RangeVariable) {
        let ty = self.written_value(&variable.ty);
        if !ty.same(&Type::Int) {
            self.error(
                codes::TYPE,
                variable.ty.span,
                "only integers have a range",
                "give the variable the type `int`",
            );
        }
        self.check(&variable.low, &Type::Int);
        self.check(&variable.high, &Type::Int);
        self.set_variable(variable.id, Type::Int);
    }

    fn range_variable(&mut self, variable: &'tree RangeVariable) {
        self.check_range(variable);
        self.declare(&variable.name, variable.id, true);
    }

    /// Collects labels and sends of a routine.
    pub(super) fn collect_labels(&mut self, block: &'tree Block) {
        let mut work: Vec<&'tree Statement> = block.statements.iter().rev().collect();
        while let Some(statement) = work.pop() {
            match &statement.kind {
                StatementKind::Label(name)
                    if self.around.labels.insert(name.text.clone(), statement.id).is_some() =>
                {
                    self.error(
                        codes::DUPLICATE_NAME,
                        name.span,
                        format!("there is a second label `{}` in this method", name.text),
                        "give one of them another name",
                    );
                }
                StatementKind::Send { label, .. }
                    if self.around.sends.insert(label.text.clone(), statement.id).is_some() =>
                {
                    self.error(
                        codes::DUPLICATE_NAME,
                        label.span,
                        format!("there is a second `send` with the name `{}` in this method", label.text),
                        "give one of them another name",
                    );
                }
                _ => {}
            }
            let before = work.len();
            statement.kind.for_each_child(&mut |child| work.push(child));
            work[before..].reverse();
        }
    }
}

/// Calls `f` on the assertions of a contract, but not on measures.
pub(super) fn contract_expressions<'tree>(contract: &'tree Contract, f: impl FnMut(&'tree Expression)) {
    contract.clauses.iter().filter_map(|clause| clause.kind.assertion()).for_each(f);
}
