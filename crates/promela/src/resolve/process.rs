//! Processes: parameters, instances, the body, and claims on channels.

use rustc_hash::FxHashMap;
use source::Span;

use super::label::Labels;
use super::place::Whole;
use super::program::{Exclusive, Place, Process, ProcessId, ProcessKind, Scalar, Type};
use super::{Current, Resolver};
use crate::syntax::tree;

impl Resolver {
    pub(super) fn process(&mut self, process: &tree::Process) {
        let id = ProcessId(self.processes.len() as u32);
        let name = &process.name;
        if process.kind == ProcessKind::Proctype && self.globals.contains_key(&name.text) {
            self.error(
                "name.redeclared",
                name.span,
                format!("`{}` is already a variable", name.text),
                "rename the process or the variable",
            );
        }
        self.check_process_once(process, id);
        let active = self.active(process);
        // SPIN looks at a priority only where there are initial processes.
        let priority = process.priority.as_ref().filter(|_| active > 0);
        let priority = priority.and_then(|priority| self.priority(priority));
        self.current = Some(Current {
            id,
            kind: process.kind,
            locals: FxHashMap::default(),
            declared: Vec::new(),
            scopes: vec![0],
            scope: 0,
            leading: true,
            variables: Vec::new(),
            computes_initial: false,
            output: Vec::new(),
            trailing: Vec::new(),
            loops: Vec::new(),
            d_step: None,
            d_steps: 0,
            labels: Labels::default(),
            counters: FxHashMap::default(),
            exclusive: Vec::new(),
            call: None,
        });
        for declaration in &process.parameters {
            self.parameter(declaration);
        }
        let parameters = self.parameter_places();
        let provided = process.provided.as_ref().map(|expr| {
            let provided = self.expr(expr);
            self.check_provided(&provided);
            provided
        });
        let mut body = self.scoped(|resolver| resolver.sequence(&process.body));
        let labels = self.redeem_labels(&mut body);
        let span = process.body.span;
        let end = Span { start: span.end.saturating_sub(1).max(span.start), ..span };
        let Some(current) = self.current.take() else { return };
        self.processes.push(Process {
            name: name.text.to_string(),
            span: name.span,
            kind: process.kind,
            deterministic: process.deterministic,
            active,
            priority: priority.unwrap_or(1),
            has_priority: process.priority.is_some(),
            provided,
            parameters,
            variables: current.variables,
            computes_initial: current.computes_initial,
            labels,
            exclusive: current.exclusive,
            body,
            end,
        });
    }

    fn active(&mut self, process: &tree::Process) -> u32 {
        let count = match &process.active {
            tree::Active::No => 0,
            tree::Active::One => 1,
            tree::Active::Count(expr) => match self.initial_of_name(expr) {
                Some(Some(value)) => value,
                Some(None) => {
                    self.error(
                        "constant.expected",
                        expr.span,
                        "the number of processes must be constant",
                        "write a number, or give the variable a constant initial value",
                    );
                    1
                }
                None => self.constant(expr).unwrap_or(1),
            },
        };
        if count > 255 {
            self.error(
                "process.many",
                process.name.span,
                format!("{count} processes at the start"),
                "there are at most 255 processes",
            );
        }
        count.clamp(0, 255) as u32
    }

    fn parameter_places(&mut self) -> Vec<Place> {
        let ids = self.current.as_ref().map(|current| current.variables.clone()).unwrap_or_default();
        let mut places = Vec::new();
        for var in ids {
            let variable = &self.variables[var.0 as usize];
            let (ty, span) = (variable.ty, variable.span);
            match ty {
                Type::Scalar(ty) => {
                    places.push(Place { var, index: None, fields: Vec::new(), ty, span });
                }
                Type::Structure(structure) => {
                    let whole = Whole { var, index: None, fields: Vec::new(), structure, span };
                    self.flatten_place(&whole, &mut places);
                    let array = |place: &Place| place.fields.iter().any(|access| access.index.is_some());
                    if places.iter().any(array) {
                        self.error(
                            "process.parameter.array",
                            span,
                            "this parameter is a structure with an array in it",
                            "pass elements, or put the array into a global",
                        );
                    }
                }
            }
        }
        places
    }

    #[inline(never)]
    pub(super) fn exclusive(&mut self, channel: &tree::Reference, receive: bool, span: Span) {
        self.has_exclusive = true;
        let Some(place) = self.place(channel) else { return };
        if place.ty != Scalar::Chan {
            self.error(
                "exclusive.channel",
                channel.span,
                "this is no channel",
                "`xr` and `xs` name channels",
            );
            return;
        }
        if place.index.is_some() || place.fields.iter().any(|access| access.index.is_some()) {
            self.error(
                "exclusive.array",
                channel.span,
                "an element of an array cannot be claimed",
                "use a channel variable: `chan c = q[3]; xr c`",
            );
            return;
        }
        let Some(id) = self.current.as_ref().map(|current| current.id) else { return };
        let (owner, before) = *self.claims.entry((place.var, receive)).or_insert((id, span));
        if owner != id {
            self.report(
                source::Diagnostic::error(
                    "exclusive.conflict",
                    span,
                    "two processes claim the same end of a channel",
                )
                .label(before, "claimed here before")
                .help("only one process may have `xr`, and only one `xs`, on a channel"),
            );
        }
        if let Some(current) = &mut self.current {
            current.exclusive.push(Exclusive { channel: place, receive, span });
        }
    }
}
