//! Formulas: the temporal operators on top, expressions of the model below.

use source::Diagnostic;

use super::Resolver;
use super::program::{
    Formula, MtypeId, ProcessId, Program, Temporal, TemporalBinary, TemporalKind, TemporalUnary, VarId,
};
use crate::syntax::tree::{self, BinaryOp, ExprKind, UnaryOp};

impl Resolver {
    pub(super) fn formulas(&mut self, module: &tree::Module) {
        for ltl in &module.formulas {
            if self.formulas.iter().any(|formula| *formula.name == *ltl.name.text) {
                self.error(
                    "name.redeclared",
                    ltl.name.span,
                    format!("two formulas are called `{}`", ltl.name.text),
                    "rename one",
                );
            }
            let formula = self.temporal(&ltl.formula);
            self.formulas.push(Formula { name: ltl.name.text.to_string(), span: ltl.formula.span, formula });
        }
    }

    fn temporal(&mut self, expr: &tree::Expr) -> Temporal {
        let kind = match &expr.kind {
            ExprKind::TemporalUnary(operator, inner) => {
                TemporalKind::Unary(*operator, Box::new(self.temporal(inner)))
            }
            ExprKind::TemporalBinary(operator, left, right) => self.temporal_pair(*operator, left, right),
            ExprKind::Unary(UnaryOp::Not, inner) => {
                TemporalKind::Unary(TemporalUnary::Not, Box::new(self.temporal(inner)))
            }
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.temporal_pair(TemporalBinary::And, left, right)
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                self.temporal_pair(TemporalBinary::Or, left, right)
            }
            ExprKind::Number(value) => TemporalKind::Constant(*value != 0),
            _ => TemporalKind::Atom(self.expr(expr)),
        };
        Temporal { span: expr.span, kind }
    }

    fn temporal_pair(
        &mut self,
        operator: TemporalBinary,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> TemporalKind {
        let left = Box::new(self.temporal(left));
        TemporalKind::Binary(operator, left, Box::new(self.temporal(right)))
    }
}

/// Resolves a formula given beside a model against the model's names.
pub fn resolve_formula(formula: &tree::Expr, program: &Program) -> (Option<Temporal>, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        variables: program.variables.clone(),
        structures: program.structures.clone(),
        mtypes: program.mtypes.clone(),
        processes: program.processes.clone(),
        ..Resolver::default()
    };
    for id in &program.globals {
        resolver.globals.insert(program.variable(*id).name.as_str().into(), VarId(id.0));
    }
    for (list, mtype) in program.mtypes.iter().enumerate() {
        for (place, name) in mtype.names.iter().enumerate() {
            resolver.constants.insert(name.as_str().into(), (MtypeId(list as u32), place as i32 + 1));
        }
    }
    for (index, process) in program.processes.iter().enumerate() {
        resolver.process_names.insert(process.name.as_str().into(), ProcessId(index as u32));
    }
    let span = formula.span;
    let tree = resolver.temporal(formula);
    resolver.formulas.push(Formula { name: String::new(), span, formula: tree });
    // The bodies are done; only the new formula has tickets.
    for process in &mut resolver.processes {
        process.body = Vec::new();
        process.provided = None;
    }
    resolver.redeem_remotes();
    let failed = resolver.messages.0.has_errors();
    let tree = resolver.formulas.pop().map(|formula| formula.formula);
    (tree.filter(|_| !failed), resolver.messages.0.into_list())
}

impl Temporal {
    /// Whether no temporal operator stands in it.
    pub fn is_propositional(&self) -> bool {
        match &self.kind {
            TemporalKind::Constant(_) | TemporalKind::Atom(_) => true,
            TemporalKind::Unary(operator, inner) => {
                *operator == TemporalUnary::Not && inner.is_propositional()
            }
            TemporalKind::Binary(operator, left, right) => {
                let boolean = matches!(
                    operator,
                    TemporalBinary::And
                        | TemporalBinary::Or
                        | TemporalBinary::Implies
                        | TemporalBinary::Equivalent
                );
                boolean && left.is_propositional() && right.is_propositional()
            }
        }
    }
}
