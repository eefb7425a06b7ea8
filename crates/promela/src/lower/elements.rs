//! The statements of one process as linked elements, the structure whose places SPIN counts as states.
//!
//! Every statement is an element; compound statements add elements of their own: an `if` ends in a
//! [`Kind::Join`], a `do` begins with one and ends in a [`Kind::Exit`], blocks hold a sequence. Jumps are
//! followed by [`Elements::hunt`] when edges are made, so most joins never become a state, but some do
//! (at the end of an atomic sequence, for instance), and the counts agree with SPIN's only if they do in
//! the same cases. The rules are those of SPIN 6.5: its manual, and what its verifier prints with `-d`.

use std::collections::HashMap;

use crate::resolve::program::{LabelId, Process, ProcessKind, Stmt, StmtId, StmtKind};

pub(super) type ElementId = usize;
pub(super) type SequenceId = usize;

pub(super) enum Kind<'p> {
    /// A statement that is a step.
    Simple(&'p Stmt),
    /// A generated `skip`.
    Skip,
    /// Where control goes on after an `if`, or around a `do`.
    Join,
    /// Where control goes on after a `do`.
    Exit,
    Goto(Destination),
    Choice {
        options: Vec<SequenceId>,
    },
    Unless {
        main: SequenceId,
        escape: SequenceId,
    },
    Atomic(SequenceId),
    Block(SequenceId),
    DStep(SequenceId),
    /// The end of the process.
    Stop,
}

#[derive(Clone, Copy)]
pub(super) enum Destination {
    Label(LabelId),
    ExitOf(StmtId),
}

pub(super) struct Element<'p> {
    pub(super) kind: Kind<'p>,
    pub(super) statement: Option<&'p Stmt>,
    pub(super) next: Option<ElementId>,
    pub(super) labels: Vec<LabelId>,
    /// Escape sequences, the outermost first.
    pub(super) escapes: Vec<SequenceId>,
    /// Inside an atomic sequence, and control stays inside after it.
    pub(super) atomic: bool,
    /// The last of an atomic sequence.
    pub(super) ends_atomic: bool,
    /// Inside a deterministic step.
    pub(super) in_step: bool,
    /// Carries a label that a remote reference names.
    pub(super) observed: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Sequence {
    pub(super) first: ElementId,
    pub(super) last: ElementId,
    /// The last element before a join was appended.
    pub(super) extent: ElementId,
}

pub(super) struct Elements<'p> {
    pub(super) all: Vec<Element<'p>>,
    pub(super) sequences: Vec<Sequence>,
    pub(super) body: SequenceId,
    label_targets: HashMap<LabelId, ElementId>,
    exits: HashMap<StmtId, ElementId>,
    process: &'p Process,
}

/// Followed too many jumps: the program consists of `goto`s that lead to each other.
pub(super) struct EndlessJump {
    pub(super) at: ElementId,
}

impl<'p> Elements<'p> {
    pub(super) fn build(process: &'p Process, observed_labels: &[LabelId]) -> Elements<'p> {
        let mut elements = Elements {
            all: Vec::new(),
            sequences: Vec::new(),
            body: 0,
            label_targets: HashMap::new(),
            exits: HashMap::new(),
            process,
        };
        let mut builder = Builder { elements: &mut elements, observed_labels };
        let mut open = builder.statements(&process.body);
        let stop = builder.element(Kind::Stop, None);
        builder.append(&mut open, stop);
        let body = builder.close(open);
        elements.body = body;
        elements.tie_loose_ends();
        elements
    }

    /// Where control is after jumps from `from`; `atomic` says that the jump starts inside an atomic
    /// sequence, which it leaves only by a step. Stops at `stop`.
    pub(super) fn hunt(
        &self,
        from: ElementId,
        atomic: bool,
        stop: Option<ElementId>,
    ) -> Result<ElementId, EndlessJump> {
        let mut at = from;
        for _ in 0..10_000 {
            if Some(at) == stop {
                return Ok(at);
            }
            let element = &self.all[at];
            let next = match &element.kind {
                Kind::Goto(destination) => self.destination(*destination),
                Kind::Join | Kind::Exit => element.next,
                Kind::Unless { main, .. } => Some(self.hunt(self.sequences[*main].first, atomic, stop)?),
                _ => return Ok(at),
            };
            match next {
                Some(next) if atomic && !self.all[next].atomic => return Ok(at),
                Some(next) if next != at => at = next,
                _ if matches!(element.kind, Kind::Goto(_)) => return Err(EndlessJump { at }),
                _ => return Ok(at),
            }
        }
        Err(EndlessJump { at })
    }

    /// The first element of an option that is not just a way to another.
    pub(super) fn start(&self, from: ElementId) -> ElementId {
        let mut at = from;
        for _ in 0..10_000 {
            at = match &self.all[at].kind {
                Kind::Join => match self.all[at].next {
                    Some(next) => next,
                    None => return at,
                },
                Kind::Unless { main, .. } => self.sequences[*main].first,
                _ => return at,
            };
        }
        at
    }

    pub(super) fn destination(&self, destination: Destination) -> Option<ElementId> {
        match destination {
            Destination::Label(label) => self.label_targets.get(&label).copied(),
            Destination::ExitOf(statement) => self.exits.get(&statement).copied(),
        }
    }

    pub(super) fn label_target(&self, label: LabelId) -> Option<ElementId> {
        self.label_targets.get(&label).copied()
    }

    pub(super) fn process(&self) -> &'p Process {
        self.process
    }

    /// The last element of a block goes on where the block does. Outer blocks first: they were made last.
    fn tie_loose_ends(&mut self) {
        for id in (0..self.all.len()).rev() {
            if let Kind::Atomic(body) | Kind::Block(body) | Kind::DStep(body) = self.all[id].kind {
                let last = self.sequences[body].last;
                self.all[last].next = self.all[id].next;
            }
        }
    }

    /// A `goto` out of an atomic sequence is its last step; one that leads into another atomic sequence
    /// keeps control.
    pub(super) fn patch_jumps(&mut self) {
        for id in 0..self.all.len() {
            if let Kind::Atomic(body) | Kind::Block(body) | Kind::DStep(body) = self.all[id].kind {
                self.patch_sequence(body);
            }
        }
    }

    fn patch_sequence(&mut self, sequence: SequenceId) {
        let Sequence { first, extent, .. } = self.sequences[sequence];
        let mut at = Some(first);
        while let Some(id) = at {
            match &self.all[id].kind {
                Kind::Goto(destination) => {
                    if let Some(target) = self.destination(*destination) {
                        let lands_atomic = self.all[target].atomic || self.all[target].ends_atomic;
                        let element = &mut self.all[id];
                        if (element.atomic || element.ends_atomic) && !lands_atomic {
                            (element.atomic, element.ends_atomic) = (false, true);
                        } else if element.ends_atomic && lands_atomic {
                            (element.atomic, element.ends_atomic) = (true, false);
                        }
                    }
                }
                Kind::Choice { options, .. } => {
                    for option in options.clone() {
                        self.patch_sequence(option);
                    }
                }
                Kind::Unless { main, escape } => {
                    let (main, escape) = (*main, *escape);
                    self.patch_sequence(main);
                    self.patch_sequence(escape);
                }
                _ => {}
            }
            at = if id == extent { None } else { self.all[id].next };
        }
    }
}

/// A sequence that still grows.
#[derive(Default)]
struct Open {
    first: Option<ElementId>,
    last: Option<ElementId>,
}

struct Builder<'e, 'p> {
    elements: &'e mut Elements<'p>,
    observed_labels: &'e [LabelId],
}

impl<'p> Builder<'_, 'p> {
    fn element(&mut self, kind: Kind<'p>, statement: Option<&'p Stmt>) -> ElementId {
        self.elements.all.push(Element {
            kind,
            statement,
            next: None,
            labels: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            ends_atomic: false,
            in_step: false,
            observed: false,
        });
        self.elements.all.len() - 1
    }

    fn append(&mut self, open: &mut Open, element: ElementId) {
        match open.last {
            Some(last) => self.elements.all[last].next = Some(element),
            None => open.first = Some(element),
        }
        open.last = Some(element);
    }

    fn close(&mut self, mut open: Open) -> SequenceId {
        if open.first.is_none() {
            let skip = self.element(Kind::Skip, None);
            self.append(&mut open, skip);
        }
        let first = open.first.unwrap_or_default();
        let last = open.last.unwrap_or(first);
        self.elements.sequences.push(Sequence { first, last, extent: last });
        self.elements.sequences.len() - 1
    }

    /// Appends an element to a closed sequence, beyond its extent.
    fn extend(&mut self, sequence: SequenceId, element: ElementId) {
        let last = self.elements.sequences[sequence].last;
        self.elements.all[last].next = Some(element);
        self.elements.sequences[sequence].last = element;
    }

    fn statements(&mut self, statements: &'p [Stmt]) -> Open {
        let mut open = Open::default();
        for statement in statements {
            self.statement(statement, &mut open);
        }
        open
    }

    fn label(&mut self, statement: &'p Stmt, element: ElementId) {
        for label in &statement.labels {
            self.elements.label_targets.insert(*label, element);
            self.elements.all[element].labels.push(*label);
            if self.observed_labels.contains(label) {
                self.elements.all[element].observed = true;
            }
        }
    }

    fn statement(&mut self, statement: &'p Stmt, open: &mut Open) {
        match &statement.kind {
            StmtKind::If(options) => {
                let (choice, join) = self.choice(statement, options);
                self.append(open, choice);
                self.append(open, join);
            }
            StmtKind::Do(options) => {
                let (choice, join) = self.choice(statement, options);
                let exit = self.element(Kind::Exit, None);
                self.elements.exits.insert(statement.id, exit);
                self.append(open, join);
                self.append(open, choice);
                self.append(open, exit);
            }
            StmtKind::Unless { main, escape } => {
                let main = self.statements(main);
                let main = self.close(main);
                let escape = self.statements(escape);
                let escape = self.close(escape);
                let unless = self.element(Kind::Unless { main, escape }, Some(statement));
                let join = self.element(Kind::Join, None);
                self.extend(main, join);
                self.extend(escape, join);
                self.attach_escape(main, escape);
                self.label(statement, unless);
                self.append(open, unless);
                self.append(open, join);
            }
            StmtKind::Atomic(body) => {
                let body = self.statements(body);
                let body = self.close(body);
                self.make_atomic(body, false);
                self.block(statement, Kind::Atomic(body), open);
            }
            StmtKind::DStep(body) => {
                let body = self.statements(body);
                let body = self.close(body);
                self.make_atomic(body, true);
                self.block(statement, Kind::DStep(body), open);
            }
            StmtKind::Block(body) => {
                let body = self.statements(body);
                let body = self.close(body);
                self.block(statement, Kind::Block(body), open);
            }
            StmtKind::Goto(label) => self.goto(statement, Destination::Label(*label), open),
            StmtKind::Break(of) => self.goto(statement, Destination::ExitOf(*of), open),
            _ => self.block(statement, Kind::Simple(statement), open),
        }
    }

    fn block(&mut self, statement: &'p Stmt, kind: Kind<'p>, open: &mut Open) {
        let element = self.element(kind, Some(statement));
        self.label(statement, element);
        self.append(open, element);
    }

    /// A jump whose label is referred to from another process needs a location of its own.
    fn goto(&mut self, statement: &'p Stmt, destination: Destination, open: &mut Open) {
        if statement.labels.iter().any(|label| self.observed_labels.contains(label)) {
            let skip = self.element(Kind::Skip, Some(statement));
            self.label(statement, skip);
            self.append(open, skip);
            let goto = self.element(Kind::Goto(destination), Some(statement));
            self.append(open, goto);
        } else {
            self.block(statement, Kind::Goto(destination), open);
        }
    }

    /// The choice and the join its options end in.
    fn choice(&mut self, statement: &'p Stmt, options: &'p [Vec<Stmt>]) -> (ElementId, ElementId) {
        let is_claim = self.elements.process.kind == ProcessKind::Never;
        let mut sequences: Vec<SequenceId> = options
            .iter()
            .map(|option| {
                let mut open = Open::default();
                for (index, statement) in option.iter().enumerate() {
                    if is_claim || !is_redundant_skip(option, index) {
                        self.statement(statement, &mut open);
                    }
                }
                self.close(open)
            })
            .collect();
        // `else` is tried last, wherever it was written.
        let is_else = |option: &Vec<Stmt>| matches!(option.first().map(|s| &s.kind), Some(StmtKind::Else));
        if let Some(position) = options.iter().position(is_else) {
            let sequence = sequences.remove(position);
            sequences.push(sequence);
        }
        let choice = self.element(Kind::Choice { options: sequences.clone() }, Some(statement));
        let join = self.element(Kind::Join, None);
        for sequence in sequences {
            self.extend(sequence, join);
        }
        self.label(statement, choice);
        (choice, join)
    }

    /// Marks everything in a sequence as atomic (and as part of a deterministic step). Inner atomic
    /// blocks become plain ones.
    fn walk_atomic(&mut self, sequence: SequenceId, step: bool) {
        let Sequence { first, last, .. } = self.elements.sequences[sequence];
        let mut at = Some(first);
        while let Some(id) = at {
            let element = &mut self.elements.all[id];
            element.atomic = true;
            element.in_step |= step;
            let mut inside = Vec::new();
            match &element.kind {
                Kind::Atomic(body) | Kind::Block(body) => {
                    let body = *body;
                    element.kind = Kind::Block(body);
                    inside.push(body);
                }
                Kind::DStep(body) if step => {
                    let body = *body;
                    element.kind = Kind::Block(body);
                    inside.push(body);
                }
                Kind::Choice { options, .. } => inside.clone_from(options),
                Kind::Unless { main, escape } => inside.extend([*main, *escape]),
                _ => {}
            }
            for body in inside {
                self.walk_atomic(body, step);
            }
            at = if id == last { None } else { self.elements.all[id].next };
        }
    }

    fn make_atomic(&mut self, sequence: SequenceId, step: bool) {
        self.walk_atomic(sequence, step);
        let last = self.elements.sequences[sequence].last;
        match self.elements.all[last].kind {
            Kind::Block(body) | Kind::Atomic(body) => self.make_atomic(body, step),
            Kind::Unless { main, .. } => self.make_atomic(main, step),
            _ => {
                self.elements.all[last].atomic = false;
                self.elements.all[last].ends_atomic = true;
            }
        }
    }

    fn attach_escape(&mut self, to: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = self.elements.sequences[to];
        let mut at = Some(first);
        while let Some(id) = at {
            self.attach_to_element(id, escape);
            at = if id == extent { None } else { self.elements.all[id].next };
        }
    }

    fn attach_to_element(&mut self, id: ElementId, escape: SequenceId) {
        if self.elements.all[id].escapes.contains(&escape) {
            return;
        }
        for lower in self.elements.all[id].escapes.clone() {
            self.attach_escape(lower, escape);
        }
        self.elements.all[id].escapes.insert(0, escape);
        let mut inside = Vec::new();
        match &self.elements.all[id].kind {
            Kind::Unless { main, .. } => inside.push(*main),
            Kind::Choice { options, .. } => inside.clone_from(options),
            Kind::Atomic(body) | Kind::Block(body) => inside.push(*body),
            Kind::DStep(body) => {
                let first = self.elements.sequences[*body].first;
                self.attach_to_element(first, escape);
            }
            _ => {}
        }
        for body in inside {
            self.attach_escape(body, escape);
        }
    }
}

/// Of several unlabelled skips in a row within an option, all but the first are dropped (if neither at
/// the beginning nor at the end); output counts as a skip but stays.
fn is_redundant_skip(option: &[Stmt], index: usize) -> bool {
    let idle = |statement: &Stmt| {
        statement.labels.is_empty()
            && (matches!(statement.kind, StmtKind::Printf { .. } | StmtKind::Printm(_))
                || statement.is_skip())
    };
    index > 0
        && index + 1 < option.len()
        && option[index].is_skip()
        && idle(&option[index])
        && idle(&option[index - 1])
}

impl Stmt {
    /// `skip`, or the condition `1` or `true`.
    pub(super) fn is_skip(&self) -> bool {
        use crate::resolve::program::ExprKind;
        matches!(&self.kind, StmtKind::Condition(expr) if matches!(expr.kind, ExprKind::Constant(1)))
    }

    pub(super) fn is_never(&self) -> bool {
        use crate::resolve::program::ExprKind;
        matches!(&self.kind, StmtKind::Condition(expr) if matches!(expr.kind, ExprKind::Constant(0)))
    }
}
