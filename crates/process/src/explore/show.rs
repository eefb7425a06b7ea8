//! States, terms and steps of an explorer as people read them, and why nothing moves.

use source::Span;

use crate::evaluate::Word;
use crate::model::{ActionId, Parameter};
use crate::value::Value;

use super::components::{Node, TermId};
use super::explorer::{COUNT, Explorer, Step, StepText};
use super::offers::What;

impl Explorer<'_> {
    /// The actions that a state where nothing moves offers, and why they cannot be done.
    pub fn blocked(&mut self, state: &[u32]) -> Vec<(String, String)> {
        let (_, fields, components) = self.split(state);
        let mut found = Vec::new();
        for component in components.iter().filter(|word| **word & COUNT == 0) {
            let Ok(offers) = self.take_offers(*component) else { continue };
            for offer in offers.iter() {
                let (text, why) = match &offer.what {
                    What::Label(label) => {
                        let (action, words) = self.common.label(*label);
                        let words = words.to_vec();
                        let action_model = &self.model.actions[action as usize];
                        let text = self.applied(&action_model.name, &action_model.parameters, &words);
                        (text, self.why_blocked(action, &words, &fields))
                    }
                    What::Sum { .. } => {
                        (self.show(TermId(*component), 0), "no value makes its action possible".to_string())
                    }
                };
                found.push((text, why));
            }
            self.keep_offers(*component, offers);
        }
        found
    }

    fn why_blocked(&mut self, action: u32, words: &[Word], fields: &[Word]) -> String {
        let program = self.program.clone();
        let code = &program.actions[action as usize];
        let saved = self.bind(&code.parameters, words);
        let mut why = "no store satisfies its `ensures`".to_string();
        for (index, guard) in code.conditions[..code.guards].iter().enumerate() {
            if self.in_fields(guard, fields, fields) != Ok(Word::TRUE) {
                why = format!("conjunct {} of its `requires` is false", index + 1);
                break;
            }
        }
        self.unbind(&code.parameters, saved);
        why
    }

    /// The term of a state.
    pub fn term(&self, state: &[u32]) -> String {
        let components = &state[self.here.behind(state)..];
        let mut parts = Vec::new();
        let mut index = 0;
        while index < components.len() {
            let count = components.get(index + 1).filter(|word| **word & COUNT != 0);
            let shown = self.show(TermId(components[index]), 0);
            parts.push(match count {
                Some(count) => format!("{} times {shown}", count & !COUNT),
                None => shown,
            });
            index += if count.is_some() { 2 } else { 1 };
        }
        if parts.is_empty() { "empty".to_string() } else { parts.join(" || ") }
    }

    /// A step as people read it.
    pub fn text(&self, step: &Step) -> StepText {
        let (action, words) = self.common.label(step.label);
        let parameters = &self.model.actions[action as usize].parameters;
        let arguments = parameters.iter().zip(words.iter()).map(|(it, word)| self.table.value(*word, &it.ty));
        let span = self.span_of(TermId(step.component), action);
        StepText {
            action: ActionId(action),
            arguments: arguments.collect(),
            values: self.values_of_sum(step),
            component: self.show(TermId(step.component), 0),
            span: span.unwrap_or(self.model.actions[action as usize].span),
        }
    }

    /// The values of the variables of the sum in front of a step.
    fn values_of_sum(&self, step: &Step) -> Vec<Value> {
        let Some((number, head)) = step.sum else { return Vec::new() };
        let Some(Ok(heads)) = self.heads.get(&number) else { return Vec::new() };
        let cells = heads[head as usize].cells.iter();
        let values = self.value_lists.get(step.values);
        cells.zip(values.iter()).map(|((_, ty), word)| self.table.value(*word, ty)).collect()
    }

    /// Where an action is written that a component offers.
    fn span_of(&self, term: TermId, action: u32) -> Option<Span> {
        match self.common.node(term) {
            Node::Action(it, _) if *it == action => self.common.span(term),
            Node::Sum(number, _) => {
                let heads = self.heads.get(number)?.as_ref().ok()?;
                heads.iter().find(|head| head.action == action).map(|head| head.span)
            }
            Node::Sequence(first, rest) => self.span_of(*first, action).or_else(|| {
                // What comes behind an action is no first step, and may have no end.
                let may_end = self.ends.get(first.0 as usize).copied().flatten() == Some(true);
                let rest = self.known_normal(*rest).unwrap_or(*rest);
                if may_end { self.span_of(rest, action) } else { None }
            }),
            Node::Choice(parts) | Node::Parallel(parts) => {
                parts.iter().find_map(|part| self.span_of(*part, action))
            }
            Node::Iteration(inner) => self.span_of(*inner, action),
            _ => None,
        }
    }

    fn show(&self, term: TermId, depth: usize) -> String {
        if let Some(name) = self.names.get(&term.0)
            && depth == 0
        {
            return self.show(*name, 1);
        }
        if depth > 6 {
            return "…".to_string();
        }
        let list = |parts: &[TermId], between: &str| {
            let shown: Vec<String> = parts.iter().map(|part| self.show(*part, depth + 1)).collect();
            format!("({})", shown.join(between))
        };
        match self.common.node(term) {
            Node::Empty => "empty".to_string(),
            Node::Deadlock => "\\delta".to_string(),
            Node::Failed(_) => "…".to_string(),
            Node::Action(action, words) => {
                let action = &self.model.actions[*action as usize];
                self.applied(&action.name, &action.parameters, words)
            }
            Node::Call(process, words) => {
                let process = &self.model.processes[*process as usize];
                self.applied(&process.name, &process.parameters, words)
            }
            Node::Sequence(first, rest) => {
                format!("{} * {}", self.show(*first, depth + 1), self.show(*rest, depth + 1))
            }
            Node::Choice(parts) => list(parts, " + "),
            Node::Parallel(parts) => list(parts, " || "),
            Node::Iteration(inner) => format!("\\iter({})", self.show(*inner, depth + 1)),
            Node::Sum(number, _) => {
                let heads = self.heads.get(number).and_then(|heads| heads.as_ref().ok());
                let first = heads.and_then(|heads| heads.first());
                let name = first.map(|head| self.model.actions[head.action as usize].name.to_string());
                format!("(\\sum …; {}(…))", name.unwrap_or_default())
            }
        }
    }

    fn applied(&self, name: &str, parameters: &[Parameter], words: &[Word]) -> String {
        let values = parameters.iter().zip(words).map(|(it, word)| self.table.value(*word, &it.ty));
        let values: Vec<String> = values.map(|value| value.show(self.model)).collect();
        format!("{name}({})", values.join(", "))
    }
}
