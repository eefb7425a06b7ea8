//! Contracts of processes for all inputs: each becomes a small program without loops or heap, whose assertions are to be
//! proved.
//!
//! A program goes from arbitrary field values to arbitrary ends of a run: an action forgets the fields that it modifies and
//! assumes its effect, `+` is an arbitrary branch, a call is the contract of what is called, used inductively (the claim is
//! about runs that end; runs that are used are shorter, or as long and derived in fewer steps). `||` is taken apart in one of
//! two ways. *Expansion*: one component moves after the other; what is left after at least one action may be matched with a
//! declared process and closed by its contract. *Commutation*: if every action of Q followed by one of P can be swapped, P‖Q
//! ends where P·Q ends; each pair of actions is a lemma. A contract is shown by any one way all of whose assertions and
//! lemmas are proved. Where a bound is reached, `false` is asserted: provable if nothing gets there.
//!
//! Expressions of actions and contracts are put into programs as they are. Where one is undefined it has some value, the same
//! wherever the same expression is written; who prints a program for a prover with another opinion guards them.

mod alphabet;
mod commute;
mod effect;
mod fold;
mod run;
mod statement;
mod store;

use std::collections::{BTreeSet, HashMap, VecDeque};

pub use effect::{Effects, StatedEffects};
pub use statement::{Block, Claim, Statement};

use crate::expression::Expression;
use crate::limits;
use crate::model::{ActionId, Model, ProcessId};
use crate::normal::{Algebra, Bound, Limit, Normal};
use crate::simplify::{truth, variable};

use store::Store;

/// Programs for the contract of one process.
#[derive(Clone, Debug)]
pub struct ContractProof {
    /// The process.
    pub process: ProcessId,
    /// The parameters, any field values, and what the contract supposes: every way begins with this.
    pub start: Block,
    /// Ways to prove it, the cheapest first; any one will do.
    pub ways: Vec<Way>,
    /// What ways rest on, each proved at most once.
    pub lemmas: Vec<Lemma>,
    /// Ways that are not open, and why.
    pub refused: Vec<(Strategy, Refusal)>,
}

/// One way to prove a contract: after the start and the body, each claim has to be true.
#[derive(Clone, Debug)]
pub struct Way {
    /// How `||` is taken apart.
    pub strategy: Strategy,
    /// From the start to the ends of all runs.
    pub body: Block,
    /// The claims at the end. With `false` in their place, the program says whether no run ends.
    pub claims: Vec<Expression>,
    /// Lemmas, by their places, that have to be proved as well.
    pub lemmas: BTreeSet<usize>,
    /// Other processes whose contracts are used.
    pub relies_on: BTreeSet<ProcessId>,
    /// Processes that what is left of a run was not matched with: their contracts may turn out to be worth nothing.
    pub without: BTreeSet<ProcessId>,
}

/// That two actions can be swapped.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// The action that comes first after the swap.
    pub first: ActionId,
    /// The action that comes first before it.
    pub second: ActionId,
    /// The program to prove.
    pub body: Block,
}

/// How `||` is taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// There is none.
    Sequential,
    /// By commutation, components in the order of this number.
    Commutation(u32),
    /// By expansion up to this many actions.
    Expansion(u32),
}

/// Why a way is not open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A term is too large, or recursion is not guarded.
    Limit(Limit),
    /// The program would be too large.
    TooLarge,
    /// The effect of this action does not say what the fields become, so it cannot be swapped with another.
    NoExplicitEffect(ActionId),
    /// There are too many components.
    TooManyComponents,
    /// A term that only the language knows stands in it.
    Foreign,
}

impl From<Limit> for Refusal {
    fn from(limit: Limit) -> Refusal {
        Refusal::Limit(limit)
    }
}

/// Programs for all contracts of a model, in the order of its processes. Processes that claim nothing have none.
pub fn contract_proofs(model: &Model, effects: &dyn Effects) -> Vec<ContractProof> {
    let claiming = model.processes.iter().enumerate().filter(|(_, process)| !process.ensures.is_empty());
    claiming.map(|(place, _)| contract_proof(model, ProcessId(place as u32), effects)).collect()
}

/// Programs for the contract of one process.
pub fn contract_proof(model: &Model, process: ProcessId, effects: &dyn Effects) -> ContractProof {
    let mut lineariser = Lineariser::new(model, process, effects);
    lineariser.prove();
    lineariser.proof
}

/// What is needed while programs for one contract are written.
struct Lineariser<'m> {
    algebra: Algebra<'m>,
    effects: &'m dyn Effects,
    process: ProcessId,
    strategy: Strategy,
    /// The store that the process begins with, which its contract calls old.
    begin: Store,
    proof: ContractProof,
    /// Lemmas that are there already, by the normal forms of their actions.
    known_lemmas: HashMap<(Normal, Normal), usize>,
    /// What the way that is being written uses.
    lemmas: BTreeSet<usize>,
    relies_on: BTreeSet<ProcessId>,
    /// Processes that what is left of a run is not matched with, and those that the way could do without.
    without: BTreeSet<ProcessId>,
    dispensable: BTreeSet<ProcessId>,
    /// Ways to try without some processes.
    waiting: VecDeque<(Strategy, BTreeSet<ProcessId>)>,
    /// How many orders of components are worth a try: none where there is no `||`.
    orders: u32,
    /// How many statements it may still have.
    left: usize,
}

impl<'m> Lineariser<'m> {
    fn new(model: &'m Model, process: ProcessId, effects: &'m dyn Effects) -> Lineariser<'m> {
        let proof = ContractProof {
            process,
            start: Block::new(),
            ways: Vec::new(),
            lemmas: Vec::new(),
            refused: Vec::new(),
        };
        Lineariser {
            algebra: Algebra::new(model),
            effects,
            process,
            strategy: Strategy::Sequential,
            begin: Store::default(),
            proof,
            known_lemmas: HashMap::new(),
            lemmas: BTreeSet::new(),
            relies_on: BTreeSet::new(),
            without: BTreeSet::new(),
            dispensable: BTreeSet::new(),
            waiting: VecDeque::new(),
            orders: 0,
            left: 0,
        }
    }

    fn model(&self) -> &'m Model {
        self.algebra.model()
    }

    fn prove(&mut self) {
        let mut start = Block::new();
        self.declare_parameters(&mut start);
        self.begin = self.any_store(&mut start);
        let declared = &self.model().processes[self.process.0 as usize];
        for condition in &declared.requires {
            start.push(Statement::Assume(self.begin.at_both(condition, &self.begin)));
        }
        self.proof.start = start;
        self.add_way(Strategy::Commutation(0), BTreeSet::new());
        if self.orders == 0 {
            for way in &mut self.proof.ways {
                way.strategy = Strategy::Sequential;
            }
            for (strategy, _) in &mut self.proof.refused {
                *strategy = Strategy::Sequential;
            }
            return;
        }
        // Where all actions are independent, one order is as good as another.
        let is_free = self.proof.lemmas.is_empty() && !self.proof.ways.is_empty();
        let orders = if is_free { 1 } else { self.orders };
        for order in 1..orders {
            self.add_way(Strategy::Commutation(order), BTreeSet::new());
        }
        for depth in limits::EXPANDED_ACTIONS {
            self.add_way(Strategy::Expansion(depth), BTreeSet::new());
        }
        self.add_ways_without();
    }

    /// What is left of a run was matched with processes whose contracts may be wrong, which is not known here: the same ways
    /// without them.
    fn add_ways_without(&mut self) {
        let mut tried: Vec<(Strategy, BTreeSet<ProcessId>)> = Vec::new();
        while let Some(next) = self.waiting.pop_front() {
            if tried.len() < limits::WAYS_WITHOUT && !tried.contains(&next) {
                tried.push(next.clone());
                self.add_way(next.0, next.1);
            }
        }
    }

    fn add_way(&mut self, strategy: Strategy, without: BTreeSet<ProcessId>) {
        self.strategy = strategy;
        self.without = without;
        self.dispensable = BTreeSet::new();
        self.lemmas = BTreeSet::new();
        self.relies_on = BTreeSet::new();
        self.left = limits::PROGRAM_STATEMENTS;
        match self.body() {
            Ok((body, claims)) => {
                let lemmas = std::mem::take(&mut self.lemmas);
                let relies_on = std::mem::take(&mut self.relies_on);
                let without = self.without.clone();
                let way = Way { strategy, body, claims, lemmas, relies_on, without };
                self.proof.ways.push(way);
            }
            Err(refusal) => {
                let refused = &mut self.proof.refused;
                if !refused.iter().any(|(_, known)| *known == refusal) {
                    refused.push((strategy, refusal));
                }
            }
        }
        for process in std::mem::take(&mut self.dispensable) {
            let mut more = self.without.clone();
            more.insert(process);
            self.waiting.push_back((strategy, more));
        }
    }

    fn body(&mut self) -> Result<(Block, Vec<Expression>), Refusal> {
        let declared = &self.model().processes[self.process.0 as usize];
        let arguments = self.parameters_as_arguments();
        let term = self.algebra.unfold(self.process, &arguments)?;
        let mut body = Block::new();
        let begin = self.begin.clone();
        let end = self.run(term, &begin, run::Progress::default(), &mut body)?;
        let claims = match end {
            Some(end) => declared.ensures.iter().map(|claim| begin.at_both(claim, &end)).collect(),
            None => {
                body.push(Statement::Assume(truth(false, declared.span)));
                declared.ensures.iter().map(|claim| begin.at_both(claim, &begin)).collect()
            }
        };
        Ok((body, claims))
    }

    fn parameters_as_arguments(&self) -> Vec<Expression> {
        let declared = &self.model().processes[self.process.0 as usize];
        let each = declared.parameters.iter();
        each.map(|parameter| variable(parameter.variable, parameter.ty.clone(), parameter.span)).collect()
    }

    fn declare_parameters(&mut self, block: &mut Block) {
        let declared = &self.model().processes[self.process.0 as usize];
        for parameter in &declared.parameters {
            block.push(Statement::Declare(Bound {
                variable: parameter.variable,
                name: parameter.name.clone(),
                ty: parameter.ty.clone(),
            }));
        }
    }

    /// Any values of all fields.
    fn any_store(&mut self, block: &mut Block) -> Store {
        let mut store = Store::default();
        for place in 0..self.model().fields.len() {
            let value = self.any_value(place, block);
            store.values.push(value);
        }
        store
    }

    /// Any value of a field, by its place.
    fn any_value(&mut self, place: usize, block: &mut Block) -> Expression {
        let field = &self.model().fields[place];
        let fresh = self.algebra.fresh_variable();
        block.push(Statement::Declare(Bound {
            variable: fresh,
            name: field.name.clone(),
            ty: field.ty.clone(),
        }));
        variable(fresh, field.ty.clone(), field.span)
    }

    /// Counts statements; a program that has too many is not written.
    fn spend(&mut self, statements: usize) -> Result<(), Refusal> {
        self.left = self.left.checked_sub(statements).ok_or(Refusal::TooLarge)?;
        Ok(())
    }
}
