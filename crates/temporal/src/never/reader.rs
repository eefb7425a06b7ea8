//! Reads never claims of the form that translators write: labelled `if`/`do` statements whose options are a guard
//! and a `goto`.
//!
//! Guards are Boolean combinations of opaque expressions, read with the SPIN dialect's own parser. Claims that
//! do more (assignments, `else`, nested statements) belong to a reader of Promela, and the message says so.

use rustc_hash::FxHashMap;
use source::{Diagnostic, FileId, Span};

use crate::automaton::{AcceptanceKind, Automaton, Marks};
use crate::bdd::{Bdd, BddManager};
use crate::formula::{Formula, FormulaStore, Node};
use crate::limits;
use crate::normal_form::negative_normal_form;
use crate::symbolic::{Graph, GraphEdge};
use crate::syntax::{Dialect, parse};

/// Reads a claim; the automaton is there exactly if no diagnostic is an error.
pub fn read_never_claim(file: FileId, text: &str) -> (Option<Automaton>, Vec<Diagnostic>) {
    let mut reader = Reader {
        file,
        text: without_comments(text),
        at: 0,
        diagnostics: Vec::new(),
        store: FormulaStore::new(),
        states: Vec::new(),
    };
    reader.claim();
    let automaton = reader.build();
    let diagnostics = reader.diagnostics;
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    (automaton.filter(|_| !failed), parse::bounded(diagnostics, limits::MESSAGES))
}

/// Comments and preprocessor lines become spaces, so that places stay what they were.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let length = if rest.starts_with(b"/*") {
            rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
        } else if rest.starts_with(b"//") || rest.starts_with(b"#") {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else {
            at += 1;
            continue;
        };
        bytes[at..at + length].iter_mut().for_each(|byte| *byte = if *byte == b'\n' { b'\n' } else { b' ' });
        at += length;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[derive(Default)]
struct ClaimState {
    labels: Vec<String>,
    options: Vec<(Formula, Target)>,
}

#[derive(Clone, PartialEq, Eq)]
enum Target {
    Label(String, Span),
    /// The statement after this one.
    Next,
    /// The claim ends: whatever follows is accepted.
    Accept,
}

struct Reader {
    file: FileId,
    text: String,
    at: usize,
    diagnostics: Vec<Diagnostic>,
    store: FormulaStore,
    states: Vec<ClaimState>,
}

impl Reader {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
    }

    fn span(&self, length: usize) -> Span {
        Span::new(self.file, self.at.min(self.text.len()), (self.at + length).min(self.text.len()))
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, help: &str) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.diagnostics.push(Diagnostic::error(code, self.span(length), message).help(help));
    }

    fn take(&mut self, text: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn peek_word(&mut self) -> String {
        self.skip_space();
        self.rest().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    fn unsupported(&mut self) {
        let help = "this reader knows labelled if/do statements with options `:: (guard) -> goto label`";
        self.error("never.unsupported", "this part of the claim is not understood", help);
    }

    fn claim(&mut self) {
        if !self.take_word("never") {
            return self.error(
                "never.not-a-claim",
                "this is not a never claim",
                "a claim begins with `never {`",
            );
        }
        let name = self.peek_word();
        self.at += name.len();
        if !self.take("{") {
            return self.error("never.syntax", "`{` is expected here", "a claim begins with `never {`");
        }
        while !self.take("}") {
            let before = self.at;
            if self.rest().is_empty() {
                return self.error("never.syntax", "the claim is never closed", "add the missing `}`");
            }
            self.statement();
            if self.at == before || !self.diagnostics.is_empty() {
                if self.diagnostics.is_empty() {
                    self.unsupported();
                }
                return;
            }
        }
    }

    fn statement(&mut self) {
        let mut state = ClaimState::default();
        loop {
            let word = self.peek_word();
            let after = self.rest().get(word.len()..).unwrap_or("").trim_start();
            if word.is_empty() || !after.starts_with(':') || after.starts_with("::") {
                break;
            }
            self.at += word.len();
            self.take(":");
            state.labels.push(word);
        }
        let word = self.peek_word();
        match word.as_str() {
            "if" | "do" => {
                self.at += 2;
                let end = if word == "if" { "fi" } else { "od" };
                self.options(&mut state, end);
            }
            "skip" => {
                self.at += 4;
                self.skip_space();
                let target = if self.rest().starts_with('}') { Target::Accept } else { Target::Next };
                state.options.push((self.store.verum(), target));
            }
            "false" | "0" => self.at += word.len(),
            _ => return self.unsupported(),
        }
        self.states.push(state);
    }

    fn options(&mut self, state: &mut ClaimState, end: &str) {
        while !self.take_word(end) {
            if !self.take("::") {
                return self.unsupported();
            }
            // SPIN closes its claims with `atomic { (p) -> assert(!(p)) }`.
            let atomic = self.take_word("atomic");
            if atomic && !self.take("{") {
                return self.unsupported();
            }
            if self.peek_word() == "else" {
                return self.unsupported();
            }
            let guard = self.guard();
            let target = self.target(atomic);
            if atomic && !self.take("}") {
                return self.unsupported();
            }
            match (guard, target) {
                (Some(guard), Some(target)) => state.options.push((guard, target)),
                _ => return,
            }
        }
    }

    /// Text up to `->` or `;` outside parentheses, as a formula without temporal operators.
    fn guard(&mut self) -> Option<Formula> {
        self.skip_space();
        let start = self.at;
        let mut open = 0i32;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while end < bytes.len() {
            match bytes[end] {
                b'(' | b'[' => open += 1,
                b')' | b']' => open -= 1,
                b';' | b'}' | b'{' if open <= 0 => break,
                b'-' if open <= 0 && bytes.get(end + 1) == Some(&b'>') => break,
                b':' if open <= 0 && bytes.get(end + 1) == Some(&b':') => break,
                _ => {}
            }
            end += 1;
        }
        let text = self.text.get(start..end).unwrap_or("").to_owned();
        let (formula, diagnostics) = parse(&mut self.store, self.file, &text, Dialect::Spin);
        let moved = diagnostics.into_iter().map(|mut diagnostic| {
            for label in &mut diagnostic.labels {
                label.span =
                    Span::new(self.file, label.span.start as usize + start, label.span.end as usize + start);
            }
            diagnostic
        });
        let before = self.diagnostics.len();
        self.diagnostics.extend(moved.filter(Diagnostic::is_error));
        if self.diagnostics.len() > before {
            return None;
        }
        self.at = end;
        Some(formula)
    }

    fn target(&mut self, atomic: bool) -> Option<Target> {
        if !self.take("->") && !self.rest().trim_start().starts_with(';') {
            return Some(Target::Next);
        }
        let word = self.peek_word();
        match word.as_str() {
            "goto" => {
                self.at += 4;
                let label = self.peek_word();
                let span = self.span(label.len());
                self.at += label.len();
                Some(Target::Label(label, span))
            }
            "skip" | "break" => {
                self.at += word.len();
                Some(Target::Next)
            }
            "assert" if atomic => {
                let close = self.rest().find('}').unwrap_or(self.rest().len());
                self.at += close;
                Some(Target::Accept)
            }
            _ => {
                self.unsupported();
                None
            }
        }
    }

    fn build(&mut self) -> Option<Automaton> {
        if !self.diagnostics.is_empty() || self.states.is_empty() {
            if self.diagnostics.is_empty() {
                self.error("never.empty", "the claim has no statement", "write at least one state");
            }
            return None;
        }
        let propositions = self.store.propositions().to_vec();
        if propositions.len() > limits::PROPOSITIONS {
            let message = format!("{} propositions are too many", propositions.len());
            self.error("never.too-many-propositions", message, "automata read at most 64 propositions");
            return None;
        }
        let mut labels: FxHashMap<String, u32> = FxHashMap::default();
        for (number, state) in self.states.iter().enumerate() {
            labels.extend(state.labels.iter().map(|label| (label.clone(), number as u32)));
        }
        let mut manager = BddManager::new();
        let accept = self.states.len() as u32;
        let mut graph = Graph { initial: 0, states: Vec::new(), sets: 1, state_based: true };
        for number in 0..self.states.len() {
            let accepting = self.states[number].labels.iter().any(|label| label.starts_with("accept"));
            let marks = Marks(accepting as u32);
            let mut edges = Vec::new();
            for (guard, target) in std::mem::take(&mut self.states[number].options) {
                let target = match target {
                    Target::Next | Target::Accept if number as u32 + 1 == accept => accept,
                    Target::Accept => accept,
                    Target::Next => number as u32 + 1,
                    Target::Label(label, span) => match labels.get(&label) {
                        Some(target) => *target,
                        None => {
                            let message = format!("the label `{label}` does not exist");
                            let diagnostic = Diagnostic::error("never.unknown-label", span, message);
                            self.diagnostics.push(diagnostic.help("define it or correct its name"));
                            return None;
                        }
                    },
                };
                let guard = negative_normal_form(&mut self.store, guard, false);
                let Some(label) = boolean(&self.store, guard, &mut manager) else {
                    let message = "a guard of a claim has no temporal operators";
                    self.error("never.temporal-guard", message, "write the property as a formula instead");
                    return None;
                };
                edges.push(GraphEdge { label, target, marks });
            }
            graph.states.push(edges);
        }
        graph.states.push(vec![GraphEdge { label: Bdd::TRUE, target: accept, marks: Marks(1) }]);
        graph.merge_edges(&mut manager);
        graph.renumber();
        let automaton = graph.to_automaton(&mut manager, propositions, AcceptanceKind::Sba);
        (!manager.is_exhausted()).then_some(automaton)
    }
}

fn boolean(store: &FormulaStore, formula: Formula, manager: &mut BddManager) -> Option<Bdd> {
    match store.node(formula) {
        Node::True => Some(Bdd::TRUE),
        Node::False => Some(Bdd::FALSE),
        Node::Atom(atom) => Some(manager.variable(atom.0)),
        Node::Not(a) => {
            let a = boolean(store, *a, manager)?;
            Some(manager.not(a))
        }
        Node::And(list) => {
            let mut all = Bdd::TRUE;
            for operand in list.iter() {
                let operand = boolean(store, *operand, manager)?;
                all = manager.and(all, operand);
            }
            Some(all)
        }
        Node::Or(list) => {
            let mut any = Bdd::FALSE;
            for operand in list.iter() {
                let operand = boolean(store, *operand, manager)?;
                any = manager.or(any, operand);
            }
            Some(any)
        }
        _ => None,
    }
}
