//! The explorer: from the words of a state to the words of those that follow.

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

use crate::evaluate::{Code, Compiler, Stop, Table, UNKNOWN, Word};
use crate::expression::{Binary, Expression, ExpressionKind};
use crate::model::{ActionId, Model};
use crate::question::Question;
use crate::types::Type;
use crate::value::Value;

use super::common::{Asked, Common};
use super::components::{Node, TermId};
use super::effects::Plan;
use super::instances::Instance;
use super::interner::Interner;
use super::kept::{Cause, Effects, NO_VALUES, Outcome};
use super::layout::{Here, LAST, Write};
use super::offers::{Head, Offer, What};
use super::program::Program;

/// A word with this bit says how often the component before it is there.
pub(super) const COUNT: u32 = 1 << 31;

/// The place of terms that are no component of a state yet.
pub(super) const UNSETTLED: u64 = u32::MAX as u64;

/// A component, which of its offers and which first action of a sum, and the number of the values of its variables.
type Continuation = (u32, u32, u32, u32);

/// A condition on states.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// Over the fields.
    Condition(Expression),
    /// The last step was this action, with these arguments where they are given.
    Did(ActionId, Option<Vec<Expression>>),
    /// The process may end.
    Ended,
}

#[derive(Clone)]
enum AtomCode {
    /// With the fields that it reads.
    Condition(Code, Vec<u32>),
    Did(u32, Option<Vec<Code>>),
    Ended,
}

/// A step of a state, in numbers.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub(super) component: u32,
    pub(super) label: u32,
    /// The sum in front of the action and which of its first actions it is, with the number of the values of its variables.
    pub(super) sum: Option<(u32, u32)>,
    pub(super) values: u32,
}

/// A step with the state that it leads to.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The step.
    pub step: Step,
    /// Where it leads.
    pub words: Vec<u32>,
}

impl Successor {
    /// A state that no step leads to.
    pub fn begin(words: Vec<u32>) -> Successor {
        Successor { step: Step { component: 0, label: 0, sum: None, values: NO_VALUES }, words }
    }
}

/// A step as people and other interpreters read it.
#[derive(Clone, Debug)]
pub struct StepText {
    /// The action.
    pub action: ActionId,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// The values that sums in front of it have.
    pub values: Vec<Value>,
    /// The component that moved.
    pub component: String,
    /// Where the action is written.
    pub span: Span,
}

/// A conjunct of a contract that is false.
#[derive(Clone, Debug)]
pub struct Failing {
    /// Its place among the conjuncts of `ensures`.
    pub conjunct: usize,
    /// Where it is written.
    pub span: Span,
    /// The values of its two sides, and what is between them, where it compares.
    pub sides: Option<(String, &'static str, String)>,
}

/// A process of a model with its instances, in the making: terms, values and effects are found once and kept.
pub struct Explorer<'m> {
    pub(super) model: &'m Model,
    foreign: &'m [String],
    process: u32,
    pub(super) program: Arc<Program>,
    pub(super) table: Table,
    pub(super) variables: Vec<Word>,
    /// What all explorers of a search share, and what this one asked for last.
    pub(super) common: Arc<Common>,
    pub(super) recent: Asked,
    /// No other explorer has met terms that this one has not.
    is_alone: bool,
    /// What was found out about each term.
    pub(super) normals: Vec<Option<TermId>>,
    pub(super) offers: Vec<Option<Box<[Offer]>>>,
    pub(super) ends: Vec<Option<bool>>,
    /// Where each term stands among the components of a state: the place of the component that it was first seen to come
    /// from, then its number. So a step changes few words of a state. What is settled is the same for all explorers.
    pub(super) order: Vec<u64>,
    pub(super) heads: FxHashMap<u32, Result<Arc<[Head]>, String>>,
    pub(super) plans: FxHashMap<(u32, u32, u32), Arc<Plan>>,
    pub(super) effects: Effects,
    /// Values of variables that are changed for a while, and of fields that an action defines outright.
    pub(super) saved: Vec<Word>,
    pub(super) defined: Vec<Write>,
    /// How often the effects of each action were asked for, and behind them the truth of each condition, and how often that
    /// was known.
    pub(super) asked: Vec<(u32, u32)>,
    /// Those of which nothing is kept any more.
    pub(super) given_up: Vec<bool>,
    /// The state that is looked at, and its fields where they are read from it.
    pub(super) here: Here,
    pub(super) unread: Vec<Word>,
    pub(super) instances: Arc<Vec<Instance>>,
    pub(super) has_field_ranges: bool,
    /// Some effect of the state that is looked at has no solution among the values that were given for a field.
    is_narrowed: bool,
    pub(super) unfoldings: u32,
    /// The size of values that are tried where nothing determines them, and those values.
    pub(super) small: Option<u32>,
    pub(super) small_values: FxHashMap<Type, Arc<[Word]>>,
    /// The first instances that were left out, and why.
    pub(super) obstacle: Option<String>,
    /// What is left behind the first action of a sum, by offer and values.
    continuations: FxHashMap<Continuation, Arc<[u32]>>,
    /// Values of the variables of sums, numbered.
    pub(super) value_lists: Interner<Box<[Word]>>,
    /// First actions of sums with the values of their free variables, numbered.
    pub(super) sums: Interner<(u32, u32, Arc<[Word]>)>,
    /// Vectors of states that are used again, and one of components.
    pool: Vec<Vec<u32>>,
    scratch: Vec<u32>,
    atoms: Vec<AtomCode>,
    /// Actions that somebody asks about.
    watched: Vec<bool>,
    /// The name under which a term was unfolded.
    pub(super) names: FxHashMap<u32, TermId>,
    /// The bytes of its own that others were told of.
    told: Cell<usize>,
}

impl<'m> Explorer<'m> {
    /// Reads a model and lists the instances of a question. An error says why it cannot be explored.
    pub fn new(model: &'m Model, foreign: &'m [String], question: &Question) -> Result<Explorer<'m>, String> {
        let mut table = Table::new();
        let program = Arc::new(Program::new(model, &mut table));
        let mut explorer = Explorer {
            model,
            foreign,
            process: question.process.0,
            program,
            table,
            variables: vec![UNKNOWN; model.next_variable as usize],
            common: Arc::new(Common::new()),
            is_alone: true,
            recent: Asked::new(),
            normals: Vec::new(),
            offers: Vec::new(),
            ends: Vec::new(),
            order: Vec::new(),
            heads: FxHashMap::default(),
            plans: FxHashMap::default(),
            effects: Effects::default(),
            saved: Vec::new(),
            defined: Vec::new(),
            asked: vec![(0, 0); model.actions.len()],
            given_up: vec![false; model.actions.len()],
            here: Here::new(model.fields.len()),
            unread: vec![UNKNOWN; model.fields.len()],
            instances: Arc::default(),
            has_field_ranges: false,
            is_narrowed: false,
            unfoldings: 0,
            small: None,
            small_values: FxHashMap::default(),
            obstacle: None,
            continuations: FxHashMap::default(),
            value_lists: Interner::new(),
            sums: Interner::new(),
            pool: Vec::new(),
            scratch: Vec::new(),
            atoms: Vec::new(),
            watched: vec![false; model.actions.len()],
            names: FxHashMap::default(),
            told: Cell::new(0),
        };
        explorer.list_instances(question)?;
        Ok(explorer)
    }

    /// An explorer of the same instances: to both the words of a state mean the same, at all times. What is watched and
    /// written out must have been said before.
    pub fn another(&mut self) -> Explorer<'m> {
        self.is_alone = false;
        Explorer {
            model: self.model,
            foreign: self.foreign,
            process: self.process,
            // Each counts who uses its own copy.
            program: Arc::new(Program::clone(&self.program)),
            table: self.table.another(),
            variables: self.variables.clone(),
            common: Arc::clone(&self.common),
            is_alone: false,
            recent: Asked::new(),
            normals: Vec::new(),
            offers: Vec::new(),
            ends: Vec::new(),
            order: Vec::new(),
            heads: FxHashMap::default(),
            plans: FxHashMap::default(),
            effects: Effects::default(),
            saved: Vec::new(),
            defined: Vec::new(),
            asked: vec![(0, 0); self.asked.len()],
            given_up: vec![false; self.given_up.len()],
            here: self.here.another(),
            unread: self.unread.clone(),
            instances: Arc::clone(&self.instances),
            has_field_ranges: self.has_field_ranges,
            is_narrowed: false,
            unfoldings: 0,
            small: self.small,
            small_values: FxHashMap::default(),
            obstacle: None,
            continuations: FxHashMap::default(),
            value_lists: Interner::new(),
            sums: Interner::new(),
            pool: Vec::new(),
            scratch: Vec::new(),
            atoms: self.atoms.clone(),
            watched: self.watched.clone(),
            names: self.names.clone(),
            told: Cell::new(0),
        }
    }

    /// The instances, in the order in which states name them.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Why instances with small values were left out, if any were.
    pub fn obstacle(&self) -> Option<&str> {
        self.obstacle.as_deref()
    }

    /// The instance of a state.
    pub fn instance(&self, state: &[u32]) -> Option<&Instance> {
        self.instances.get(*state.first()? as usize)
    }

    /// Bytes that terms, values and effects take, about: those of all explorers together, as far as they have told.
    pub fn memory_bytes(&self) -> usize {
        let own = self.table.own_bytes()
            + self.recent.memory_bytes()
            + self.effects.memory_bytes()
            + self.value_lists.memory_bytes()
            + self.continuations.capacity() * 33
            + self.order.capacity() * 40;
        self.common.hold(self.told.replace(own), own);
        self.table.memory_bytes() + self.common.memory_bytes()
    }

    /// Makes conditions known; they have the numbers of their places. States then say which action was last where one of
    /// them asks.
    pub fn watch(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            let mut compiler = Compiler { table: &mut self.table };
            let code = match atom {
                Atom::Condition(condition) => {
                    let code = compiler.code(condition);
                    let mut reads = Vec::new();
                    code.fields(&mut reads);
                    AtomCode::Condition(code, reads)
                }
                Atom::Did(action, arguments) => {
                    self.watched[action.0 as usize] = true;
                    AtomCode::Did(action.0, arguments.as_ref().map(|it| compiler.all(it)))
                }
                Atom::Ended => AtomCode::Ended,
            };
            self.atoms.push(code);
            self.asked.push((0, 0));
            self.given_up.push(false);
        }
    }

    /// The states in which runs begin, one for each instance.
    pub fn initial(&mut self) -> Result<Vec<Vec<u32>>, String> {
        let mut states = Vec::new();
        for number in 0..self.instances.len() {
            let instance = self.instances[number].clone();
            let arguments: Box<[Word]> = instance.argument_words.iter().copied().collect();
            let call = self.node(Node::Call(self.process, arguments), None);
            let term = match self.normal(call) {
                Ok(term) => term,
                Err(sentence) if self.small.is_some() => {
                    self.obstacle.get_or_insert(sentence);
                    continue;
                }
                Err(sentence) => return Err(sentence),
            };
            self.names.entry(term.0).or_insert(call);
            let mut components = Vec::new();
            self.components(term, &mut components);
            let mut words = vec![number as u32, 0];
            words.extend(instance.field_words.iter().map(|word| word.0));
            components.sort_unstable();
            for (place, component) in components.iter().enumerate() {
                self.settle_at(*component, place as u64);
            }
            encode_sorted(&self.order, &mut components, &mut words);
            let mut state = Vec::with_capacity(words.len());
            self.written_out(&words, &mut state);
            states.push(state);
        }
        Ok(states)
    }

    /// The steps that leave a state, always in the same order, whichever explorer is asked.
    pub fn successors(&mut self, state: &[u32], out: &mut Vec<Successor>) -> Result<(), String> {
        self.pool.extend(out.drain(..).map(|successor| successor.words));
        self.here.look(state);
        self.is_narrowed = false;
        if !self.is_alone {
            for at in self.here.behind..state.len() {
                if state[at] & COUNT == 0 {
                    self.meet(state[at]);
                }
            }
        }
        let program = Arc::clone(&self.program);
        let mut at = self.here.behind;
        while let Some(&component) = self.here.words.get(at) {
            let width = if self.here.words.get(at + 1).is_some_and(|word| word & COUNT != 0) { 2 } else { 1 };
            let offers = self.take_offers(component)?;
            let stepped = self.steps(&program, (at, component), &offers, out);
            self.keep_offers(component, offers);
            stepped?;
            at += width;
        }
        if out.is_empty() && self.is_narrowed && !self.may_end(state)? {
            let sentence = "nothing can move with the values that `--for` gives to a field that an action leaves open; \
                            with others it might";
            return Err(sentence.to_string());
        }
        Ok(())
    }

    /// Adds the steps of a component at a place among the words.
    fn steps(
        &mut self,
        program: &Program,
        (at, component): (usize, u32),
        offers: &[Offer],
        out: &mut Vec<Successor>,
    ) -> Result<(), String> {
        for (index, offer) in offers.iter().enumerate() {
            match &offer.what {
                What::Label(label) => {
                    let Some(target) = &offer.target else { continue };
                    let outcomes = self.outcomes(program, *label)?;
                    self.is_narrowed |= outcomes.are_narrowed();
                    for place in 0..outcomes.count {
                        let outcome = self.effects.outcome(outcomes, place);
                        let words = self.moved(outcome, (at, target));
                        out.push(Successor { step: step(component, outcome, None), words });
                    }
                }
                What::Sum { number, values, heads, head, sum } => {
                    let at_head = &heads[*head as usize];
                    let of = (*number, &values[..], *head);
                    let outcomes = self.sum_outcomes(program, *sum, of, at_head)?;
                    self.is_narrowed |= outcomes.are_narrowed();
                    for place in 0..outcomes.count {
                        let outcome = self.effects.outcome(outcomes, place);
                        let key = (component, index as u32, *head, outcome.number);
                        let target = match self.continuations.get(&key) {
                            Some(target) => target.clone(),
                            None => {
                                let found = self.value_lists.get(outcome.number).clone();
                                let left = self.continued(offer, *number, values, at_head, &found)?;
                                self.settle(component, &left);
                                let target: Arc<[u32]> = left.into();
                                self.continuations.insert(key, target.clone());
                                target
                            }
                        };
                        let words = self.moved(outcome, (at, &target));
                        let step = step(component, outcome, Some((*number, *head)));
                        out.push(Successor { step, words });
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes sure that the place of a component is known, which may come from another explorer.
    #[inline]
    pub(super) fn meet(&mut self, component: u32) {
        let order = self.order.get(component as usize);
        if order.is_none_or(|order| order >> 32 == UNSETTLED) {
            self.meet_first(component);
        }
    }

    #[cold]
    fn meet_first(&mut self, component: u32) {
        self.make_room(component);
        if let Some(place) = self.common.place(component) {
            self.order[component as usize] = u64::from(place) << 32 | u64::from(component);
        }
    }

    /// Puts terms that are new among the components of states into the place of the one that they come from.
    pub(super) fn settle(&mut self, component: u32, left: &[u32]) {
        let place = self.order[component as usize] >> 32;
        left.iter().for_each(|term| self.settle_at(*term, place));
    }

    /// Gives a term a place, unless it has one.
    fn settle_at(&mut self, term: u32, place: u64) {
        self.make_room(term);
        let order = &mut self.order[term as usize];
        if *order >> 32 == UNSETTLED && place != UNSETTLED {
            let place = self.common.settle(term, place as u32);
            *order = u64::from(place) << 32 | u64::from(term);
        }
    }

    /// The state in which one component, at a place among the words, became others, and the fields changed.
    fn moved(&mut self, outcome: Outcome, (place, target): (usize, &[u32])) -> Vec<u32> {
        let action = self.common.label(outcome.label).0 as usize;
        let mut words = self.pool.pop().unwrap_or_default();
        words.clear();
        words.reserve(self.here.words.len() + target.len() + 1);
        self.here.changed(&self.table, self.effects.writes(outcome), &mut words);
        words[LAST] = if self.watched[action] { outcome.label + 1 } else { 0 };
        let (components, place) = (&self.here.words[self.here.behind..], place - self.here.behind);
        let is_counted = |at: usize| components.get(at).is_some_and(|word| word & COUNT != 0);
        if let [only] = target
            && !is_counted(place + 1)
            && !components.contains(only)
        {
            // One component for another, both there once: no need to count and to sort.
            let own = self.order[*only as usize];
            let before = components[..place].iter().chain(&components[place + 1..]);
            let mut is_placed = false;
            for word in before.copied() {
                if !is_placed && word & COUNT == 0 && self.order[word as usize] > own {
                    words.push(*only);
                    is_placed = true;
                }
                words.push(word);
            }
            if !is_placed {
                words.push(*only);
            }
            return words;
        }
        let mut all = std::mem::take(&mut self.scratch);
        all.clear();
        let mut index = 0;
        while index < components.len() {
            let component = components[index];
            let count = components.get(index + 1).filter(|word| **word & COUNT != 0);
            let times = count.map_or(1, |word| word & !COUNT);
            let times = if index == place { times - 1 } else { times };
            all.extend(std::iter::repeat_n(component, times as usize));
            index += if count.is_some() { 2 } else { 1 };
        }
        all.extend_from_slice(target);
        encode_sorted(&self.order, &mut all, &mut words);
        self.scratch = all;
        words
    }

    /// Whether a run may end in a state.
    pub fn may_end(&mut self, state: &[u32]) -> Result<bool, String> {
        for word in state[self.here.behind(state)..].iter().filter(|word| **word & COUNT == 0) {
            if !self.may_end_term(TermId(*word))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The first conjunct of the contract that is false in a state; none where all are true.
    pub fn failing(&mut self, state: &[u32]) -> Result<Option<Failing>, String> {
        let (instance, fields, _) = self.split(state);
        let Some(instance) = self.instances.get(instance as usize).cloned() else { return Ok(None) };
        let program = self.program.clone();
        let code = &program.processes[self.process as usize];
        let saved = self.bind(&code.parameters, &instance.argument_words);
        let mut result = Ok(None);
        for (conjunct, condition) in code.ensures.iter().enumerate() {
            match self.in_fields(condition, &instance.field_words, &fields) {
                Ok(Word::TRUE) => continue,
                Ok(_) => {
                    let expression = &self.model.processes[self.process as usize].ensures[conjunct];
                    let sides = self.sides(expression, condition, &instance.field_words, &fields);
                    result = Ok(Some(Failing { conjunct, span: expression.span(), sides }));
                }
                Err(stop) => {
                    let name = &self.model.processes[self.process as usize].name;
                    result = Err(format!("`ensures` of `{name}` has no value: {}", self.sentence(stop)));
                }
            }
            break;
        }
        self.unbind(&code.parameters, saved);
        result
    }

    pub(super) fn bind(&mut self, parameters: &[u32], words: &[Word]) -> Vec<Word> {
        let mut saved = words.to_vec();
        for (parameter, word) in parameters.iter().zip(&mut saved) {
            std::mem::swap(&mut self.variables[*parameter as usize], word);
        }
        saved
    }

    pub(super) fn unbind(&mut self, parameters: &[u32], saved: Vec<Word>) {
        for (parameter, word) in parameters.iter().zip(saved) {
            self.variables[*parameter as usize] = word;
        }
    }

    /// The values of the two sides of a comparison.
    fn sides(
        &mut self,
        expression: &Expression,
        code: &Code,
        start: &[Word],
        now: &[Word],
    ) -> Option<(String, &'static str, String)> {
        let (ExpressionKind::Binary(_, left, right), Code::Binary(operator, a, b)) =
            (expression.kind(), code)
        else {
            return None;
        };
        let between = match operator {
            Binary::Equal => "==",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::AtMost => "<=",
            _ => return None,
        };
        let a = self.in_fields(a, start, now).ok()?;
        let b = self.in_fields(b, start, now).ok()?;
        let (a, b) = (self.table.value(a, left.ty()), self.table.value(b, right.ty()));
        Some((a.show(self.model), between, b.show(self.model)))
    }

    /// Whether a condition, by its number, is true in a state.
    pub fn holds(&mut self, state: &[u32], atom: usize) -> Result<bool, String> {
        let atoms = std::mem::take(&mut self.atoms);
        let result = match atoms.get(atom) {
            Some(AtomCode::Condition(condition, reads)) => self.is_true(state, atom, condition, reads),
            Some(AtomCode::Ended) => self.may_end(state),
            Some(AtomCode::Did(action, arguments)) => self.did(state, *action, arguments.as_deref()),
            None => Ok(false),
        };
        self.atoms = atoms;
        result
    }

    /// Whether a condition over fields, which are among those that it is said to read, is true in a state.
    fn is_true(
        &mut self,
        state: &[u32],
        atom: usize,
        condition: &Code,
        reads: &[u32],
    ) -> Result<bool, String> {
        self.here.look(state);
        let cause = Cause::Atom(atom as u32);
        let use_of = self.model.actions.len() + atom;
        let is_kept = self.is_worth_keeping(use_of);
        if is_kept && let Some(known) = self.effects.find(cause, &self.here, &mut self.table) {
            self.asked[use_of].1 += 1;
            return Ok(known.count > 0);
        }
        self.begin_effect(is_kept);
        let word = self.in_state(condition);
        let word = word.map_err(|stop| format!("a condition has no value: {}", self.sentence(stop)))?;
        if word == Word::TRUE {
            self.effects.add(0, NO_VALUES, std::iter::empty());
        }
        Ok(self.end_effect(cause, reads, is_kept).count > 0)
    }

    fn did(&mut self, state: &[u32], action: u32, arguments: Option<&[Code]>) -> Result<bool, String> {
        let Some(label) = state[LAST].checked_sub(1) else { return Ok(false) };
        if self.common.label(label).0 != action {
            return Ok(false);
        }
        let Some(arguments) = arguments else { return Ok(true) };
        self.here.look(state);
        for (at, code) in arguments.iter().enumerate() {
            match self.in_state(code) {
                Ok(wanted) if self.common.label(label).1.get(at) == Some(&wanted) => {}
                Ok(_) => return Ok(false),
                Err(stop) => return Err(format!("a condition has no value: {}", self.sentence(stop))),
            }
        }
        Ok(true)
    }

    /// Why something has no value.
    pub(super) fn sentence(&self, stop: Stop) -> String {
        match stop {
            Stop::Unknown => "it depends on something that has no value".to_string(),
            Stop::Undefined(what) => what.to_string(),
            Stop::Budget => "it needs more steps or room than there is".to_string(),
            Stop::Foreign(number) => {
                let what = self.foreign.get(number as usize).map_or("something", String::as_str);
                format!("{what} cannot be evaluated")
            }
            Stop::NoBody(function) => {
                let name = self.model.functions.get(function as usize).map_or("", |it| &*it.name);
                format!("the function `{name}` has no definition")
            }
        }
    }
}

impl Drop for Explorer<'_> {
    fn drop(&mut self) {
        self.common.hold(self.told.get(), 0);
    }
}

fn step(component: u32, outcome: Outcome, sum: Option<(u32, u32)>) -> Step {
    Step { component, label: outcome.label, sum, values: outcome.number }
}

/// Components in order, equal ones counted.
fn encode_sorted(order: &[u64], components: &mut [u32], words: &mut Vec<u32>) {
    components.sort_unstable_by_key(|component| order[*component as usize]);
    let mut index = 0;
    while index < components.len() {
        let same = components[index..].iter().take_while(|it| **it == components[index]).count();
        words.push(components[index]);
        if same > 1 {
            words.push(COUNT | same as u32);
        }
        index += same;
    }
}
