//! Statement merging and the resetting of dead variables: what SPIN does by default, to the same effect.
//!
//! A chain of statements that only the executing process can see or influence, and that cannot block, is
//! executed as one step; a blocking statement of the same kind may begin such a chain. A local variable
//! that is certainly written before it is read again is set to 0, so that states which differ only in it
//! are one. Both keep every property that cannot count steps; the caller leaves them out otherwise.

use std::collections::BTreeSet;

use super::elements::{ElementId, Elements, EndlessJump, Kind};
use super::uses::{Sharing, Uses, uses};
use crate::resolve::program::{AssignForm, Expr, ExprKind, Program, Stmt, StmtKind, Target, VarId};

/// How the steps of one process are combined.
pub(super) struct Merges {
    /// The elements executed after the one a step begins with.
    chains: Vec<Vec<ElementId>>,
    /// Where a step with a chain leads.
    targets: Vec<Option<ElementId>>,
    /// Variables whose value is not read after the element.
    dead: Vec<BTreeSet<VarId>>,
    written: Vec<BTreeSet<VarId>>,
}

impl Merges {
    /// Every statement is a step of its own, and every variable keeps its value.
    pub(super) fn none(elements: &Elements<'_>) -> Merges {
        let count = elements.all.len();
        Merges {
            chains: vec![Vec::new(); count],
            targets: vec![None; count],
            dead: vec![BTreeSet::new(); count],
            written: vec![BTreeSet::new(); count],
        }
    }

    /// Keeps the chains, the resets, or both.
    pub(super) fn only(mut self, chains: bool, resets: bool) -> Merges {
        if !chains {
            self.chains.iter_mut().for_each(Vec::clear);
            self.targets.fill(None);
        }
        if !resets {
            self.dead.iter_mut().for_each(BTreeSet::clear);
        }
        self
    }

    pub(super) fn chain(&self, element: ElementId) -> Vec<ElementId> {
        self.chains[element].clone()
    }

    pub(super) fn target(&self, element: ElementId) -> Option<ElementId> {
        self.targets[element]
    }

    /// Variables to reset after a step: dead after one of its elements and not written by a later one.
    pub(super) fn resets(&self, element: ElementId, chain: &[ElementId]) -> Vec<VarId> {
        let mut resets = BTreeSet::new();
        for part in std::iter::once(&element).chain(chain) {
            for written in &self.written[*part] {
                resets.remove(written);
            }
            resets.extend(self.dead[*part].iter().copied());
        }
        resets.into_iter().collect()
    }
}

/// One way control can go on from an element; `step` is the element executed, none for an escape.
struct Flow {
    to: Option<ElementId>,
    step: Option<ElementId>,
}

/// What the whole program has that decides what can be one step.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) has_handshakes: bool,
    pub(super) has_priorities: bool,
}

/// Whether processes have priorities, as far as this one says so.
pub(super) fn uses_priorities(elements: &Elements<'_>) -> bool {
    let sets = |statement: &Stmt| {
        let mut found = matches!(
            statement.kind,
            StmtKind::SetPriority { .. } | StmtKind::Assign { target: Target::Priority, .. }
        );
        let mut look = |part: &Expr| {
            found |= matches!(part.kind, ExprKind::Run { priority: Some(_), .. });
        };
        super::uses::each_expr(statement, &mut |expr| super::uses::each_part(expr, &mut look));
        found
    };
    elements.process().has_priority
        || elements.all.iter().any(|element| match element.kind {
            Kind::Simple(statement) => sets(statement),
            _ => false,
        })
}

struct Analysis<'a, 'p> {
    elements: &'a Elements<'p>,
    sharing: &'a Sharing<'p>,
    setting: Setting,
    flows: Vec<Vec<Flow>>,
    uses: Vec<Uses>,
}

pub(super) fn analyse<'p>(
    program: &'p Program,
    elements: &Elements<'p>,
    sharing: &Sharing<'p>,
    setting: Setting,
) -> Result<Merges, EndlessJump> {
    let uses = elements
        .all
        .iter()
        .map(|element| match element.kind {
            Kind::Simple(statement) => uses(program, statement),
            _ => Uses::default(),
        })
        .collect();
    let mut analysis = Analysis { elements, sharing, setting, flows: Vec::new(), uses };
    analysis.build_flows()?;
    let mut merges = Merges::none(elements);
    analysis.find_dead(&mut merges);
    analysis.find_chains(&mut merges)?;
    Ok(merges)
}

impl Analysis<'_, '_> {
    fn build_flows(&mut self) -> Result<(), EndlessJump> {
        let elements = self.elements;
        for (id, element) in elements.all.iter().enumerate() {
            let mut flows = Vec::new();
            let first = |sequence: usize| Some(elements.start(elements.sequences[sequence].first));
            match &element.kind {
                Kind::Choice { options, .. } => {
                    flows.extend(options.iter().map(|option| Flow { to: first(*option), step: Some(id) }));
                }
                Kind::Atomic(body) | Kind::Block(body) | Kind::DStep(body) => {
                    flows.push(Flow { to: first(*body), step: Some(id) });
                }
                Kind::Unless { main, .. } => flows.push(Flow { to: first(*main), step: None }),
                kind => {
                    let next = match kind {
                        Kind::Goto(destination) => elements.destination(*destination),
                        _ => element.next,
                    };
                    let to = match next {
                        Some(next) => Some(elements.hunt(next, element.atomic, None)?),
                        None => None,
                    };
                    flows.push(Flow { to, step: Some(id) });
                    if !matches!(kind, Kind::Goto(_) | Kind::Join) {
                        let escapes = element.escapes.iter();
                        flows.extend(escapes.map(|escape| Flow { to: first(*escape), step: None }));
                    }
                }
            }
            self.flows.push(flows);
        }
        Ok(())
    }

    fn statement(&self, element: ElementId) -> Option<&Stmt> {
        match self.elements.all[element].kind {
            Kind::Simple(statement) => Some(statement),
            _ => None,
        }
    }

    /// Does the step only concern the process itself? No other process moves inside of an atomic sequence, unless a process
    /// of higher priority can: it goes first, also there.
    fn is_safe(&self, element: ElementId) -> bool {
        let here = &self.elements.all[element];
        let is_alone = (here.atomic || here.ends_atomic) && !self.setting.has_priorities;
        is_alone || !self.statement(element).is_some_and(|s| self.sharing.is_global(s))
    }

    fn has_one_way(&self, element: ElementId) -> bool {
        let here = &self.elements.all[element];
        self.flows[element].len() == 1 && here.escapes.is_empty() && !here.observed
    }

    /// May the element be executed in the middle of a step?
    fn is_eligible(&self, element: ElementId) -> bool {
        let here = &self.elements.all[element];
        let kind_fits = match &here.kind {
            Kind::Join | Kind::Goto(_) => true,
            Kind::Simple(statement) => matches!(
                statement.kind,
                StmtKind::Assign { .. }
                    | StmtKind::Declare(_)
                    | StmtKind::Assert(_)
                    | StmtKind::Printf { .. }
                    | StmtKind::Printm(_)
            ),
            _ => false,
        };
        kind_fits && here.labels.is_empty() && self.has_one_way(element) && self.is_safe(element)
    }

    /// May the element be the first, possibly blocking, one of a longer step?
    fn can_begin(&self, element: ElementId) -> bool {
        let kind_fits = match &self.elements.all[element].kind {
            Kind::Skip => true,
            Kind::Simple(statement) => match &statement.kind {
                StmtKind::Condition(expr) => !contains_run(expr),
                StmtKind::Receive { .. } => true,
                StmtKind::Send { .. } => !self.setting.has_handshakes,
                _ => false,
            },
            _ => false,
        };
        kind_fits && self.has_one_way(element) && self.is_safe(element)
    }

    fn find_chains(&self, merges: &mut Merges) -> Result<(), EndlessJump> {
        let count = self.elements.all.len();
        // The end of the chain that begins with an eligible element.
        let mut ends: Vec<Option<ElementId>> = vec![None; count];
        let mut single: Vec<Option<ElementId>> = vec![None; count];
        for element in 0..count {
            if ends[element].is_some() || !self.is_eligible(element) {
                continue;
            }
            match self.flows[element][0].to {
                Some(next) if self.is_eligible(next) => self.chain_end(element, &mut ends),
                next => single[element] = next,
            }
        }
        for element in 0..count {
            let target = if self.can_begin(element) {
                self.flows[element][0].to.and_then(|next| ends[next].or(single[next]))
            } else {
                ends[element]
            };
            let Some(target) = target else { continue };
            merges.targets[element] = Some(target);
            merges.chains[element] = self.walk(element, target, &ends, &single)?;
        }
        Ok(())
    }

    /// Follows eligible elements and records for each where the chain ends. A cycle ends where it closes.
    fn chain_end(&self, from: ElementId, ends: &mut [Option<ElementId>]) {
        let mut chain = vec![from];
        let end = loop {
            let last = chain[chain.len() - 1];
            match self.flows[last][0].to {
                Some(next) if self.is_eligible(next) && !chain.contains(&next) => match ends[next] {
                    Some(end) => break Some(end),
                    None => chain.push(next),
                },
                next => break next,
            }
        };
        for element in chain {
            ends[element] = end;
        }
    }

    /// The elements on the way from `from` to `target`.
    fn walk(
        &self,
        from: ElementId,
        target: ElementId,
        ends: &[Option<ElementId>],
        single: &[Option<ElementId>],
    ) -> Result<Vec<ElementId>, EndlessJump> {
        let elements = self.elements;
        let mut chain = Vec::new();
        let mut at = from;
        while chain.len() <= elements.all.len() {
            let next = match &elements.all[at].kind {
                Kind::Goto(destination) => match elements.destination(*destination) {
                    Some(goal) if goal == target => Some(goal),
                    Some(goal) => Some(elements.hunt(goal, elements.all[at].atomic, Some(target))?),
                    None => None,
                },
                _ => elements.all[at].next,
            };
            match next {
                Some(next) if next != target && (ends[next].is_some() || single[next].is_some()) => {
                    chain.push(next);
                    at = next;
                }
                _ => break,
            }
        }
        Ok(chain)
    }

    fn find_dead(&self, merges: &mut Merges) {
        for element in 0..self.elements.all.len() {
            let Some(statement) = self.statement(element) else { continue };
            merges.written[element].clone_from(&self.uses[element].writes);
            if self.elements.all[element].in_step {
                continue;
            }
            let resettable_reads =
                matches!(statement.kind, StmtKind::Condition(_) | StmtKind::Receive { .. });
            let uses = &self.uses[element];
            let reads = uses.reads.iter().filter(|_| resettable_reads);
            let writes = uses.writes.iter().filter(|_| !assigns_zero(statement));
            for variable in reads.chain(writes) {
                if !self.sharing.observed.contains(variable) && self.is_dead_after(element, *variable) {
                    merges.dead[element].insert(*variable);
                }
            }
        }
    }

    /// Is the variable written before it is read, whatever way control takes from here?
    fn is_dead_after(&self, element: ElementId, variable: VarId) -> bool {
        let mut seen = vec![false; self.elements.all.len()];
        let mut pending: Vec<ElementId> = self.flows[element]
            .iter()
            .filter(|flow| flow.step.is_some())
            .filter_map(|flow| flow.to)
            .collect();
        while let Some(at) = pending.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            for flow in &self.flows[at] {
                if let Some(step) = flow.step {
                    if self.uses[step].reads.contains(&variable) {
                        return false;
                    }
                    if self.uses[step].writes.contains(&variable) {
                        continue;
                    }
                }
                pending.extend(flow.to);
            }
        }
        true
    }
}

fn assigns_zero(statement: &Stmt) -> bool {
    matches!(&statement.kind, StmtKind::Assign { value, form: AssignForm::Plain | AssignForm::Declaration, .. }
        if matches!(value.kind, ExprKind::Constant(0)))
}

fn contains_run(expr: &Expr) -> bool {
    let mut found = false;
    super::uses::each_part(expr, &mut |part| found |= matches!(part.kind, ExprKind::Run { .. }));
    found
}
