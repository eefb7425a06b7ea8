//! Which locations have only edges that no other process can influence or notice.

use transition::model::{
    Action, Binary, Edge, Expr, Initialiser, LocationId, Model, Place, ProcessType, ProcessTypeId, Scope,
    Unary,
};
use transition::reduction::{Condition, Construction, ReductionTable, Safety};

use super::Visible;
use super::access::{
    SlotRange, actions, each_expr, each_expr_of_action, each_expr_of_process, each_index, each_write, range,
};
use super::channels::{Notices, channel_use, is_fixed, noticing_locations};
use super::instances::{instance_counts, may_run};

pub(super) fn table(model: &Model, visible: &Visible<'_>, construction: Construction) -> ReductionTable {
    let facts = Facts::new(model, visible);
    let view = |(kind, process)| ProcessView::new(&facts, ProcessTypeId(kind), process);
    let views: Vec<ProcessView<'_, '_>> = (0..).zip(&model.processes).map(view).collect();
    let safety = |view: &ProcessView<'_, '_>| {
        (0..view.process.locations.len()).map(|at| view.location(LocationId(at as u32))).collect()
    };
    ReductionTable {
        construction,
        safety: views.iter().map(safety).collect(),
        channel_use: views
            .iter()
            .map(|view| channel_use(model, view.process, &view.noticing, &|at| view.stops(at)))
            .collect(),
        may_run: may_run(model),
    }
}

/// What is shared between processes or visible to the property.
struct Facts<'m> {
    model: &'m Model,
    /// Global slots that only one process ever uses.
    private: Vec<bool>,
    /// Global slots the property reads.
    visible_slots: Vec<bool>,
    /// Local slots, by type, that the property or another process reads.
    visible_locals: Vec<Vec<bool>>,
    /// Locations, by type, whose visit the property or another process can notice.
    visible_locations: Vec<Vec<bool>>,
    channels_visible: bool,
    counts_processes: bool,
}

impl<'m> Facts<'m> {
    fn new(model: &'m Model, visible: &Visible<'_>) -> Facts<'m> {
        let mut facts = Facts {
            model,
            private: private_slots(model),
            visible_slots: vec![false; model.globals.len()],
            visible_locals: model.processes.iter().map(|p| vec![false; p.locals.len()]).collect(),
            visible_locations: model
                .processes
                .iter()
                .map(|process| {
                    let is_visible = |location: &transition::model::Location| {
                        visible.progress && location.is_progress
                            || visible.acceptance && location.is_accepting
                    };
                    process.locations.iter().map(is_visible).collect()
                })
                .collect(),
            channels_visible: false,
            counts_processes: false,
        };
        for expr in &visible.expressions {
            each_expr(expr, &mut |part| facts.property_reads(part));
        }
        for process in &model.processes {
            each_expr_of_process(process, &mut |part| facts.process_reads(part));
        }
        facts
    }

    fn property_reads(&mut self, part: &Expr) {
        match part {
            Expr::Load(place) if place.scope == Scope::Global => {
                let SlotRange { first, last, .. } = range(place);
                for slot in self.visible_slots.iter_mut().take(last as usize + 1).skip(first as usize) {
                    *slot = true;
                }
            }
            Expr::Length(_)
            | Expr::Empty(_)
            | Expr::NotEmpty(_)
            | Expr::Full(_)
            | Expr::NotFull(_)
            | Expr::Poll { .. } => self.channels_visible = true,
            Expr::NonProgress => {
                for (kind, process) in self.model.processes.iter().enumerate() {
                    for (at, location) in process.locations.iter().enumerate() {
                        self.visible_locations[kind][at] |= location.is_progress;
                    }
                }
            }
            _ => self.process_reads(part),
        }
    }

    /// What one process can see of another.
    fn process_reads(&mut self, part: &Expr) {
        match part {
            Expr::RemoteAt { process, locations, .. } => {
                for location in locations {
                    self.visible_locations[process.0 as usize][location.0 as usize] = true;
                }
            }
            Expr::RemoteLoad { process, place, .. } => {
                let SlotRange { first, last, .. } = range(place);
                let locals = &mut self.visible_locals[process.0 as usize];
                for slot in locals.iter_mut().take(last as usize + 1).skip(first as usize) {
                    *slot = true;
                }
            }
            Expr::ProcessCount | Expr::FirstOfType(_) => self.counts_processes = true,
            _ => {}
        }
    }
}

/// Global slots that a single process uses: one type, of which there is at most one instance.
fn private_slots(model: &Model) -> Vec<bool> {
    let counts = instance_counts(model);
    let mut users: Vec<Option<u32>> = vec![None; model.globals.len()];
    let mut shared = vec![false; model.globals.len()];
    for (kind, process) in model.processes.iter().enumerate() {
        let mut touch = |place: &Place| {
            if place.scope != Scope::Global {
                return;
            }
            let SlotRange { first, last, .. } = range(place);
            for slot in first as usize..=(last as usize).min(users.len().saturating_sub(1)) {
                match users[slot] {
                    Some(user) if user != kind as u32 => shared[slot] = true,
                    _ => users[slot] = Some(kind as u32),
                }
                shared[slot] |= counts[kind] > 1;
            }
        };
        each_expr_of_process(process, &mut |part| {
            if let Expr::Load(place) = part {
                touch(place);
            }
        });
        for action in actions(process) {
            each_write(action, &mut touch);
        }
    }
    shared.into_iter().map(|shared| !shared).collect()
}

/// One process type, as far as its edges are concerned.
struct ProcessView<'f, 'm> {
    facts: &'f Facts<'m>,
    kind: ProcessTypeId,
    process: &'m ProcessType,
    /// By location: what is not possible there is noticed.
    noticing: Vec<Notices>,
}

impl<'f, 'm> ProcessView<'f, 'm> {
    fn new(facts: &'f Facts<'m>, kind: ProcessTypeId, process: &'m ProcessType) -> ProcessView<'f, 'm> {
        ProcessView { facts, kind, process, noticing: noticing_locations(process) }
    }

    fn location(&self, at: LocationId) -> Safety {
        let edges = &self.process.location(at).edges;
        if edges.is_empty() || self.process.provided.is_some() || self.process.deterministic {
            return Safety::Unsafe;
        }
        let mut conditions: Vec<Condition> = Vec::new();
        for edge in edges {
            match self.edge(at, edge) {
                Some(more) => conditions.extend(more),
                None => return Safety::Unsafe,
            }
        }
        // `else` looks at what the other edges can do, and so at the channels they use.
        let has_else = edges.iter().any(|edge| matches!(edge.actions.first(), Some(Action::Else)));
        match conditions.is_empty() {
            true => Safety::Safe,
            false if has_else => Safety::Unsafe,
            false => Safety::When(conditions),
        }
    }

    /// The conditions under which an edge, and what follows it without giving up control, is independent.
    fn edge(&self, from: LocationId, edge: &Edge) -> Option<Vec<Condition>> {
        let mut conditions = self.step(from, edge)?;
        let mut seen = vec![false; self.process.locations.len()];
        let mut pending: Vec<LocationId> = edge.atomic.then_some(edge.target).into_iter().collect();
        while let Some(at) = pending.pop() {
            if std::mem::replace(&mut seen[at.0 as usize], true) {
                continue;
            }
            conditions.extend(self.middle(at)?);
            let edges = &self.process.location(at).edges;
            pending.extend(edges.iter().filter(|edge| edge.atomic).map(|edge| edge.target));
        }
        Some(conditions)
    }

    /// The conditions under which a place in the middle of an atomic sequence does not keep the sequence from being
    /// independent. Where its steps are private there are none. Where they use a channel that is a line, they are
    /// independent themselves: the sequence might as well end before them and another begin.
    fn middle(&self, at: LocationId) -> Option<Vec<Condition>> {
        let mut conditions = Vec::new();
        for edge in &self.process.location(at).edges {
            conditions.extend(self.step(at, edge)?);
        }
        let Some(first) = conditions.first() else { return Some(conditions) };
        let (Condition::SoleReceiver(channel) | Condition::SoleSender(channel)) = first else { return None };
        let usable = conditions.iter().all(|condition| condition == first)
            && self.noticing[at.0 as usize] != Notices::Always
            && is_fixed(self.facts.model, self.process, channel)
            && !self.comes_back_in_control(at);
        usable.then(|| vec![Condition::Line(channel.clone())])
    }

    /// The channels that must be lines so that nobody can tell whether control is lost at a place: the one that is used
    /// there first. None where it can be told in any case.
    fn stops(&self, at: LocationId) -> Option<Vec<Expr>> {
        let mut conditions = self.middle(at)?;
        if conditions.is_empty() {
            return Some(Vec::new());
        }
        for edge in &self.process.location(at).edges {
            conditions.extend(self.edge(at, edge)?);
        }
        let channels = conditions.into_iter().filter_map(|condition| match condition {
            Condition::Line(channel) => Some(channel),
            _ => None,
        });
        Some(channels.collect())
    }

    /// Can a process go round from the location to itself without giving up control?
    fn comes_back_in_control(&self, at: LocationId) -> bool {
        let next = |at: LocationId| {
            let edges = &self.process.location(at).edges;
            edges.iter().filter(|edge| edge.atomic).map(|edge| edge.target)
        };
        let mut seen = vec![false; self.process.locations.len()];
        let mut pending: Vec<LocationId> = next(at).collect();
        while let Some(here) = pending.pop() {
            if !std::mem::replace(&mut seen[here.0 as usize], true) {
                pending.extend(next(here));
            }
        }
        seen[at.0 as usize]
    }

    fn step(&self, from: LocationId, edge: &Edge) -> Option<Vec<Condition>> {
        let visible = &self.facts.visible_locations[self.kind.0 as usize];
        if visible[from.0 as usize] || visible[edge.target.0 as usize] {
            return None;
        }
        let mut conditions = Vec::new();
        for (index, action) in edge.actions.iter().enumerate() {
            let needs = self.action(action)?;
            if index > 0 && !needs.is_empty() {
                return None;
            }
            conditions.extend(needs);
        }
        Some(conditions)
    }

    fn action(&self, action: &Action) -> Option<Vec<Condition>> {
        let mut private = true;
        each_write(action, &mut |place| private &= self.may_write(place));
        if !private {
            return None;
        }
        let free = |ok: bool| ok.then(Vec::new);
        match action {
            Action::Skip | Action::Else | Action::Print { .. } => free(true),
            Action::Condition(expr) => self.guard(expr),
            Action::Assert(expr) => free(self.is_private(expr)),
            Action::Assign(place, expr) => free(self.has_private_indices(place) && self.is_private(expr)),
            Action::Send { channel, arguments, sorted: false }
                if arguments.iter().all(|a| self.is_private(a)) =>
            {
                self.with_channel(channel, Condition::SoleSender)
            }
            Action::Receive { channel, random: false, .. } => {
                let mut private = true;
                each_expr_of_action(action, &mut |part| private &= self.is_private_part(part));
                if private { self.with_channel(channel, Condition::SoleReceiver) } else { None }
            }
            Action::End => {
                let brings_channels =
                    self.process.initialisers.iter().any(|i| matches!(i, Initialiser::Channel(..)));
                let read_elsewhere = self.facts.visible_locals[self.kind.0 as usize].contains(&true);
                let alone = !self.facts.counts_processes && !brings_channels && !read_elsewhere;
                alone.then(|| vec![Condition::NobodyRuns])
            }
            Action::Block(block) => self.block(block.entry, block.exit),
            Action::Send { .. } | Action::Receive { .. } | Action::Run(_) | Action::SetPriority(..) => None,
        }
    }

    fn block(&self, entry: LocationId, exit: LocationId) -> Option<Vec<Condition>> {
        let mut seen = vec![false; self.process.locations.len()];
        let mut pending = vec![entry];
        while let Some(at) = pending.pop() {
            if at == exit || std::mem::replace(&mut seen[at.0 as usize], true) {
                continue;
            }
            for edge in &self.process.location(at).edges {
                for action in &edge.actions {
                    if !self.action(action)?.is_empty() {
                        return None;
                    }
                }
                pending.push(edge.target);
            }
        }
        Some(Vec::new())
    }

    /// A condition made of private parts and of channels that are not empty or not full. While those stay as they are,
    /// so does its value.
    fn guard(&self, expr: &Expr) -> Option<Vec<Condition>> {
        let mut conditions = Some(Vec::new());
        each_expr(expr, &mut |part| {
            let needs = match part {
                Expr::NotEmpty(channel) => self.with_channel(channel, Condition::SoleReceiver),
                Expr::NotFull(channel) => self.with_channel(channel, Condition::SoleSender),
                _ => self.is_private_part(part).then(Vec::new),
            };
            conditions = conditions.take().zip(needs).map(|(before, more)| [before, more].concat());
        });
        conditions
    }

    fn with_channel(&self, channel: &Expr, condition: fn(Expr) -> Condition) -> Option<Vec<Condition>> {
        let usable = !self.facts.channels_visible && self.is_private(channel);
        usable.then(|| vec![condition(channel.clone())])
    }

    fn may_write(&self, place: &Place) -> bool {
        let SlotRange { scope, first, last } = range(place);
        let slots = first as usize..=last as usize;
        match scope {
            Scope::Global => slots
                .clone()
                .all(|slot| self.facts.private.get(slot) == Some(&true) && !self.facts.visible_slots[slot]),
            Scope::Local => {
                let visible = &self.facts.visible_locals[self.kind.0 as usize];
                slots.clone().all(|slot| visible.get(slot) == Some(&false))
            }
        }
    }

    fn has_private_indices(&self, place: &Place) -> bool {
        let mut private = true;
        each_index(place, &mut |part| private &= self.is_private_part(part));
        private
    }

    fn is_private(&self, expr: &Expr) -> bool {
        let mut private = true;
        each_expr(expr, &mut |part| private &= self.is_private_part(part));
        private
    }

    /// Does this part of an expression, taken alone, read only what no other process changes?
    fn is_private_part(&self, part: &Expr) -> bool {
        match part {
            Expr::Load(place) if place.scope == Scope::Global => {
                let SlotRange { first, last, .. } = range(place);
                (first as usize..=last as usize).all(|slot| self.is_constant_or_private(slot))
            }
            Expr::Load(_) | Expr::Constant(_) | Expr::Pid => true,
            Expr::Unary(Unary::Negate | Unary::Not | Unary::Complement, _) | Expr::Conditional(_) => true,
            Expr::Binary(operator, _, right) => match operator {
                // A division that fails ends the run, whatever other processes do: it reads nothing of theirs.
                Binary::Divide | Binary::Remainder => matches!(**right, Expr::Constant(value) if value != 0),
                _ => true,
            },
            _ => false,
        }
    }

    fn is_constant_or_private(&self, slot: usize) -> bool {
        self.facts.private.get(slot) == Some(&true) || !is_written(self.facts.model, slot)
    }
}

/// Does any process ever write the global slot?
fn is_written(model: &Model, slot: usize) -> bool {
    let mut written = false;
    for action in model.processes.iter().flat_map(actions) {
        each_write(action, &mut |place| {
            let SlotRange { scope, first, last } = range(place);
            written |= scope == Scope::Global && (first as usize..=last as usize).contains(&slot);
        });
    }
    written
}
