//! Labels and jumps within a process.
//!
//! SPIN looks a label up by name in the whole process, prefers one in the very scope where the name was
//! first met, then one in an enclosing scope, then any. Two labels of one name may stand in different
//! blocks (an inline expanded twice has that). Jumps are tickets until the process has been read.

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span};

use super::Resolver;
use super::program::{Label, LabelId, Stmt, StmtId, StmtKind};
use super::walk;
use crate::syntax::tree;

#[derive(Default)]
pub(super) struct Labels {
    /// Where each name was first met: SPIN's symbols, newest last.
    symbols: Vec<(std::sync::Arc<str>, u32)>,
    defined: Vec<Defined>,
    jumps: Vec<Jump>,
}

struct Defined {
    name: tree::Name,
    scope: u32,
    target: StmtId,
    d_step: Option<u32>,
}

struct Jump {
    name: tree::Name,
    scope: u32,
    d_step: Option<u32>,
    call: Option<u32>,
}

impl Labels {
    pub(super) fn is_label(&self, name: &str) -> bool {
        self.symbols.iter().any(|(symbol, _)| **symbol == *name)
    }
}

impl Resolver {
    /// The scope of the symbol that a label's name is, met here.
    fn label_symbol(&mut self, name: &tree::Name) -> u32 {
        if self.lookup(&name.text).is_some() {
            self.error(
                "label.name",
                name.span,
                format!("`{}` is a variable and cannot be a label", name.text),
                "rename the label",
            );
        }
        let Some(current) = &mut self.current else { return 0 };
        let scope = current.scope;
        let known = current
            .labels
            .symbols
            .iter()
            .rev()
            .find(|(symbol, at)| *symbol == name.text && is_within(&current.scopes, scope, *at));
        match known {
            Some((_, at)) => *at,
            None => {
                current.labels.symbols.push((name.text.clone(), scope));
                scope
            }
        }
    }

    #[inline(never)]
    pub(super) fn labelled(&mut self, name: &tree::Name, stmt: &tree::Stmt) -> Option<Stmt> {
        let scope = self.label_symbol(name);
        let mut inner = self.stmt(stmt)?;
        let Some(current) = &mut self.current else { return Some(inner) };
        let twice = current
            .labels
            .defined
            .iter()
            .find(|old| old.name.text == name.text && old.scope == scope)
            .map(|old| old.name.span);
        let id = LabelId(current.labels.defined.len() as u32);
        let d_step = current.d_step;
        current.labels.defined.push(Defined { name: name.clone(), scope, target: inner.id, d_step });
        inner.labels.insert(0, id);
        if let Some(before) = twice {
            self.report(
                Diagnostic::error(
                    "label.duplicate",
                    name.span,
                    format!("label `{}` is declared twice", name.text),
                )
                .label(before, "declared here before")
                .help("rename one"),
            );
        }
        Some(inner)
    }

    /// The ticket of a jump.
    #[inline(never)]
    pub(super) fn goto(&mut self, label: &tree::Name) -> u32 {
        let scope = self.label_symbol(label);
        let Some(current) = &mut self.current else { return 0 };
        let jump = Jump { name: label.clone(), scope, d_step: current.d_step, call: current.call };
        current.labels.jumps.push(jump);
        current.labels.jumps.len() as u32 - 1
    }

    /// Labels that have moved to another statement.
    pub(super) fn retarget_labels(&mut self, stmt: &Stmt) {
        if let Some(current) = &mut self.current {
            for label in &stmt.labels {
                if let Some(defined) = current.labels.defined.get_mut(label.0 as usize) {
                    defined.target = stmt.id;
                }
            }
        }
    }

    pub(super) fn has_special_label(&self, labels: &[LabelId]) -> bool {
        labels.iter().any(|label| {
            self.label_name(*label).is_some_and(|name| {
                ["accept", "end", "progress"].iter().any(|prefix| name.text.starts_with(prefix))
            })
        })
    }

    fn label_name(&self, label: LabelId) -> Option<&tree::Name> {
        let current = self.current.as_ref()?;
        current.labels.defined.get(label.0 as usize).map(|defined| &defined.name)
    }

    /// A label on the first statement of a block is a mistake in SPIN; on a loop it goes unnoticed.
    pub(super) fn check_first_label(&mut self, statements: &[Stmt], block: &str) {
        let Some(first) = statements.first().filter(|first| !matches!(first.kind, StmtKind::Do(_))) else {
            return;
        };
        if !first.labels.is_empty() {
            let help =
                format!("put it before the {block}: the {block} and its first statement are one place");
            self.misplaced_label(first, &help, true);
        }
    }

    pub(super) fn check_option_label(&mut self, statements: &[Stmt]) {
        let Some(first) = statements.first().filter(|first| !matches!(first.kind, StmtKind::Do(_))) else {
            return;
        };
        if !first.labels.is_empty() {
            // No run rests on a guard, so a cycle through it would never be found.
            let is_accepting =
                |label: &LabelId| self.label_name(*label).is_some_and(|name| name.text.starts_with("accept"));
            let error = first.labels.iter().any(is_accepting);
            self.misplaced_label(first, "put it before the `if` or `do`: the guards share one place", error);
        }
    }

    #[inline(never)]
    pub(super) fn misplaced_label(&mut self, stmt: &Stmt, help: &str, error: bool) {
        let Some(name) = stmt.labels.first().and_then(|label| self.label_name(*label)).cloned() else {
            return;
        };
        let message = format!("label `{}` is placed on a guard", name.text);
        if error {
            self.error("label.misplaced", name.span, message, help);
        } else {
            self.warn("label.misplaced", name.span, message, help);
        }
    }

    /// Gives every jump of the process its label, and the process its labels.
    pub(super) fn redeem_labels(&mut self, body: &mut [Stmt]) -> Vec<Label> {
        let Some(current) = &mut self.current else { return Vec::new() };
        let labels = std::mem::take(&mut current.labels);
        let scopes = current.scopes.clone();
        let mut targets = Vec::with_capacity(labels.jumps.len());
        for jump in &labels.jumps {
            let target = best_match(&labels.defined, &scopes, jump);
            targets.push(target.unwrap_or(LabelId(0)));
            let call = self.current.as_mut().map(|current| std::mem::replace(&mut current.call, jump.call));
            match target.map(|target| &labels.defined[target.0 as usize]) {
                None => self.unknown_label(&jump.name),
                Some(defined) if defined.d_step != jump.d_step => {
                    let message = if jump.d_step.is_some() {
                        "this jump leaves a d_step"
                    } else {
                        "this jump enters a d_step"
                    };
                    let place: Span = defined.name.span;
                    self.report(
                        Diagnostic::error("d_step.jump", jump.name.span, message)
                            .label(place, "to here")
                            .help("jumps stay inside a d_step; use atomic"),
                    );
                }
                Some(_) => {}
            }
            if let (Some(current), Some(call)) = (&mut self.current, call) {
                current.call = call;
            }
        }
        walk::statements(body, &mut |stmt| {
            if let StmtKind::Goto(ticket) = &mut stmt.kind
                && let Some(target) = targets.get(ticket.0 as usize)
            {
                *ticket = *target;
            }
        });
        self.check_goto_cycles(body, &labels);
        let finished = labels.defined.into_iter().map(|defined| Label {
            name: defined.name.text.to_string(),
            span: defined.name.span,
            target: defined.target,
            remote: false,
        });
        finished.collect()
    }

    /// `a: goto b; b: goto a` never reaches a statement.
    fn check_goto_cycles(&mut self, body: &mut [Stmt], labels: &Labels) {
        let mut next: FxHashMap<StmtId, LabelId> = FxHashMap::default();
        walk::statements(body, &mut |stmt| {
            if let (StmtKind::Goto(label), false) = (&stmt.kind, stmt.labels.is_empty()) {
                next.insert(stmt.id, *label);
            }
        });
        let mut done: FxHashSet<StmtId> = FxHashSet::default();
        for label in &labels.defined {
            let mut path = FxHashSet::default();
            let mut at = label.target;
            while !done.contains(&at) {
                if !path.insert(at) {
                    self.error(
                        "goto.cycle",
                        label.name.span,
                        "this jump leads back to itself",
                        "add a `skip`",
                    );
                    break;
                }
                let target = next.get(&at).and_then(|id| labels.defined.get(id.0 as usize));
                let Some(target) = target else { break };
                at = target.target;
            }
            done.extend(path);
        }
    }

    fn unknown_label(&mut self, name: &tree::Name) {
        self.error(
            "label.undefined",
            name.span,
            format!("no label `{}` in this process", name.text),
            "a jump stays inside its process",
        );
    }
}

fn is_within(scopes: &[u32], mut inner: u32, outer: u32) -> bool {
    loop {
        if inner == outer {
            return true;
        }
        match scopes.get(inner as usize) {
            Some(parent) if *parent != inner => inner = *parent,
            _ => return false,
        }
    }
}

fn best_match(defined: &[Defined], scopes: &[u32], jump: &Jump) -> Option<LabelId> {
    let mut best = None;
    for (index, label) in defined.iter().enumerate().rev() {
        if label.name.text != jump.name.text {
            continue;
        }
        let id = Some(LabelId(index as u32));
        if label.scope == jump.scope {
            return id;
        }
        if best.is_none() || is_within(scopes, jump.scope, label.scope) {
            best = id;
        }
    }
    best
}
