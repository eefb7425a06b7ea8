//! Terms with values, and their normal form: units, δ, associativity, commutativity, idempotence of choice and right
//! distribution (VMCAI 2020, section 3.1). Equal components stay side by side and are counted by states.

use source::Span;

use crate::evaluate::{Code, Evaluator, Stop, Word};
use crate::limits;

use super::components::{Node, TermId};
use super::explorer::{Explorer, UNSETTLED};
use super::program::TermCode;

impl Explorer<'_> {
    pub(super) fn node(&mut self, node: Node, span: Option<Span>) -> TermId {
        let term = self.common.term(&mut self.recent, node, span);
        self.make_room(term.0);
        term
    }

    /// Makes room for what is known of a term, which may come from another explorer.
    #[inline]
    pub(super) fn make_room(&mut self, term: u32) {
        if self.order.len() <= term as usize {
            self.make_more_room(term as usize + 1);
        }
    }

    #[cold]
    fn make_more_room(&mut self, count: usize) {
        self.normals.resize(count, None);
        self.offers.resize_with(count, || None);
        self.ends.resize(count, None);
        self.order.extend((self.order.len()..count).map(|number| UNSETTLED << 32 | number as u64));
    }

    pub(super) fn failed(&mut self, stop: Stop, span: Span) -> TermId {
        let sentence = self.sentence(stop);
        let number = self.common.sentence_of(&mut self.recent, sentence, span);
        self.node(Node::Failed(number), Some(span))
    }

    pub(super) fn evaluate(&mut self, code: &Code) -> Result<Word, Stop> {
        let mut evaluator = Evaluator {
            table: &mut self.table,
            functions: &self.program.functions,
            enumerations: &self.program.enumerations,
            variables: &mut self.variables,
            start: &[],
            now: &[],
            partials: None,
            store: None,
            depth: 0,
            steps: 0,
        };
        evaluator.word(code)
    }

    fn evaluate_all(&mut self, codes: &[Code]) -> Result<Box<[Word]>, Stop> {
        codes.iter().map(|code| self.evaluate(code)).collect()
    }

    /// A term with the values that its variables have now. Its depth is that of the term.
    pub(super) fn instantiate(&mut self, term: &TermCode) -> TermId {
        match term {
            TermCode::Empty => self.node(Node::Empty, None),
            TermCode::Deadlock => self.node(Node::Deadlock, None),
            TermCode::Action(action, arguments, span) => match self.evaluate_all(arguments) {
                Ok(arguments) => self.node(Node::Action(*action, arguments), Some(*span)),
                Err(stop) => self.failed(stop, *span),
            },
            TermCode::Call(process, arguments, span) => match self.evaluate_all(arguments) {
                Ok(arguments) => self.node(Node::Call(*process, arguments), Some(*span)),
                Err(stop) => self.failed(stop, *span),
            },
            TermCode::Sequence(a, b) => {
                let (a, b) = (self.instantiate(a), self.instantiate(b));
                self.sequence(a, b)
            }
            TermCode::Choice(a, b) => {
                let both = vec![self.instantiate(a), self.instantiate(b)];
                self.choice(both)
            }
            TermCode::Parallel(a, b) => {
                let both = vec![self.instantiate(a), self.instantiate(b)];
                self.parallel(both)
            }
            TermCode::Conditional(condition, a, b, span) => match self.evaluate(condition) {
                Ok(Word::TRUE) => self.instantiate(a),
                Ok(_) => self.instantiate(b),
                Err(stop) => self.failed(stop, *span),
            },
            TermCode::Iteration(a) => {
                let a = self.instantiate(a);
                self.node(Node::Iteration(a), None)
            }
            TermCode::Sum(number) => self.sum(*number),
            TermCode::Family(variable, low, high, body, span) => {
                let bounds = (self.evaluate(low), self.evaluate(high));
                let (low, high) = match bounds {
                    (Ok(low), Ok(high)) => (low.as_small(), high.as_small()),
                    (Err(stop), _) | (_, Err(stop)) => return self.failed(stop, *span),
                };
                let (Some(low), Some(high)) = (low, high) else { return self.failed(Stop::Budget, *span) };
                if high - low > limits::COMPONENTS as i64 {
                    return self.failed(Stop::Budget, *span);
                }
                let mut parts = Vec::new();
                for value in low..high {
                    let Some(word) = Word::small(value) else { return self.failed(Stop::Budget, *span) };
                    parts.push(self.with_variable(*variable, word, |explorer| explorer.instantiate(body)));
                }
                self.parallel(parts)
            }
            TermCode::Foreign(number, span) => self.failed(Stop::Foreign(*number), *span),
        }
    }

    pub(super) fn with_variable<T>(
        &mut self,
        variable: u32,
        word: Word,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = std::mem::replace(&mut self.variables[variable as usize], word);
        let result = work(self);
        self.variables[variable as usize] = before;
        result
    }

    /// P·Q as it is kept: grouped to the right, without ε.
    fn sequence(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.common.node(a), self.common.node(b)) {
            (Node::Empty, _) => b,
            (_, Node::Empty) => a,
            (Node::Deadlock | Node::Failed(_), _) => a,
            (Node::Sequence(first, rest), _) => {
                let (first, rest) = (*first, *rest);
                let rest = self.sequence(rest, b);
                self.node(Node::Sequence(first, rest), None)
            }
            _ => self.node(Node::Sequence(a, b), None),
        }
    }

    /// P+Q as it is kept: flat, sorted, each once, without δ.
    fn choice(&mut self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            match self.common.node(part) {
                Node::Choice(inner) => flat.extend(inner.iter().copied()),
                Node::Deadlock => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat[..] {
            [] => self.node(Node::Deadlock, None),
            [only] => only,
            _ => self.node(Node::Choice(flat.into()), None),
        }
    }

    /// P‖Q as it is kept: flat, sorted, without ε, with δ at most once.
    fn parallel(&mut self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            match self.common.node(part) {
                Node::Parallel(inner) => flat.extend(inner.iter().copied()),
                Node::Empty => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        let deadlock = self.node(Node::Deadlock, None);
        let mut seen = false;
        flat.retain(|part| *part != deadlock || !std::mem::replace(&mut seen, true));
        match flat[..] {
            [] => self.node(Node::Empty, None),
            [only] => only,
            _ => self.node(Node::Parallel(flat.into()), None),
        }
    }

    /// The normal form: what comes first is an action, a sum, an iteration, or some of these side by side.
    pub(super) fn normal(&mut self, term: TermId) -> Result<TermId, String> {
        if let Some(known) = self.known_normal(term) {
            self.make_room(term.0);
            self.normals[term.0 as usize] = Some(known);
            return Ok(known);
        }
        if self.unfoldings >= limits::EXPLORED_UNFOLDINGS {
            return Err("processes are unfolded without end before an action is done".to_string());
        }
        self.unfoldings += 1;
        let result = self.normal_node(term);
        self.unfoldings -= 1;
        let normal = result?;
        for term in [term, normal] {
            self.make_room(term.0);
            self.normals[term.0 as usize] = Some(normal);
            self.common.set_normal(term, normal);
        }
        Ok(normal)
    }

    /// The normal form of a term, where some explorer has found it. It is the same whoever finds it.
    pub(super) fn known_normal(&self, term: TermId) -> Option<TermId> {
        self.normals.get(term.0 as usize).copied().flatten().or_else(|| self.common.normal(term))
    }

    fn normal_node(&mut self, term: TermId) -> Result<TermId, String> {
        match self.common.node(term).clone() {
            Node::Empty | Node::Deadlock | Node::Action(..) | Node::Sum(..) | Node::Failed(_) => Ok(term),
            Node::Call(process, arguments) => {
                let unfolded = self.unfolded(process, &arguments);
                self.normal(unfolded)
            }
            Node::Sequence(first, rest) => {
                let first = self.normal(first)?;
                self.normal_sequence(first, rest)
            }
            Node::Choice(parts) => {
                let mut normal = Vec::new();
                for part in &parts {
                    normal.push(self.normal(*part)?);
                }
                Ok(self.choice(normal))
            }
            Node::Parallel(parts) => {
                let mut normal = Vec::new();
                for part in &parts {
                    normal.push(self.normal(*part)?);
                }
                Ok(self.parallel(normal))
            }
            Node::Iteration(inner) => {
                let inner = self.normal(inner)?;
                match self.common.node(inner) {
                    Node::Empty | Node::Deadlock => Ok(self.node(Node::Empty, None)),
                    Node::Iteration(_) => Ok(inner),
                    _ => Ok(self.node(Node::Iteration(inner), None)),
                }
            }
        }
    }

    fn normal_sequence(&mut self, first: TermId, rest: TermId) -> Result<TermId, String> {
        match self.common.node(first).clone() {
            Node::Empty => self.normal(rest),
            Node::Choice(parts) => {
                let mut all = Vec::new();
                for part in &parts {
                    let joined = self.sequence(*part, rest);
                    all.push(self.normal(joined)?);
                }
                Ok(self.choice(all))
            }
            _ => Ok(self.sequence(first, rest)),
        }
    }

    /// The body of a process for arguments.
    fn unfolded(&mut self, process: u32, arguments: &[Word]) -> TermId {
        let program = self.program.clone();
        let code = &program.processes[process as usize];
        let mut values = arguments.to_vec();
        for (parameter, value) in code.parameters.iter().zip(&mut values) {
            std::mem::swap(&mut self.variables[*parameter as usize], value);
        }
        let body = self.instantiate(&code.body);
        for (parameter, value) in code.parameters.iter().zip(&mut values) {
            std::mem::swap(&mut self.variables[*parameter as usize], value);
        }
        body
    }

    /// The components of a term in normal form.
    pub(super) fn components(&self, term: TermId, into: &mut Vec<u32>) {
        match self.common.node(term) {
            Node::Empty => {}
            Node::Parallel(parts) => into.extend(parts.iter().map(|part| part.0)),
            _ => into.push(term.0),
        }
    }

    /// P·Q in normal form, from parts of which the first is.
    pub(super) fn followed(&mut self, first: TermId, rest: TermId) -> Result<TermId, String> {
        let joined = self.sequence(first, rest);
        self.normal(joined)
    }

    /// Components side by side, in normal form.
    pub(super) fn side_by_side(&mut self, parts: Vec<TermId>) -> Result<TermId, String> {
        let joined = self.parallel(parts);
        self.normal(joined)
    }

    pub(super) fn chosen(&mut self, parts: Vec<TermId>) -> TermId {
        self.choice(parts)
    }
}
