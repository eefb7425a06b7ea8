//! What is left of a run, matched with a declared process and closed by its contract.

use std::collections::BTreeSet;

use super::run::Progress;
use super::statement::Block;
use super::store::Store;
use super::{Lineariser, Refusal, Statement};
use crate::equality::{Effort, Matching, matches};
use crate::expression::Expression;
use crate::model::ProcessId;
use crate::normal::Normal;
use crate::simplify::{all, and, not, or, truth_of, variable};

/// A declared process that a term is, with these arguments and where these conditions are true.
pub(super) struct Fold {
    process: ProcessId,
    arguments: Vec<Expression>,
    conditions: Vec<Expression>,
}

impl Lineariser<'_> {
    /// The declared process with a contract that needs the fewest conditions to be this term. The process that is proved is
    /// worth doing without where there is another one.
    pub(super) fn find_fold(&mut self, term: Normal) -> Result<Option<Fold>, Refusal> {
        let model = self.model();
        let mut best: Option<Fold> = None;
        let mut matching = BTreeSet::new();
        for (place, declared) in model.processes.iter().enumerate() {
            let process = ProcessId(place as u32);
            if declared.ensures.is_empty() || self.without.contains(&process) {
                continue;
            }
            // Parameters as variables of their own: those of the process that is proved mean its own arguments.
            let mut open = Vec::with_capacity(declared.parameters.len());
            let mut arguments = Vec::with_capacity(declared.parameters.len());
            for parameter in &declared.parameters {
                let fresh = self.algebra.fresh_variable();
                open.push(fresh);
                arguments.push(variable(fresh, parameter.ty.clone(), parameter.span));
            }
            let body = self.algebra.unfold(process, &arguments)?;
            let ways = matches(&mut self.algebra, Matching::new(open), body, term, &mut Effort::new())?;
            for way in ways.into_iter().filter(Matching::is_complete) {
                let Some(conditions) = way.conditions() else { continue };
                let arguments = way.values.apply_all(&arguments);
                matching.insert(process);
                let fold = Fold { process, arguments, conditions };
                if best.as_ref().is_none_or(|best| fold.conditions.len() < best.conditions.len()) {
                    best = Some(fold);
                }
            }
        }
        if let Some(fold) = &best
            && (fold.process != self.process || matching.len() > 1)
        {
            self.dispensable.insert(fold.process);
        }
        Ok(best)
    }

    /// Goes to the end of a term by the contract of a process that it is, where the conditions are true. Where they are
    /// not, or the contract supposes more than is so, nothing is known but which fields stay.
    pub(super) fn close_by_contract(
        &mut self,
        term: Normal,
        fold: &Fold,
        before: &Store,
        block: &mut Block,
    ) -> Result<Store, Refusal> {
        let changed = self.changed_fields(term)?;
        let mut after = before.clone();
        for field in changed {
            after.values[field.0 as usize] = self.any_value(field.0 as usize, block);
        }
        let declared = &self.model().processes[fold.process.0 as usize];
        let requires = before.contract(&declared.requires, before, &declared.parameters, &fold.arguments);
        let ensures = before.contract(&declared.ensures, &after, &declared.parameters, &fold.arguments);
        let span = declared.span;
        let supposed = and(&all(&fold.conditions, span), &all(&requires, span));
        let promised = or(&not(&supposed), &all(&ensures, span));
        if truth_of(&promised) != Some(true) {
            block.push(Statement::Assume(promised));
        }
        if fold.process != self.process {
            self.relies_on.insert(fold.process);
        }
        self.spend(2 + after.values.len())?;
        Ok(after)
    }

    /// A call of a process: its contract, or what it is defined to be.
    pub(super) fn call(
        &mut self,
        (term, process, arguments): (Normal, ProcessId, &[Expression]),
        before: &Store,
        progress: Progress,
        block: &mut Block,
    ) -> Result<Option<Store>, Refusal> {
        if !self.model().processes[process.0 as usize].ensures.is_empty() {
            let fold = Fold { process, arguments: arguments.to_vec(), conditions: Vec::new() };
            return self.close_by_contract(term, &fold, before, block).map(Some);
        }
        if progress.unfoldings >= crate::limits::PROGRAM_UNFOLDINGS {
            return self.beyond(term, block);
        }
        let body = self.algebra.unfold(process, arguments)?;
        let deeper = Progress { unfoldings: progress.unfoldings + 1, ..progress };
        self.run(body, before, deeper, block)
    }
}
