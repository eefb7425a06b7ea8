//! Elements become locations and edges.
//!
//! A location is an element where control can rest. The edges of a choice are those of the first
//! statements of its options, those of a block are those of its first statement; a jump is an edge only
//! where control cannot pass it without a step. Escapes are put in front of the edges they preempt.

use source::Diagnostic;
use transition::model::{
    Action, DeterministicBlock, Edge, Location, LocationId, ProcessType, Provided, Statement,
};

use super::Lowering;
use super::elements::{ElementId, Elements, EndlessJump, Kind};
use super::merge::Merges;
use crate::resolve::program::{ProcessId, Stmt};

/// An edge together with the element whose statement it executes first.
struct Leaf {
    element: ElementId,
    edge: Edge,
}

impl Lowering<'_> {
    pub(super) fn graph(
        &mut self,
        id: ProcessId,
        elements: &Elements<'_>,
        merges: &Merges,
    ) -> Result<ProcessType, Vec<Diagnostic>> {
        let program = self.program;
        let process = program.process(id);
        let mut graph = Graph { lowering: self, id, elements, merges, locations: Vec::new() };
        let built = graph.build();
        let locations = std::mem::take(&mut graph.locations);
        let start = match built {
            Ok(start) => start,
            Err(EndlessJump { at }) => {
                let span = elements.all[at].statement.map_or(process.span, |statement| statement.span);
                return Err(vec![
                    Diagnostic::error(
                        "promela.goto-cycle",
                        span,
                        "this jump leads back to itself without a step",
                    )
                    .help("put a statement (`skip`) between the labels"),
                ]);
            }
        };
        let mut initialisers = Vec::new();
        let slots = std::rc::Rc::clone(&self.slots);
        for variable in &process.variables {
            slots.initialisers(*variable, &mut |expr| self.expr(expr), &mut initialisers);
        }
        Ok(ProcessType {
            name: process.name.clone(),
            parameters: process.parameters.len() as u32,
            locals: slots.locals[id.0 as usize].clone(),
            initialisers,
            locations,
            start,
            provided: process
                .provided
                .as_ref()
                .map(|expr| Provided { condition: self.expr(expr), text: program.show_expr(expr) }),
            priority: process.priority.max(1),
            deterministic: process.deterministic,
        })
    }
}

struct Graph<'g, 'p, 'l> {
    id: ProcessId,
    lowering: &'g mut Lowering<'l>,
    elements: &'g Elements<'p>,
    merges: &'g Merges,
    locations: Vec<Location>,
}

impl Graph<'_, '_, '_> {
    fn build(&mut self) -> Result<LocationId, EndlessJump> {
        let count = self.elements.all.len();
        let mut leaves: Vec<Vec<Leaf>> = Vec::with_capacity(count);
        for element in 0..count {
            let mut here = Vec::new();
            self.leaves(element, None, &mut here)?;
            leaves.push(here);
        }
        self.locations = leaves
            .iter()
            .map(|here| Location {
                edges: here.iter().map(|leaf| leaf.edge.clone()).collect(),
                ..Location::default()
            })
            .collect();
        for (element, here) in leaves.iter().enumerate() {
            let escapes = self.escapes(here, &leaves)?;
            self.locations[element].edges.splice(0..0, escapes);
        }
        for element in 0..count {
            self.name(element);
        }
        self.blocks()?;
        let first = self.elements.sequences[self.elements.body].first;
        let start = self.elements.hunt(first, self.elements.all[first].atomic, None)?;
        Ok(LocationId(start as u32))
    }

    /// The edges of an element, through choices and blocks to the statements they begin with. Within a
    /// deterministic step that leads to `exit`, jumps are followed to the end.
    fn leaves(
        &mut self,
        element: ElementId,
        exit: Option<ElementId>,
        out: &mut Vec<Leaf>,
    ) -> Result<(), EndlessJump> {
        let elements = self.elements;
        match &elements.all[element].kind {
            Kind::Choice { options, .. } => {
                for option in options {
                    let start = elements.start(elements.sequences[*option].first);
                    let is_dead = matches!(elements.all[start].kind, Kind::Simple(statement) if statement.is_never())
                        && elements.all[start].escapes.is_empty();
                    if !is_dead {
                        self.leaves(start, exit, out)?;
                    }
                }
            }
            Kind::Atomic(body) | Kind::Block(body) => {
                self.leaves(elements.start(elements.sequences[*body].first), exit, out)?;
            }
            Kind::Unless { main, .. } => {
                self.leaves(elements.start(elements.sequences[*main].first), exit, out)?;
            }
            _ => {
                let edge = match exit {
                    Some(exit) => self.step_edge(element, exit)?,
                    None => self.edge(element)?,
                };
                out.push(Leaf { element, edge });
            }
        }
        Ok(())
    }

    /// Where control goes after an element.
    fn target(&self, element: ElementId) -> Result<ElementId, EndlessJump> {
        let Some(next) = self.successor(element) else { return Ok(element) };
        self.elements.hunt(next, self.elements.all[element].atomic, None)
    }

    fn successor(&self, element: ElementId) -> Option<ElementId> {
        match &self.elements.all[element].kind {
            Kind::Goto(destination) => self.elements.destination(*destination),
            _ => self.elements.all[element].next,
        }
    }

    fn edge(&mut self, element: ElementId) -> Result<Edge, EndlessJump> {
        let chain = self.merges.chain(element);
        let last = chain.last().copied().unwrap_or(element);
        let mut actions = Vec::new();
        let mut statements = Vec::new();
        for part in std::iter::once(element).chain(chain.iter().copied()) {
            // Jumps inside a chain do nothing and are nothing to show.
            if part != element
                && matches!(self.elements.all[part].kind, Kind::Join | Kind::Exit | Kind::Goto(_))
            {
                continue;
            }
            actions.push(self.action(part)?);
            statements.push(self.statement(part));
        }
        let resets = self.merges.resets(element, &chain);
        let resets = resets.into_iter().map(|variable| self.lowering.variable_place(variable)).collect();
        Ok(Edge {
            actions,
            statements,
            target: LocationId(match self.merges.target(element) {
                Some(target) => target as u32,
                None => self.target(last)? as u32,
            }),
            atomic: self.elements.all[last].atomic,
            escape: 0,
            resets,
        })
    }

    /// An edge within a deterministic step.
    fn step_edge(&mut self, element: ElementId, exit: ElementId) -> Result<Edge, EndlessJump> {
        let target = match self.successor(element) {
            Some(next) => self.elements.hunt(next, false, Some(exit))?,
            None => exit,
        };
        Ok(Edge {
            actions: vec![self.action(element)?],
            statements: vec![self.statement(element)],
            target: LocationId(target as u32),
            atomic: false,
            escape: 0,
            resets: Vec::new(),
        })
    }

    fn action(&mut self, element: ElementId) -> Result<Action, EndlessJump> {
        Ok(match &self.elements.all[element].kind {
            Kind::Simple(statement) => self.lowering.action(statement),
            Kind::Stop => Action::End,
            Kind::DStep(body) => {
                let entry = self.elements.start(self.elements.sequences[*body].first);
                let exit = self.target(element)?;
                Action::Block(Box::new(DeterministicBlock {
                    entry: LocationId(entry as u32),
                    exit: LocationId(exit as u32),
                }))
            }
            _ => Action::Skip,
        })
    }

    fn statement(&self, element: ElementId) -> Statement {
        let process = self.elements.process();
        let here = &self.elements.all[element];
        match (&here.kind, here.statement) {
            (Kind::Stop, _) => {
                Statement { number: Statement::END, text: "end".to_string(), span: process.end }
            }
            (_, Some(statement)) => Statement {
                number: statement.id.0,
                text: self.lowering.text(self.id, statement),
                span: statement.span,
            },
            _ => Statement { number: Statement::JUMP, text: "skip".to_string(), span: process.span },
        }
    }

    /// The escape edges that go in front of a location's own: for each escape of each leaf, the edges the
    /// escape begins with. The outermost escape ends up first.
    fn escapes(&self, here: &[Leaf], leaves: &[Vec<Leaf>]) -> Result<Vec<Edge>, EndlessJump> {
        let mut found: Vec<(ElementId, Edge)> = Vec::new();
        for leaf in here {
            let element = &self.elements.all[leaf.element];
            if matches!(element.kind, Kind::Join) {
                continue;
            }
            for escape in element.escapes.iter().rev() {
                let first = self.elements.sequences[*escape].first;
                let at = self.elements.hunt(first, element.atomic, None)?;
                for guard in &leaves[at] {
                    let known = here.iter().any(|own| own.element == guard.element)
                        || found.iter().any(|(known, _)| *known == guard.element);
                    if !known {
                        found
                            .insert(0, (guard.element, Edge { escape: at as u32 + 1, ..guard.edge.clone() }));
                    }
                }
            }
        }
        Ok(found.into_iter().map(|(_, edge)| edge).collect())
    }

    fn name(&mut self, element: ElementId) {
        let here = &self.elements.all[element];
        let process = self.elements.process();
        let location = &mut self.locations[element];
        for label in &here.labels {
            let label = &process.labels[label.0 as usize];
            location.is_accepting |= label.is_accept();
            location.is_end |= label.is_end();
            location.is_progress |= label.is_progress();
            location.labels.push(label.name.clone());
        }
        location.is_end |= matches!(here.kind, Kind::Stop);
    }

    /// Elements inside deterministic steps get the edges that the block runs along.
    fn blocks(&mut self) -> Result<(), EndlessJump> {
        for element in 0..self.elements.all.len() {
            let Kind::DStep(body) = self.elements.all[element].kind else { continue };
            let exit = self.target(element)?;
            let mut pending = vec![self.elements.start(self.elements.sequences[body].first)];
            let mut seen = vec![exit];
            while let Some(at) = pending.pop() {
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                let mut here = Vec::new();
                self.leaves(at, Some(exit), &mut here)?;
                pending.extend(here.iter().map(|leaf| leaf.edge.target.0 as usize));
                self.locations[at].edges = here.into_iter().map(|leaf| leaf.edge).collect();
                self.locations[at].in_step = true;
            }
        }
        Ok(())
    }
}

impl Lowering<'_> {
    /// A statement on one line, as it was written.
    fn text(&self, process: ProcessId, statement: &Stmt) -> String {
        self.program.show_stmt(process, statement)
    }
}
