//! Reads one automaton in the HOA format.
//!
//! Labels may be explicit, implicit, on states, or use aliases; marks may sit on states or edges; several start
//! states become one fresh state. What is not a nondeterministic automaton with (something like) generalised Büchi
//! acceptance is refused with a diagnostic that names it.

use rustc_hash::FxHashMap;
use source::{Diagnostic, FileId, Span};

use super::acceptance::{Condition, Meaning};
use super::lexer::{Kind, Token, tokenise};
use crate::automaton::{AcceptanceKind, Automaton, Marks};
use crate::bdd::{Bdd, BddManager};
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// Reads an automaton; it is there exactly if no diagnostic is an error.
pub fn read_hoa(file: FileId, text: &str) -> (Option<Automaton>, Vec<Diagnostic>) {
    let (tokens, diagnostics) = tokenise(file, text);
    let mut reader = Reader {
        tokens,
        at: 0,
        diagnostics,
        manager: BddManager::new(),
        header: Header::default(),
        states: FxHashMap::default(),
    };
    let automaton = reader.automaton();
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    (automaton.filter(|_| !failed), parse::bounded(diagnostics, limits::MESSAGES))
}

#[derive(Default)]
pub(super) struct Header {
    name: Option<String>,
    states: Option<u64>,
    starts: Vec<u32>,
    pub(super) propositions: Option<Vec<String>>,
    pub(super) aliases: FxHashMap<String, Bdd>,
    condition: Option<(Condition, Span)>,
    acceptance_name: Option<String>,
    sets: u64,
}

#[derive(Default)]
struct ReadState {
    edges: Vec<ReadEdge>,
    marks: Vec<u32>,
}

struct ReadEdge {
    label: Bdd,
    target: u32,
    marks: Vec<u32>,
}

pub(super) struct Reader {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    diagnostics: Vec<Diagnostic>,
    pub(super) manager: BddManager,
    pub(super) header: Header,
    states: FxHashMap<u32, ReadState>,
}

impl Reader {
    pub(super) fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    pub(super) fn is_symbol(&self, symbol: char) -> bool {
        *self.kind() == Kind::Symbol(symbol)
    }

    pub(super) fn take_symbol(&mut self, symbol: char) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_symbol(&mut self, symbol: char) {
        if !self.take_symbol(symbol) {
            let span = self.span();
            let help = "see https://adl.github.io/hoaf/ for the format";
            self.error("hoa.syntax", span, format!("`{symbol}` is expected here"), help);
        }
    }

    pub(super) fn take_number(&mut self) -> Option<u64> {
        let Kind::Number(value) = *self.kind() else { return None };
        self.advance();
        Some(value)
    }

    pub(super) fn expect_number(&mut self, what: &str) -> u64 {
        self.take_number().unwrap_or_else(|| {
            let span = self.span();
            let help = "see https://adl.github.io/hoaf/ for the format";
            self.error("hoa.syntax", span, format!("{what} is expected here"), help);
            0
        })
    }

    fn automaton(&mut self) -> Option<Automaton> {
        if *self.kind() != Kind::Header("HOA".to_owned()) {
            let span = self.span();
            let help = "the first line of an automaton in this format is `HOA: v1`";
            self.error("hoa.not-hoa", span, "this is not an automaton in the HOA format", help);
            return None;
        }
        self.advance();
        if !matches!(self.kind(), Kind::Word(version) if version.starts_with("v1")) {
            let span = self.span();
            self.error(
                "hoa.version",
                span,
                "only version 1 of the format is known",
                "convert it to `HOA: v1`",
            );
        }
        self.advance();
        while let Kind::Header(name) = self.kind().clone() {
            let span = self.span();
            self.advance();
            self.header_item(&name, span);
        }
        if *self.kind() != Kind::Body {
            let span = self.span();
            let help = "the header ends with `--BODY--`";
            self.error("hoa.syntax", span, "a header item or the body is expected here", help);
            return None;
        }
        self.advance();
        let meaning = self.acceptance()?;
        self.body();
        self.build(&meaning)
    }

    fn header_item(&mut self, name: &str, span: Span) {
        match name {
            "States" => self.header.states = Some(self.expect_number("the number of states")),
            "Start" => {
                let state = self.expect_number("a state");
                self.header.starts.push(state.min(u64::from(u32::MAX)) as u32);
                if self.is_symbol('&') {
                    let help = "only nondeterministic automata are read";
                    self.error("hoa.alternating", span, "alternating automata are not supported", help);
                    self.skip_item();
                }
            }
            "AP" => {
                let count = self.expect_number("the number of propositions");
                let mut names = Vec::new();
                while let Kind::Text(name) = self.kind().clone() {
                    names.push(name);
                    self.advance();
                }
                if names.len() as u64 != count {
                    let message = format!("{count} propositions are announced and {} are named", names.len());
                    self.error("hoa.propositions", span, message, "name each proposition in double quotes");
                }
                if names.len() > limits::PROPOSITIONS {
                    let message = format!("{} propositions are too many", names.len());
                    let help = format!("automata read at most {} propositions", limits::PROPOSITIONS);
                    self.error("hoa.too-many-propositions", span, message, help);
                    names.truncate(limits::PROPOSITIONS);
                }
                self.header.propositions = Some(names);
            }
            "Alias" => {
                let Kind::Alias(alias) = self.kind().clone() else {
                    return self.error(
                        "hoa.syntax",
                        span,
                        "an alias begins with `@`",
                        "write `Alias: @name label`",
                    );
                };
                self.advance();
                let label = self.label(0);
                self.header.aliases.insert(alias, label);
            }
            "Acceptance" => {
                self.header.sets = self.expect_number("the number of acceptance sets");
                let condition = self.condition(0);
                self.header.condition = Some((condition, span));
            }
            "acc-name" => {
                let start = self.at;
                self.skip_item();
                let words = self.tokens[start..self.at].iter().map(|token| match &token.kind {
                    Kind::Word(word) => word.clone(),
                    Kind::Number(number) => number.to_string(),
                    _ => String::new(),
                });
                self.header.acceptance_name = Some(words.collect::<Vec<_>>().join(" "));
            }
            "name" => {
                if let Kind::Text(name) = self.kind().clone() {
                    self.header.name = Some(name);
                }
                self.skip_item();
            }
            _ if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let message = format!("the header item `{name}:` is not known");
                self.error("hoa.unknown-header", span, message, "it may change the meaning of the automaton");
                self.skip_item();
            }
            _ => self.skip_item(),
        }
    }

    fn skip_item(&mut self) {
        while !matches!(self.kind(), Kind::Header(_) | Kind::Body | Kind::EndOfFile) {
            self.advance();
        }
    }

    fn acceptance(&mut self) -> Option<Meaning> {
        let Some((condition, span)) = self.header.condition.clone() else {
            let span = self.span();
            let help = "add for instance `Acceptance: 1 Inf(0)`";
            self.error("hoa.no-acceptance", span, "the header says nothing about acceptance", help);
            return None;
        };
        let meaning = condition.meaning();
        if meaning == Meaning::Unsupported {
            let name = self.header.acceptance_name.clone().unwrap_or_else(|| "this condition".to_owned());
            let message = format!("acceptance by {name} is not supported");
            let help = "Büchi, generalised Büchi and other positive combinations of Inf are; convert the automaton first, \
                        for instance with `autfilt --tgba`";
            self.error("hoa.unsupported-acceptance", span, message, help);
        }
        Some(meaning)
    }

    fn body(&mut self) {
        loop {
            let span = self.span();
            match self.kind().clone() {
                Kind::Header(name) if name == "State" => {
                    self.advance();
                    self.state(span);
                }
                Kind::End => return,
                Kind::Abort => {
                    let help = "the tool that wrote it gave up";
                    return self.error("hoa.aborted", span, "the automaton was aborted by its writer", help);
                }
                Kind::EndOfFile => {
                    let help = "the body ends with `--END--`";
                    return self.error("hoa.syntax", span, "the automaton ends too early", help);
                }
                _ => {
                    self.error("hoa.syntax", span, "a state is expected here", "states begin with `State:`");
                    while !matches!(self.kind(), Kind::Header(_) | Kind::End | Kind::Abort | Kind::EndOfFile)
                    {
                        self.advance();
                    }
                    if matches!(self.kind(), Kind::Header(name) if name != "State") {
                        self.advance();
                    }
                }
            }
        }
    }

    fn bracketed_label(&mut self) -> Option<Bdd> {
        if !self.take_symbol('[') {
            return None;
        }
        let label = self.label(0);
        self.expect_symbol(']');
        Some(label)
    }

    fn marks(&mut self) -> Vec<u32> {
        let mut marks = Vec::new();
        if self.take_symbol('{') {
            loop {
                let span = self.span();
                let Some(set) = self.take_number() else { break };
                if set >= self.header.sets {
                    let message = format!("there is no acceptance set {set}");
                    let help = format!("{} sets are announced, counted from 0", self.header.sets);
                    self.error("hoa.unknown-set", span, message, help);
                } else {
                    marks.push(set as u32);
                }
            }
            self.expect_symbol('}');
        }
        marks
    }

    fn known_state(&mut self, number: u64, span: Span) -> u32 {
        let limit = self.header.states.unwrap_or(limits::HOA_STATES).min(limits::HOA_STATES);
        if number >= limit {
            let message = format!("there is no state {number}");
            self.error("hoa.unknown-state", span, message, format!("states are numbered below {limit}"));
            return 0;
        }
        number as u32
    }

    fn state(&mut self, start: Span) {
        let state_label = self.bracketed_label();
        let span = self.span();
        let number = self.expect_number("the number of a state");
        let number = self.known_state(number, span);
        if let Kind::Text(_) = self.kind() {
            self.advance();
        }
        let marks = self.marks();
        let mut edges: Vec<ReadEdge> = Vec::new();
        let mut implicit = 0usize;
        loop {
            let span = self.span();
            let label = self.bracketed_label();
            let Some(target) = self.take_number() else {
                if label.is_some() {
                    self.error(
                        "hoa.syntax",
                        span,
                        "this label has no state to lead to",
                        "name the next state",
                    );
                }
                break;
            };
            let target = self.known_state(target, span);
            if self.is_symbol('&') {
                let help = "only nondeterministic automata are read";
                self.error("hoa.alternating", span, "alternating automata are not supported", help);
                while self.take_symbol('&') {
                    self.take_number();
                }
            }
            let label = label.or(state_label).unwrap_or_else(|| {
                implicit += 1;
                self.implicit_label(implicit - 1)
            });
            let edge_marks = self.marks();
            edges.push(ReadEdge { label, target, marks: edge_marks });
        }
        let letters = 1usize.checked_shl(self.header.propositions.as_ref().map_or(0, Vec::len) as u32);
        if implicit > 0 && (Some(implicit) != letters || edges.len() != implicit) {
            let message = format!("{implicit} edges of this state have no label");
            let help = "without labels a state has one edge for each letter, in order";
            self.error("hoa.implicit-labels", start.to(span), message, help);
        }
        if self.states.insert(number, ReadState { edges, marks }).is_some() {
            let message = format!("state {number} is described twice");
            self.error("hoa.duplicate-state", span, message, "describe each state once");
        }
    }

    /// The letter whose bits are the binary digits of the index.
    fn implicit_label(&mut self, index: usize) -> Bdd {
        let count = self.header.propositions.as_ref().map_or(0, Vec::len).min(usize::BITS as usize - 1);
        let literals: Vec<(u32, bool)> = (0..count).map(|bit| (bit as u32, index >> bit & 1 == 1)).collect();
        self.manager.conjunction_of(&literals)
    }

    fn build(&mut self, meaning: &Meaning) -> Option<Automaton> {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return None;
        }
        let referenced = self.states.iter().flat_map(|(number, state)| {
            [*number].into_iter().chain(state.edges.iter().map(|edge| edge.target))
        });
        let largest = referenced.chain(self.header.starts.iter().copied()).max();
        let count = self.header.states.map_or(largest.map_or(0, |l| u64::from(l) + 1), |count| count);
        if count > limits::HOA_STATES || self.header.starts.iter().any(|start| u64::from(*start) >= count) {
            let span = self.span();
            let help = "start states are numbered like all states, from 0";
            self.error(
                "hoa.unknown-state",
                span,
                "a start state does not exist or there are too many states",
                help,
            );
            return None;
        }
        let mut uniform = true;
        let mut states: Vec<Vec<GraphEdge>> = Vec::with_capacity(count as usize);
        for number in 0..count as u32 {
            let state = self.states.remove(&number).unwrap_or_default();
            let edges: Vec<GraphEdge> = state
                .edges
                .iter()
                .filter(|edge| !edge.label.is_false())
                .map(|edge| {
                    let written = [state.marks.as_slice(), &edge.marks].concat();
                    GraphEdge { label: edge.label, target: edge.target, marks: meaning.marks(&written) }
                })
                .collect();
            uniform &= edges.windows(2).all(|pair| pair[0].marks == pair[1].marks);
            states.push(edges);
        }
        let initial = match self.header.starts.as_slice() {
            [single] => *single,
            starts => {
                // No start state accepts nothing; several become one that can do what each of them can.
                let edges: Vec<GraphEdge> =
                    starts.iter().flat_map(|start| states[*start as usize].clone()).collect();
                let edges = edges
                    .into_iter()
                    .map(|edge| GraphEdge { marks: if uniform { Marks::NONE } else { edge.marks }, ..edge });
                states.push(edges.collect());
                states.len() as u32 - 1
            }
        };
        let mut graph = Graph { initial, states, sets: meaning.sets(), state_based: uniform };
        graph.merge_edges(&mut self.manager);
        let kind = match (uniform, graph.sets == 1) {
            (true, true) => AcceptanceKind::Sba,
            (true, false) => AcceptanceKind::Sgba,
            (false, true) => AcceptanceKind::Tba,
            (false, false) => AcceptanceKind::Tgba,
        };
        let propositions = self.header.propositions.take().unwrap_or_default();
        let mut automaton = graph.to_automaton(&mut self.manager, propositions, kind);
        if self.manager.is_exhausted() {
            let span = self.span();
            self.error(
                "hoa.too-large",
                span,
                "the labels are too complicated",
                "simplify the automaton first",
            );
            return None;
        }
        automaton.name = self.header.name.take();
        Some(automaton)
    }
}
