//! The state of the analysis: what every place may depend on, until nothing new is found.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use super::arrays::Arrays;
use super::places::{Location, Place};
use super::summary::{Behaviour, Origin, Summary, Taint};
use crate::resolve::{Resolution, Type};
use crate::syntax::tree::{Block, ClassMemberKind, Contract, NodeId, Parameter, Routine};

/// Something that ghost values come from.
pub(super) struct Source {
    pub(super) span: Span,
    pub(super) text: String,
}

/// Where the walk is.
#[derive(Clone, Default)]
pub(super) struct Here {
    /// Inside of ghost code, as opposed to program code under a condition that is ghost.
    pub(super) ghost: bool,
    /// Inside of a value that nobody evaluates but the proof, such as an assertion; only calls of methods in it happen.
    pub(super) for_proof: bool,
    /// Under a condition that names something that is declared as ghost.
    pub(super) under_ghost_names: bool,
    /// What decides whether this is executed.
    pub(super) control: Taint,
}

impl Here {
    pub(super) fn for_proof(&self) -> Here {
        Here { for_proof: true, ..self.clone() }
    }

    pub(super) fn under(&self, taint: &Taint) -> Here {
        Here { control: self.control.clone().joined(taint), ..*self }
    }
}

pub(super) struct Flow<'a, 'tree> {
    pub(super) resolution: &'a Resolution<'tree>,
    pub(super) arrays: Arrays,
    variables: FxHashMap<NodeId, Taint>,
    heap: Vec<(Location, Taint)>,
    pub(super) summaries: FxHashMap<NodeId, Summary>,
    /// What each routine calls.
    calls: FxHashMap<NodeId, FxHashSet<NodeId>>,
    /// What returns and jumps of a routine depend on: what is behind them does, too.
    jumps: FxHashMap<NodeId, Taint>,
    pub(super) sources: Vec<Source>,
    source_at: FxHashMap<(Span, String), u32>,
    /// How an origin came to a place: where, and from which other place.
    pub(super) trail: FxHashMap<(Place, Origin), (Span, Option<Place>)>,
    /// Names of variables and fields.
    pub(super) names: FxHashMap<NodeId, Arc<str>>,
    ghost_fields: FxHashMap<NodeId, Span>,
    /// Variables that ghost code declares, `given` and `yields`.
    pub(super) ghost_variables: FxHashSet<NodeId>,
    /// Variables that ghost code assigns.
    pub(super) changed_by_ghost: FxHashSet<NodeId>,
    /// Variables that the program assigns behind their declaration.
    pub(super) assigned: FxHashSet<NodeId>,
    changed: bool,
    pub(super) reporting: bool,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) routine: NodeId,
    /// The routine is a lemma or a ghost method.
    pub(super) in_ghost_routine: bool,
    /// The routine is a function: what its value depends on matters only where the program calls it.
    pub(super) in_function: bool,
}

impl<'a, 'tree> Flow<'a, 'tree> {
    pub(super) fn new(resolution: &'a Resolution<'tree>, order: &[NodeId]) -> Flow<'a, 'tree> {
        let mut names = FxHashMap::default();
        let mut ghost_fields = FxHashMap::default();
        for member in resolution.items.members.values().flatten() {
            let ClassMemberKind::Fields(fields) = &member.kind else { continue };
            for (id, name) in &fields.names {
                names.insert(*id, name.text.clone());
                if member.ghost {
                    ghost_fields.insert(*id, name.span);
                }
            }
        }
        let nowhere = NodeId { file: source::FileId(0), index: 0 };
        Flow {
            resolution,
            arrays: Arrays::find(resolution, order),
            variables: FxHashMap::default(),
            heap: Vec::new(),
            summaries: FxHashMap::default(),
            calls: FxHashMap::default(),
            jumps: FxHashMap::default(),
            sources: Vec::new(),
            source_at: FxHashMap::default(),
            trail: FxHashMap::default(),
            names,
            ghost_fields,
            ghost_variables: FxHashSet::default(),
            changed_by_ghost: FxHashSet::default(),
            assigned: FxHashSet::default(),
            changed: false,
            reporting: false,
            findings: Vec::new(),
            routine: nowhere,
            in_ghost_routine: false,
            in_function: false,
        }
    }

    /// Walks through all routines until nothing changes, then once more to say what was found.
    ///
    /// Taints only grow and have finitely many origins, so this ends.
    pub(super) fn run(&mut self, order: &[NodeId]) {
        loop {
            self.changed = false;
            self.walk_all(order);
            if !self.changed {
                break;
            }
        }
        self.reporting = true;
        self.walk_all(order);
    }

    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.findings.sort_by_key(|finding| finding.span().map(|span| (span.file.0, span.start)));
        self.findings
    }

    fn walk_all(&mut self, order: &[NodeId]) {
        let items = &self.resolution.items;
        for id in order {
            self.routine = *id;
            self.in_function = false;
            self.in_ghost_routine = items.is_ghost(*id);
            if let Some(routine) = items.routines.get(id) {
                match routine {
                    Routine::Method(method) => {
                        self.in_function = method.modifiers.pure.is_some();
                        self.body(
                            &method.contract,
                            &method.parameters,
                            method.body.as_ref(),
                            method.name.name.span,
                        );
                    }
                    Routine::Lemma(lemma) => {
                        self.in_ghost_routine = true;
                        self.body(&lemma.contract, &lemma.parameters, lemma.body.as_ref(), lemma.name.span);
                    }
                    Routine::Function(function) => {
                        self.in_function = true;
                        self.parameters(&function.contract, &function.parameters);
                        if let Some(body) = &function.body {
                            let value = self.expression(body, &Here::default());
                            self.add_result(&value, body.span);
                        } else {
                            self.opaque(&function.contract, &function.parameters, function.name.name.span);
                        }
                    }
                    Routine::Predicate(_) => {}
                }
            } else if let Some(constructor) = items.constructors.get(id) {
                let body = constructor.body.as_ref();
                self.body(&constructor.contract, &constructor.parameters, body, constructor.keyword);
            } else if let Some(run) = items.runs.get(id) {
                self.body(&run.contract, &[], run.body.as_ref(), run.keyword);
            }
        }
    }

    fn parameters(&mut self, contract: &Contract, parameters: &[Parameter]) {
        for parameter in parameters {
            self.names.insert(parameter.id, parameter.name.text.clone());
            let origin = Taint::of(Origin::Parameter(parameter.id));
            self.set_variable(parameter.id, &origin, parameter.span);
        }
        for parameter in contract.given() {
            self.names.insert(parameter.id, parameter.name.text.clone());
            self.ghost_variables.insert(parameter.id);
            let source =
                self.source(parameter.span, format!("`{}` is a ghost parameter", parameter.name.text));
            self.set_variable(parameter.id, &source, parameter.span);
        }
        // Without `yields` a ghost result is a variable like any other; what is ghost is that callers get it.
        for parameter in contract.yields() {
            self.names.insert(parameter.id, parameter.name.text.clone());
            self.ghost_variables.insert(parameter.id);
        }
    }

    fn body(&mut self, contract: &Contract, parameters: &[Parameter], body: Option<&Block>, place: Span) {
        self.parameters(contract, parameters);
        let mut here = Here::default();
        if self.in_ghost_routine {
            here.ghost = true;
            here.control = self.source(place, "this exists for the proof only".to_string());
        }
        match body {
            Some(body) => {
                for statement in &body.statements {
                    self.statement(statement, &here);
                }
            }
            None => self.opaque(contract, parameters, place),
        }
    }

    /// The same place in ghost code.
    pub(super) fn inside_ghost_code(&self, here: &Here, source: &Taint) -> Here {
        Here { ghost: true, ..here.under(source) }
    }

    /// A routine without a body: its result depends on everything that it is given, and what it writes on the values
    /// that are passed. What it makes of the contents of other locations is trusted, as its contract is.
    fn opaque(&mut self, contract: &Contract, parameters: &[Parameter], place: Span) {
        let mut values = Taint::default();
        if self.in_ghost_routine {
            values.join(&self.source(place, "this exists for the proof only".to_string()));
        }
        let mut all = Taint::of(Origin::This(self.routine));
        for parameter in parameters {
            let origin = Taint::of(Origin::Parameter(parameter.id));
            all.join(&origin);
            if !self.type_of_variable(parameter.id).is_nullable() {
                values.join(&origin);
            }
        }
        let locations = self.locations_of(contract);
        for location in &locations {
            all.join(&self.read_heap(location));
            if !self.in_function {
                self.write_heap(location, &values, place);
            }
        }
        self.add_result(&all.joined(&values), place);
        self.opaque_may_fail(contract, parameters, place);
    }

    /// Whether a call of this routine may get back to the one that makes it, with no measure to show that this ends.
    pub(super) fn calls_itself_without_end(&mut self, callee: NodeId) -> bool {
        self.changed |= self.calls.entry(self.routine).or_default().insert(callee);
        let items = &self.resolution.items;
        let contract = match items.routines.get(&self.routine) {
            Some(Routine::Method(method)) => Some(&method.contract),
            Some(Routine::Function(function)) => Some(&function.contract),
            Some(Routine::Lemma(_) | Routine::Predicate(_)) => return false,
            None => match items.constructors.get(&self.routine) {
                Some(constructor) => Some(&constructor.contract),
                None => items.runs.get(&self.routine).map(|run| &run.contract),
            },
        };
        if contract.is_some_and(|contract| contract.measure().is_some()) {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![callee];
        while let Some(next) = work.pop() {
            if next == self.routine {
                return true;
            }
            if seen.insert(next) {
                work.extend(self.calls.get(&next).into_iter().flatten());
            }
        }
        false
    }

    /// The number of a source, the same in every round.
    pub(super) fn source(&mut self, span: Span, text: String) -> Taint {
        let next = self.sources.len() as u32;
        let number = *self.source_at.entry((span, text.clone())).or_insert(next);
        if number == next {
            self.sources.push(Source { span, text });
        }
        Taint::of(Origin::Ghost(number))
    }

    fn remember(&mut self, place: &Place, taint: &Taint, span: Span) {
        for (origin, via) in &taint.0 {
            if via.as_ref() != Some(place) {
                self.trail.entry((place.clone(), *origin)).or_insert_with(|| (span, via.clone()));
            }
        }
    }

    pub(super) fn type_of_variable(&self, id: NodeId) -> Type {
        self.resolution.variables.get(&id).cloned().unwrap_or(Type::Unknown)
    }

    pub(super) fn read_variable(&self, id: NodeId) -> Taint {
        let place = Place::Variable(id);
        let mut taint = self.variables.get(&id).map(|taint| taint.through(&place)).unwrap_or_default();
        if self.resolution.addressed.contains(&id) {
            taint.join(&self.read_heap(&Location::Target(self.type_of_variable(id))));
        }
        taint
    }

    pub(super) fn set_variable(&mut self, id: NodeId, taint: &Taint, span: Span) {
        self.remember(&Place::Variable(id), taint, span);
        self.changed |= self.variables.entry(id).or_default().join(taint);
        if self.resolution.addressed.contains(&id) {
            self.write_heap(&Location::Target(self.type_of_variable(id)), taint, span);
        }
    }

    pub(super) fn is_ghost_field(&self, field: NodeId) -> bool {
        self.ghost_fields.contains_key(&field)
    }

    pub(super) fn read_field(&mut self, field: NodeId) -> Taint {
        let mut taint = self.read_heap(&Location::Field(field));
        if self.resolution.addressed.contains(&field) {
            taint.join(&self.read_heap(&Location::Target(self.type_of_variable(field))));
        }
        if let Some(span) = self.ghost_fields.get(&field).copied() {
            taint.join(&self.source(span, "this field is declared as ghost".to_string()));
        }
        taint
    }

    pub(super) fn read_heap(&self, location: &Location) -> Taint {
        let mut taint = Taint::default();
        for (other, known) in &self.heap {
            if location.overlaps(other, &self.arrays) {
                taint.join(&known.through(&Place::Heap(other.clone())));
            }
        }
        taint
    }

    /// A write by the routine. What depends on its parameters is resolved where it is called.
    pub(super) fn write_heap(&mut self, location: &Location, taint: &Taint, span: Span) {
        self.remember(&Place::Heap(location.clone()), taint, span);
        let summary = self.summaries.entry(self.routine).or_default();
        let before = summary.writes.len();
        summary.write(location, &Taint::default());
        self.changed |= summary.writes.len() > before;
        if let Some((_, known)) = summary.writes.iter_mut().find(|(other, _)| other == location) {
            self.changed |= known.join(taint);
        }
        let ghosts = taint.0.iter().filter(|(origin, _)| matches!(origin, Origin::Ghost(_)));
        let ghosts = Taint(ghosts.map(|(origin, via)| (*origin, via.clone())).collect());
        match self.heap.iter_mut().find(|(other, _)| other == location) {
            Some((_, known)) => self.changed |= known.join(&ghosts),
            None => {
                self.changed |= !ghosts.is_empty();
                self.heap.push((location.clone(), ghosts));
            }
        }
        // A pointer may point to it.
        if let Location::Field(field) = location
            && self.resolution.addressed.contains(field)
        {
            self.write_heap(&Location::Target(self.type_of_variable(*field)), taint, span);
        }
    }

    pub(super) fn add_result(&mut self, taint: &Taint, span: Span) {
        self.remember(&Place::Result(self.routine), taint, span);
        self.changed |= self.summaries.entry(self.routine).or_default().result.join(taint);
    }

    pub(super) fn add_end(&mut self, taint: &Taint) {
        self.changed |= self.summaries.entry(self.routine).or_default().end.join(taint);
        self.add_jump(taint);
    }

    pub(super) fn add_behaviour(&mut self, behaviour: &Behaviour, decided_by: &Taint) {
        let summary = self.summaries.entry(self.routine).or_default();
        self.changed |= summary.behaviour.is_none();
        summary.behaviour.get_or_insert_with(|| behaviour.clone());
        let before: usize = summary.decides.iter().map(|(_, taint)| taint.0.len() + 1).sum();
        summary.decide(behaviour, decided_by);
        let after: usize = summary.decides.iter().map(|(_, taint)| taint.0.len() + 1).sum();
        self.changed |= after > before;
    }

    /// One for each way to fail, so that summaries stay small.
    pub(super) fn add_failure(&mut self, behaviour: &Behaviour, decided_by: &Taint) {
        let summary = self.summaries.entry(self.routine).or_default();
        match summary.fails.iter_mut().find(|(known, _)| known.what == behaviour.what) {
            Some((_, known)) => self.changed |= known.join(decided_by),
            None => {
                summary.fails.push((behaviour.clone(), decided_by.clone()));
                self.changed = true;
            }
        }
    }

    /// Whatever the routine does may depend on whether it jumped.
    pub(super) fn add_jump(&mut self, taint: &Taint) {
        self.changed |= self.jumps.entry(self.routine).or_default().join(taint);
    }

    pub(super) fn jumps(&self) -> Taint {
        self.jumps.get(&self.routine).cloned().unwrap_or_default()
    }
}
