//! What must not depend on ghost code, and what is said where it does.

use source::{Diagnostic, Severity, Span};

use super::flow::{Flow, Here};
use super::places::{Location, Place};
use super::summary::{Behaviour, Origin, Taint};
use crate::codes;
use crate::limits;
use crate::resolve::{NameTarget, Selection, Type};
use crate::syntax::tree::{Expression, NodeId, Statement};

impl Flow<'_, '_> {
    pub(super) fn returned(&mut self, statement: &Statement, value: &Taint, here: &Here) {
        let control = self.control(here);
        let taint = value.clone().joined(&control);
        self.add_result(&taint, statement.span);
        self.add_jump(&here.control);
        if self.in_ghost_routine || self.in_function {
            return;
        }
        if here.ghost {
            let message = "ghost code returns from the method: without it, the program goes on";
            self.find(Severity::Error, statement.span, message, "return in the program", None);
        } else if let Some(name) = taint.is_ghost().then(|| self.routine_name()) {
            let message = match value.is_ghost() {
                true => format!("the result of {name} depends on ghost code"),
                false => format!("whether {name} returns here depends on ghost code"),
            };
            let help = "compute it in the program, or return it by `yields`";
            self.find(Severity::Error, statement.span, &message, help, Some(&taint));
        }
    }

    pub(super) fn jumped(&mut self, statement: &Statement, here: &Here) {
        self.add_jump(&here.control);
        // In ghost code there is no `goto` at all.
        if !here.ghost && here.control.is_ghost() {
            let message = "whether the program jumps depends on ghost code";
            let help = "decide it by what the program knows";
            self.find(Severity::Error, statement.span, message, help, Some(&here.control));
        }
    }

    /// Threads start, wait or are let go on.
    pub(super) fn happens(&mut self, behaviour: &Behaviour, decided_by: &Taint, here: &Here) {
        self.add_behaviour(behaviour, decided_by);
        if here.ghost {
            let message =
                format!("{} in ghost code, which is left out when the program runs", behaviour.what);
            let help = "ghost code may neither wait nor let others wait: do this in the program";
            self.find(Severity::Error, behaviour.span, &message, help, None);
        } else if decided_by.is_ghost() {
            let message = format!("{}, which depends on ghost code", behaviour.what);
            let help = "decide it by what the program knows";
            self.find(Severity::Error, behaviour.span, &message, help, Some(decided_by));
        }
    }

    /// The same in what is called.
    pub(super) fn behaviour_of_callee(&mut self, behaviour: &Behaviour, span: Span, here: &Here) {
        let control = self.control(here);
        self.add_behaviour(behaviour, &control);
        if here.ghost {
            let message = format!("ghost code calls something in which {}", behaviour.what);
            let help = "ghost code may neither wait nor let others wait: call it in the program";
            self.find_with(Severity::Error, span, &message, help, None, Some(behaviour.span));
        } else if control.is_ghost() {
            let message = format!("whether {} depends on ghost code", behaviour.what);
            let help = "decide it by what the program knows";
            self.find_with(Severity::Error, span, &message, help, Some(&control), Some(behaviour.span));
        }
    }

    /// What is passed decides on a behaviour of what is called.
    pub(super) fn decided_in_callee(
        &mut self,
        behaviour: &Behaviour,
        taint: &Taint,
        span: Span,
        here: &Here,
    ) {
        self.add_behaviour(behaviour, taint);
        if !here.ghost && taint.is_ghost() {
            let message = format!("whether {} depends on a ghost value that is passed here", behaviour.what);
            let help = "pass what the program knows";
            self.find_with(Severity::Error, span, &message, help, Some(taint), Some(behaviour.span));
        }
    }

    /// Without a measure, whatever comes later depends on whether this ends.
    pub(super) fn end_depends_on(&mut self, taint: &Taint, span: Span, here: &Here) {
        // Ghost code needs a measure anyway.
        if here.ghost || self.in_function || taint.is_empty() {
            return;
        }
        let passed = taint.0.iter().filter(|(origin, _)| !matches!(origin, Origin::Ghost(_)));
        let passed = Taint(passed.map(|(origin, via)| (*origin, via.clone())).collect());
        self.add_end(&passed);
        if taint.is_ghost() {
            let message = "whether this ends depends on ghost code, and no measure shows that it does";
            let help = "add `decreases e;` to the loop or to what calls itself, so that it can be left out together with the ghost code";
            self.find(Severity::Error, span, message, help, Some(taint));
        }
    }

    pub(super) fn allocation(&mut self, expression: &Expression, here: &Here) {
        if here.ghost {
            let message = "ghost code creates something that the program does not have";
            let help = "this is harmless while only ghost code uses it";
            self.find(Severity::Warning, expression.span, message, help, None);
        }
    }

    /// Ghost code assigns a variable.
    pub(super) fn assigned_by_ghost(&mut self, variable: NodeId, span: Span) {
        if self.assigned.contains(&variable) && !self.ghost_variables.contains(&variable) {
            let name = self.names.get(&variable).cloned().unwrap_or_default();
            let message = format!("ghost code changes the variable `{name}` of the program");
            let help = "use a variable of its own: `ghost T x = …;`";
            self.find(Severity::Warning, span, &message, help, None);
        }
    }

    /// A store to the heap.
    pub(super) fn stored(
        &mut self,
        location: &Location,
        target: &Expression,
        value: &Taint,
        which: &Taint,
        here: &Here,
    ) {
        let is_ghost_field = matches!(location, Location::Field(field) if self.is_ghost_field(*field));
        if is_ghost_field {
            return;
        }
        let control = self.control(here);
        let name = self.location_name(location);
        if here.ghost {
            let message = format!("ghost code changes {name}, which the program could read");
            let help = "use a `ghost` field, if only the proof needs it";
            self.find(Severity::Warning, target.span, &message, help, None);
        } else if control.is_ghost() {
            let message = format!("whether {name} changes depends on ghost code");
            let help = "change it in ghost code, if only the proof uses it";
            self.find(self.store_severity(location), target.span, &message, help, Some(&control));
        } else if which.is_ghost() {
            // What only ghost code can name belongs to it; others who name it are followed. A variable of the program
            // that was given a ghost value may name nothing without it.
            let severity = match self.names_ghost(target) {
                true => Severity::Warning,
                false => Severity::Error,
            };
            let message = "where this is stored depends on ghost code";
            let help = "change it in ghost code, if only the proof uses it";
            self.find(severity, target.span, message, help, Some(which));
        } else if value.is_ghost() {
            let message = format!("a ghost value is stored in {name}");
            let help = "store it in ghost code, in a `ghost` field, if only the proof uses it";
            self.find(self.store_severity(location), target.span, &message, help, Some(value));
        }
    }

    /// Whether a variable or field that is declared as ghost occurs in this.
    pub(super) fn names_ghost(&self, expression: &Expression) -> bool {
        let mut found = match self.resolution.names.get(&expression.id) {
            Some(NameTarget::Variable(id)) => self.ghost_variables.contains(id),
            Some(NameTarget::Field(id) | NameTarget::StaticField(id)) => self.is_ghost_field(*id),
            _ => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Field(id) | Selection::StaticField(id)) => self.is_ghost_field(*id),
                _ => false,
            },
        };
        expression.kind.for_each_child(&mut |child| found = found || self.names_ghost(child));
        found
    }

    /// A ghost value that is passed gets to the heap in what is called.
    pub(super) fn stored_by_callee(
        &mut self,
        routine: NodeId,
        location: &Location,
        seen: &Taint,
        span: Span,
    ) {
        let Some(summary) = self.summaries.get(&routine) else { return };
        let own = summary.writes.iter().find(|(other, _)| other == location).map(|(_, taint)| taint);
        let passed = seen.0.iter().filter(|(origin, _)| !own.is_some_and(|own| own.0.contains_key(origin)));
        let passed = Taint(passed.map(|(origin, via)| (*origin, via.clone())).collect());
        if passed.is_ghost() {
            let message =
                format!("a ghost value that is passed here decides about {}", self.location_name(location));
            let help = "pass it by `given`, if only the proof uses it";
            self.find(self.store_severity(location), span, &message, help, Some(&passed));
        }
    }

    /// Fractions in fields are amounts of permission, which contracts speak about.
    fn store_severity(&self, location: &Location) -> Severity {
        match location {
            Location::Field(field)
                if matches!(self.type_of_variable(*field), Type::Fraction | Type::ZeroFraction) =>
            {
                Severity::Warning
            }
            _ => Severity::Error,
        }
    }

    /// What is called changes the heap.
    pub(super) fn changed_by_call(&mut self, routine: NodeId, span: Span, here: &Here, control: &Taint) {
        let name = match self.resolution.items.routines.get(&routine) {
            Some(routine) => format!("`{}`", routine.name().text),
            None if self.resolution.items.constructors.contains_key(&routine) => "a constructor".to_string(),
            None => "the `run` of a thread".to_string(),
        };
        if here.ghost {
            if !self.resolution.items.is_ghost(routine) {
                let message = format!("ghost code calls {name}, which changes what the program may read");
                let help = "this is harmless while only ghost code uses it";
                self.find(Severity::Warning, span, &message, help, None);
            }
        } else if control.is_ghost() {
            let message = format!("whether {name} is called, which changes something, depends on ghost code");
            let help = "call it in ghost code, if only the proof needs it";
            self.find(Severity::Error, span, &message, help, Some(control));
        }
    }

    fn routine_name(&self) -> String {
        match self.resolution.items.routines.get(&self.routine) {
            Some(routine) => format!("`{}`", routine.name().text),
            None => "this".to_string(),
        }
    }

    fn location_name(&self, location: &Location) -> String {
        match location {
            Location::Field(field) => match self.names.get(field) {
                Some(name) => format!("the field `{name}`"),
                None => "a field".to_string(),
            },
            Location::Element(..) => "an element of an array".to_string(),
            Location::Target(_) => "what a pointer points to".to_string(),
            Location::Anything => "what an opaque predicate holds".to_string(),
        }
    }

    pub(super) fn find(
        &mut self,
        severity: Severity,
        span: Span,
        message: &str,
        help: &str,
        taint: Option<&Taint>,
    ) {
        self.find_with(severity, span, message, help, taint, None);
    }

    /// One finding for each place; the way of the value is told backwards.
    pub(super) fn find_with(
        &mut self,
        severity: Severity,
        span: Span,
        message: &str,
        help: &str,
        taint: Option<&Taint>,
        happens_at: Option<Span>,
    ) {
        if !self.reporting {
            return;
        }
        // An error says more than a warning about the same place.
        if let Some(earlier) = self.findings.iter().position(|finding| finding.span() == Some(span)) {
            if severity == Severity::Warning || self.findings[earlier].is_error() {
                return;
            }
            self.findings.remove(earlier);
        }
        let mut found = match severity {
            Severity::Error => Diagnostic::error(codes::GHOST_INFLUENCE, span, message),
            Severity::Warning => Diagnostic::warning(codes::GHOST_INFLUENCE, span, message),
        };
        if let Some(happens_at) = happens_at {
            found = found.label(happens_at, "it happens here");
        }
        if let Some((source, via)) = taint.and_then(Taint::ghost) {
            let mut via = via.cloned();
            for _ in 0..limits::FLOW_STEPS {
                let Some(place) = via else { break };
                let Some((at, from)) = self.trail.get(&(place.clone(), Origin::Ghost(source))) else { break };
                let around = self.sources.get(source as usize).map(|it| it.span);
                let is_inside = around.is_some_and(|around| {
                    around.file == at.file && around.start <= at.start && at.end <= around.end
                });
                if *at != span && !is_inside {
                    found = found.label(*at, self.step(&place));
                }
                via = from.clone();
            }
            if let Some(source) = self.sources.get(source as usize) {
                found = found.label(source.span, &source.text);
            }
        }
        self.findings.push(found.help(help));
    }

    fn step(&self, place: &Place) -> String {
        match place {
            Place::Variable(id) => match self.names.get(id) {
                Some(name) => format!("it gets into `{name}` here"),
                None => "it gets on from here".to_string(),
            },
            Place::Heap(location) => format!("it gets into {} here", self.location_name(location)),
            Place::Result(_) => "it is returned here".to_string(),
        }
    }
}
