//! Where each generated Silver node comes from.
//!
//! A generated node has a span in a file of its own, which has no text: its start is the number of an [`Origin`].
//! What the engine says about a node is thereby said about a place of the PVL program and about what the node is
//! there for, also where one place gives rise to many nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{FileId, Span};

/// What a node is there for, as far as a failure depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    #[default]
    Plain,
    /// Whatever fails here has this code.
    Code(&'static str),
    /// What fails here is a contract: this code with the reason behind a colon.
    Base(&'static str),
    /// A location that is read or written; without the permission the code is this.
    Location(&'static str),
    /// An assertion that is checked on entry to a loop and after each round.
    Invariant { established: &'static str, preserved: &'static str },
    /// A clause that came from `context_everywhere`.
    Everywhere,
    /// A condition that nobody wrote.
    Hidden,
    /// A resource whose receiver must be injective; otherwise the code is this.
    Quantified(&'static str),
}

/// The place of the PVL program that a node stands for, and its role.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub span: Span,
    pub role: Role,
}

/// All origins of a lowered program.
#[derive(Clone, Debug)]
pub struct Origins {
    file: FileId,
    origins: Vec<Origin>,
    /// Lines of the prelude that say what their failure is called.
    prelude: Vec<(Span, &'static str)>,
    /// What the files of the prelude are called.
    theories: FxHashMap<FileId, Arc<str>>,
    /// The places of members of the prelude that were built.
    built_prelude: FxHashSet<FileId>,
    /// Nodes that were made together, by the numbers of the first and behind the last, and what they are there for.
    regions: Vec<(u32, u32, Role)>,
    /// Assertions that stand for the statement around them when it fails: what the assertion was before, and the
    /// origin of the statement.
    statements: FxHashMap<u32, (Span, Origin)>,
    /// Lookups in maps, which are written as those in sequences are.
    map_lookups: FxHashSet<u32>,
    /// Quantifiers that the program writes.
    quantifiers: BTreeSet<Span>,
}

impl Origins {
    /// `file` is the file without text that generated spans are in.
    pub(super) fn new(file: FileId) -> Origins {
        Origins {
            file,
            origins: Vec::new(),
            prelude: Vec::new(),
            theories: FxHashMap::default(),
            built_prelude: FxHashSet::default(),
            regions: Vec::new(),
            statements: FxHashMap::default(),
            map_lookups: FxHashSet::default(),
            quantifiers: BTreeSet::new(),
        }
    }

    pub(super) fn add(&mut self, span: Span, role: Role) -> Span {
        let number = self.origins.len() as u32;
        self.origins.push(Origin { span, role });
        Span { file: self.file, start: number, end: number + 1 }
    }

    /// Another span for an assertion: a failure of the statement around it is reported there, and is about the
    /// statement, while the assertion may also be the part that is to blame.
    pub(super) fn add_statement(&mut self, assertion: Span, place: Span, role: Role) -> Span {
        let inner = self.get(assertion).unwrap_or(Origin { span: place, role: Role::Plain });
        let span = self.add(inner.span, inner.role);
        self.statements.insert(span.start, (assertion, Origin { span: place, role }));
        if self.quantifiers.contains(&assertion) {
            self.quantifiers.insert(span);
        }
        span
    }

    /// The origin of the statement that fails at a node.
    pub(super) fn statement(&self, node: Span) -> Option<Origin> {
        let known = self.statements.get(&node.start).filter(|_| node.file == self.file);
        known.map(|(_, origin)| *origin).or_else(|| self.get(node))
    }

    pub(super) fn add_map_lookup(&mut self, node: Span) {
        self.map_lookups.insert(node.start);
    }

    /// Says that a quantifier is one of the program.
    pub(super) fn add_quantifier(&mut self, node: Span) {
        self.quantifiers.insert(node);
    }

    /// The quantifiers that the program writes; all others were made for proofs, with triggers that leave nothing out.
    pub fn quantifiers(&self) -> &BTreeSet<Span> {
        &self.quantifiers
    }

    pub(super) fn is_map_lookup(&self, node: Span) -> bool {
        node.file == self.file && self.map_lookups.contains(&node.start)
    }

    /// Whether the span is of a node that stands for a place of the PVL program, not of the prelude.
    pub(super) fn is_own(&self, node: Span) -> bool {
        node.file == self.file && !self.built_prelude.contains(&self.place(node).file)
    }

    /// A point in time: nodes made from now on have higher numbers.
    pub(super) fn mark(&self) -> u32 {
        self.origins.len() as u32
    }

    /// Says what the nodes made since a mark are there for, where they do not say so themselves.
    pub(super) fn add_region(&mut self, mark: u32, role: Role) {
        if role != Role::Plain {
            self.regions.push((mark, self.mark(), role));
        }
    }

    /// The role of the innermost region around a node.
    pub fn region(&self, node: Span) -> Option<Role> {
        if node.file != self.file {
            return None;
        }
        if let Some((inner, _)) = self.statements.get(&node.start) {
            return self.region(*inner);
        }
        let around = self.regions.iter().filter(|(start, end, _)| *start <= node.start && node.start < *end);
        around.min_by_key(|(start, end, _)| end - start).map(|(_, _, role)| *role)
    }

    /// Remembers what a text of the prelude is called and what its comments say.
    pub(super) fn add_prelude(&mut self, file: FileId, theory: &str, text: &'static str) {
        self.theories.insert(file, theory.into());
        let mut start = 0;
        for line in text.split('\n') {
            if let Some((_, code)) = line.split_once("//: ") {
                self.prelude.push((Span::new(file, start, start + line.len()), code.trim()));
            }
            start += line.len() + 1;
        }
    }

    /// Remembers that what is at places of this file is part of the prelude, though it has no text.
    pub(super) fn add_built_prelude(&mut self, file: FileId, theory: &str) {
        self.theories.insert(file, theory.into());
        self.built_prelude.insert(file);
    }

    /// What a file is called that is part of the prelude.
    pub fn theory(&self, file: FileId) -> Option<&str> {
        self.theories.get(&file).map(|theory| &**theory)
    }

    /// The origin of a node; `None` for a span that is neither of a generated node nor of the prelude.
    pub fn get(&self, node: Span) -> Option<Origin> {
        if node.file == self.file {
            return self.origins.get(node.start as usize).copied();
        }
        let contains =
            |line: &Span| line.file == node.file && line.start <= node.start && node.start <= line.end;
        let (_, code) = self.prelude.iter().find(|(line, _)| contains(line))?;
        Some(Origin { span: node, role: Role::Code(code) })
    }

    /// The place of the statement that a node stands for; other spans are left as they are.
    pub fn statement_place(&self, node: Span) -> Span {
        self.statement(node).map_or(node, |origin| origin.span)
    }

    /// The place in the PVL program; other spans are left as they are.
    pub fn place(&self, node: Span) -> Span {
        self.get(node).map_or(node, |origin| origin.span)
    }
}
