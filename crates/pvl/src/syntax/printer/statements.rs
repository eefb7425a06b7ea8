//! Statements, blocks and contracts.

use super::super::tree::{
    Block, Branch, CalcStep, Clause, ClauseKind, Contract, Expression, ExpressionKind, Measure, Name,
    ParRegion, ParRegionKind, RangeVariable, Statement, StatementKind,
};
use super::Printer;

impl Printer {
    /// Every clause on a line of its own.
    pub(super) fn contract(&mut self, contract: &Contract) {
        for clause in &contract.clauses {
            self.line();
            self.clause(clause);
            self.end_line();
        }
    }

    fn clause(&mut self, clause: &Clause) {
        self.push(clause.kind.keyword());
        match &clause.kind {
            ClauseKind::Requires(e)
            | ClauseKind::Ensures(e)
            | ClauseKind::Context(e)
            | ClauseKind::ContextEverywhere(e)
            | ClauseKind::LoopInvariant(e)
            | ClauseKind::LockInvariant(e)
            | ClauseKind::KernelInvariant(e) => {
                self.text.push(' ');
                self.expression(e);
            }
            ClauseKind::Given(parameter) | ClauseKind::Yields(parameter) => {
                self.text.push(' ');
                self.parameter(parameter);
            }
            ClauseKind::Signals { ty, name, condition } => {
                self.push(" (");
                self.ty(ty);
                self.text.push(' ');
                self.name(name);
                self.push(") ");
                self.expression(condition);
            }
            ClauseKind::Decreases(Measure::Assume) => self.push(" assume"),
            ClauseKind::Decreases(Measure::Tuple(measures)) => {
                if !measures.is_empty() {
                    self.text.push(' ');
                }
                self.separated(measures, Printer::expression);
            }
            ClauseKind::Modifies(names) | ClauseKind::Accessible(names) => {
                self.text.push(' ');
                self.names(names);
            }
        }
        self.text.push(';');
    }

    /// A block whose brace ends the current line.
    pub(super) fn block(&mut self, block: &Block) {
        self.push("{\n");
        self.indent += 1;
        for statement in &block.statements {
            self.statement(statement);
        }
        self.indent -= 1;
        self.line();
        self.text.push('}');
    }

    /// A statement inside of an expression.
    pub(super) fn inline_statement(&mut self, statement: &Statement) {
        self.statement_text(statement);
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::While { contract, .. }
            | StatementKind::For { contract, .. }
            | StatementKind::RangedFor { contract, .. } => self.contract(contract),
            _ => {}
        }
        self.line();
        self.statement_text(statement);
        self.end_line();
    }

    /// The body of a loop or branch, behind its header on the same line.
    fn body(&mut self, statement: &Statement) {
        let has_contract = match &statement.kind {
            StatementKind::While { contract, .. }
            | StatementKind::For { contract, .. }
            | StatementKind::RangedFor { contract, .. } => !contract.is_empty(),
            _ => false,
        };
        if has_contract {
            self.end_line();
            self.indent += 1;
            self.statement(statement);
            self.indent -= 1;
            self.line();
        } else {
            self.text.push(' ');
            self.statement_text(statement);
        }
    }

    /// The block of a proof, which is ghost code without the word.
    fn proof(&mut self, proof: &Statement) {
        match &proof.kind {
            StatementKind::Ghost(block) => self.body(block),
            _ => self.body(proof),
        }
    }

    fn calculation(&mut self, steps: &[CalcStep]) {
        self.push("calc {\n");
        self.indent += 1;
        for (index, step) in steps.iter().enumerate() {
            let ExpressionKind::Binary(relation, left, right) = &*step.claim.kind else { continue };
            if index == 0 {
                self.line();
                self.expression(left);
                self.push(";\n");
            }
            self.line();
            self.push(relation.text());
            if let Some(proof) = &step.proof {
                self.proof(proof);
            }
            self.text.push(' ');
            self.expression(right);
            self.push(";\n");
        }
        self.indent -= 1;
        self.line();
        self.text.push('}');
    }

    fn with_operand(&mut self, keyword: &str, operand: &Expression) {
        self.push(keyword);
        self.text.push(' ');
        self.expression(operand);
        self.text.push(';');
    }

    /// Without indentation, and without the contract in front of a loop.
    fn statement_text(&mut self, statement: &Statement) {
        use StatementKind as Kind;
        match &statement.kind {
            Kind::Block(block) => self.block(block),
            Kind::Local { .. }
            | Kind::Assign { .. }
            | Kind::Increment(_)
            | Kind::Decrement(_)
            | Kind::Evaluate(_) => {
                self.simple(statement);
                self.text.push(';');
            }
            Kind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.text.push(' ');
                    self.expression(value);
                }
                self.text.push(';');
            }
            Kind::If { condition, then, otherwise } => self.branches(condition, then, otherwise.as_deref()),
            Kind::While { condition, body, .. } => {
                self.push("while (");
                self.expression(condition);
                self.text.push(')');
                self.body(body);
            }
            Kind::For { initial, condition, update, body, .. } => {
                self.for_loop(initial, condition.as_ref(), update, body)
            }
            Kind::RangedFor { variable, body, .. } => {
                self.push("for (");
                self.range_variable(variable);
                self.text.push(')');
                self.body(body);
            }
            Kind::Goto(name) => {
                self.push("goto ");
                self.name(name);
                self.text.push(';');
            }
            Kind::Label(name) => {
                self.push("label ");
                self.name(name);
                self.text.push(';');
            }
            Kind::Lock(e) => self.with_operand("lock", e),
            Kind::Unlock(e) => self.with_operand("unlock", e),
            Kind::Wait(e) => self.with_operand("wait", e),
            Kind::Notify(e) => self.with_operand("notify", e),
            Kind::Commit(e) => self.with_operand("commit", e),
            Kind::Fork(e) => self.with_operand("fork", e),
            Kind::Join(e) => self.with_operand("join", e),
            Kind::Par(region) => self.region(region),
            Kind::Barrier { block, invariants, contract, proof } => {
                self.barrier(block, invariants, contract, proof.as_ref())
            }
            Kind::Invariant { name, resource, body } => {
                self.push("invariant ");
                self.name(name);
                self.text.push('(');
                self.expression(resource);
                self.push(") ");
                self.block(body);
            }
            Kind::Atomic { invariants, body } => {
                self.push("atomic(");
                self.names(invariants);
                self.text.push(')');
                self.body(body);
            }
            Kind::Vector { variable, body } => {
                self.push("vec (");
                self.range_variable(variable);
                self.push(") ");
                self.block(body);
            }
            Kind::Send { label, distance, resource } => {
                self.push("send ");
                self.name(label);
                self.push(", ");
                self.expression(distance);
                self.push(": ");
                self.expression(resource);
                self.text.push(';');
            }
            Kind::Receive { label, .. } => {
                self.push("recv ");
                self.name(label);
                self.text.push(';');
            }
            Kind::Fold(e) => self.with_operand("fold", e),
            Kind::Unfold(e) => self.with_operand("unfold", e),
            Kind::Assert(e) => self.with_operand("assert", e),
            Kind::Assume(e) => self.with_operand("assume", e),
            Kind::Inhale(e) => self.with_operand("inhale", e),
            Kind::Exhale(e) => self.with_operand("exhale", e),
            Kind::Refute(e) => self.with_operand("refute", e),
            Kind::Question(e) => self.with_operand("assume?", e),
            Kind::Prove { claim, proof } => {
                self.push("assert ");
                self.expression(claim);
                self.push(" by");
                self.proof(proof);
            }
            Kind::Obtain { claim } => {
                self.push("obtain ");
                if let ExpressionKind::Quantifier { bindings, body, .. } = &*claim.kind {
                    self.bindings(bindings);
                    self.push(" with ");
                    self.expression(body);
                }
                self.text.push(';');
            }
            Kind::Reveal { names, hides } => {
                self.push(if *hides { "hide " } else { "reveal " });
                self.names(names);
                self.text.push(';');
            }
            Kind::Calc { steps, .. } => self.calculation(steps),
            Kind::Package { wand, proof } => {
                self.push("package ");
                self.expression(wand);
                self.body(proof);
            }
            Kind::Apply(e) => self.with_operand("apply", e),
            Kind::Extract(body) => {
                self.push("extract");
                self.body(body);
            }
            Kind::Frame { contract, body } => {
                self.push("frame");
                self.indented_contract(contract);
                self.statement_text(body);
            }
            Kind::Ghost(inner) => {
                self.push("ghost");
                self.body(inner);
            }
            Kind::Action { model, amount, process, action, body } => {
                self.push("action(");
                self.separated(&[model, amount, process, action], |printer, e| printer.expression(e));
                self.text.push(')');
                match body {
                    Some(body) => self.body(body),
                    None => self.text.push(';'),
                }
            }
        }
    }

    fn branches(&mut self, condition: &Branch, then: &Statement, otherwise: Option<&Statement>) {
        self.push("if (");
        match condition {
            Branch::Condition(condition) => self.expression(condition),
            Branch::Arbitrary(_) => self.text.push('*'),
        }
        self.text.push(')');
        self.body(then);
        if let Some(otherwise) = otherwise {
            self.push(" else");
            self.body(otherwise);
        }
    }

    fn for_loop(
        &mut self,
        initial: &[Statement],
        condition: Option<&Expression>,
        update: &[Statement],
        body: &Statement,
    ) {
        self.push("for (");
        self.separated(initial, Printer::simple);
        self.push("; ");
        if let Some(condition) = condition {
            self.expression(condition);
        }
        self.push("; ");
        self.separated(update, Printer::simple);
        self.text.push(')');
        self.body(body);
    }

    fn barrier(&mut self, block: &Name, invariants: &[Name], contract: &Contract, proof: Option<&Block>) {
        self.push("barrier(");
        self.name(block);
        if !invariants.is_empty() {
            self.push("; ");
            self.names(invariants);
        }
        self.text.push(')');
        match proof {
            Some(proof) => {
                self.indented_contract(contract);
                self.block(proof);
            }
            None => {
                self.push(" {");
                self.indented_contract(contract);
                self.text.push('}');
            }
        }
    }

    /// A contract behind a header; ends at the start of a line.
    fn indented_contract(&mut self, contract: &Contract) {
        if contract.is_empty() {
            self.text.push(' ');
            return;
        }
        self.end_line();
        self.indent += 1;
        self.contract(contract);
        self.indent -= 1;
        self.line();
    }

    /// Declarations, assignments and the like without the semicolon.
    fn simple(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Local { ty, declarators } => {
                self.ty(ty);
                self.text.push(' ');
                self.separated(declarators, |printer, declarator| {
                    printer.name(&declarator.name);
                    if let Some(value) = &declarator.value {
                        printer.push(" = ");
                        printer.expression(value);
                    }
                });
            }
            StatementKind::Assign { target, value } => {
                self.leading(target);
                self.push(" = ");
                self.expression(value);
            }
            StatementKind::Increment(target) => {
                self.expression(target);
                self.push("++");
            }
            StatementKind::Decrement(target) => {
                self.expression(target);
                self.push("--");
            }
            StatementKind::Evaluate(expression) => self.leading(expression),
            _ => {}
        }
    }

    /// An expression that opens a statement: a brace there would open a block.
    fn leading(&mut self, expression: &Expression) {
        let start = self.text.len();
        self.expression(expression);
        if self.text[start..].starts_with('{') {
            self.text.insert(start, '(');
            self.text.push(')');
        }
    }

    fn range_variable(&mut self, variable: &RangeVariable) {
        self.ty(&variable.ty);
        self.text.push(' ');
        self.name(&variable.name);
        self.push(" = ");
        self.expression(&variable.low);
        self.push(" .. ");
        self.expression(&variable.high);
    }

    fn region(&mut self, region: &ParRegion) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                let is_parallel = matches!(region.kind, ParRegionKind::Parallel(_));
                self.push(if is_parallel { "parallel {\n" } else { "sequential {\n" });
                self.indent += 1;
                for region in regions {
                    self.line();
                    self.region(region);
                    self.end_line();
                }
                self.indent -= 1;
                self.line();
                self.text.push('}');
            }
            ParRegionKind::Block(block) => {
                self.push("par");
                if let Some(name) = &block.name {
                    self.text.push(' ');
                    self.name(name);
                }
                // A body that is no block may open with a parenthesis.
                if !block.variables.is_empty() || !matches!(block.body.kind, StatementKind::Block(_)) {
                    self.push(" (");
                    self.separated(&block.variables, Printer::range_variable);
                    self.text.push(')');
                }
                self.indented_contract(&block.contract);
                self.statement_text(&block.body);
            }
        }
    }
}
