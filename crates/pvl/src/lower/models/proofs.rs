//! Proofs of contracts: the programs that `process` writes for a contract, as methods without heap.
//!
//! There may be several ways to prove a contract, of which one is enough; each is a method, and so is each lemma that some
//! of them rest on. Where an expression may have no value, as little is assumed and as much is asserted as that allows.

use std::rc::Rc;
use std::sync::Arc;

use process::{Block, Claim, ContractProof, ProcessId, StatedEffects, Statement, TermKind, VariableId, Way};
use rustc_hash::FxHashMap;
use silver::syntax::tree as s;
use source::Span;

use super::values::Values;
use crate::limits;
use crate::lower::Lowering;
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::models::{Converted, convert};
use crate::resolve::Type;
use crate::syntax::tree::NodeId;

/// The ways in which the contract of a process may be proved.
#[derive(Clone, Debug)]
pub struct ContractWays {
    /// The method that is the contract.
    pub contract: Arc<str>,
    pub ways: Vec<ContractWay>,
    /// Where nobody has seen a run that ends: how to show that there is none.
    pub emptiness: Option<Emptiness>,
    /// The model, and which of its processes it is.
    pub converted: Arc<Converted>,
    pub process: ProcessId,
}

/// How to show that a contract says nothing.
#[derive(Clone, Debug)]
pub struct Emptiness {
    /// The method that shows that nothing satisfies what the contract supposes.
    pub requires: Option<Arc<str>>,
    /// Ways to show that no run ends.
    pub ends: Vec<ContractWay>,
}

impl ContractWays {
    /// All methods that show something about the contract.
    pub fn methods(&self) -> impl Iterator<Item = &Arc<str>> {
        let empty = self.emptiness.iter();
        let own = self.ways.iter().flat_map(|way| &way.methods);
        own.chain(empty.clone().filter_map(|it| it.requires.as_ref()))
            .chain(empty.flat_map(|it| &it.ends).flat_map(|way| &way.methods))
    }
}

/// One of them: all of its methods have to be proved, and the contracts that it uses.
#[derive(Clone, Debug)]
pub struct ContractWay {
    pub methods: Vec<Arc<str>>,
    pub relies_on: Vec<Arc<str>>,
    /// A term that runs get to and that has no contract, as it is written.
    pub beyond: Option<String>,
}

/// What the programs of a contract speak about.
struct Written<'c> {
    converted: &'c Converted,
    /// Types of parameters and of the fields by their names.
    parameters: FxHashMap<VariableId, Type>,
    fields: FxHashMap<Arc<str>, Type>,
    place: Span,
}

impl<'t> Lowering<'t> {
    /// Adds the methods of all ways to prove a contract.
    pub(super) fn add_ways(&mut self, model: NodeId, process: NodeId, contract: &Arc<str>, place: Span) {
        let Some(converted) = convert(self.resolution, model) else { return };
        let Some(number) = converted.processes.iter().position(|known| *known == process) else { return };
        let number = ProcessId(number as u32);
        let proof = process::contract_proof(&converted.model, number, &StatedEffects);
        let mut fields = FxHashMap::default();
        for field in self.model_fields(model) {
            let ty = self.resolution.variables.get(&field).cloned().unwrap_or(Type::Unknown);
            if let Some((name, _)) = self.model_field_declaration(field) {
                fields.insert(Arc::from(name), ty);
            }
        }
        let mut parameters = FxHashMap::default();
        if let Some((declared, _)) = self.process_declaration(process) {
            let known = &converted.model.processes[number.0 as usize].parameters;
            for (parameter, known) in declared.parameters.iter().zip(known) {
                let ty = self.resolution.variables.get(&parameter.id).cloned().unwrap_or(Type::Unknown);
                parameters.insert(known.variable, ty);
            }
        }
        let written = Written { converted: &converted, parameters, fields, place };
        let ways = self.ways(&written, &proof, contract);
        let emptiness = self.emptiness(&written, number, contract);
        let (contract, converted) = (contract.clone(), Arc::new(converted));
        self.ways.push(ContractWays { contract, ways, emptiness, converted, process: number });
    }

    /// The methods that show that a contract says nothing, where no run was seen that ends. What is shown is that the
    /// process with `false` for its claim keeps its contract, so that recursion is used inductively as in any other.
    fn emptiness(
        &mut self,
        written: &Written<'_>,
        process: ProcessId,
        contract: &Arc<str>,
    ) -> Option<Emptiness> {
        let Converted { model, foreign, .. } = written.converted;
        if model::processes::is_seen_to_end(model, foreign, process) {
            return None;
        }
        let mut endless = model.clone();
        let declared = &mut endless.processes[process.0 as usize];
        let falsehood = process::Expression::new(
            process::ExpressionKind::Literal(process::Value::Boolean(false)),
            process::Type::Boolean,
            declared.span,
        );
        declared.ensures = vec![falsehood.clone()];
        let proof = process::contract_proof(&endless, process, &StatedEffects);
        let requires = self.proof_method(written, &proof.start, &[falsehood], contract);
        Some(Emptiness { requires, ends: self.ways(written, &proof, contract) })
    }

    fn ways(
        &mut self,
        written: &Written<'_>,
        proof: &ContractProof,
        contract: &Arc<str>,
    ) -> Vec<ContractWay> {
        let mut lemmas: Vec<Option<Option<Arc<str>>>> = vec![None; proof.lemmas.len()];
        let mut ways = Vec::new();
        let mut left = limits::PROOF_STATEMENTS;
        for way in worth_proving(&proof.ways) {
            let size = statements(&way.body);
            if size > left {
                continue;
            }
            left -= size;
            let mut methods = Vec::new();
            let mut body = proof.start.clone();
            body.extend(way.body.iter().cloned());
            let Some(method) = self.proof_method(written, &body, &way.claims, contract) else { continue };
            methods.push(method);
            let mut is_whole = true;
            for at in &way.lemmas {
                if lemmas[*at].is_none() {
                    lemmas[*at] = Some(self.proof_method(written, &proof.lemmas[*at].body, &[], contract));
                }
                match &lemmas[*at] {
                    Some(Some(lemma)) => methods.push(lemma.clone()),
                    _ => is_whole = false,
                }
            }
            if !is_whole {
                continue;
            }
            let used = way.relies_on.iter().filter(|used| **used != proof.process);
            let relies_on = used
                .filter_map(|used| written.converted.processes.get(used.0 as usize).copied())
                .map(|used| self.contract_method(used))
                .collect();
            let beyond = first_beyond(&way.body).map(|term| shown_term(&written.converted.model, term));
            ways.push(ContractWay { methods, relies_on, beyond });
        }
        ways
    }

    /// A method whose body is a program; `None` if something that has to be proved cannot be written.
    fn proof_method(
        &mut self,
        written: &Written<'_>,
        program: &Block,
        claims: &[process::Expression],
        contract: &Arc<str>,
    ) -> Option<Arc<str>> {
        let name = self.globals.fresh(&format!("{contract}_proof"));
        let place = written.place;
        let mut scope = Scope::new(self, Rc::default());
        let mut is_written = true;
        let body = scope.code(place, |scope| {
            let mut values = Values::new(written.converted);
            is_written = scope.proof_statements(written, &mut values, program).is_some();
            for claim in claims {
                is_written =
                    is_written && scope.proof_claim(&values, claim, "contractEnd", claim.span()).is_some();
            }
        });
        if !is_written {
            return None;
        }
        let mut build = scope.at(place);
        let method = s::Method {
            name: build.name(&name),
            formals: Vec::new(),
            returns: Vec::new(),
            preconditions: Vec::new(),
            postconditions: Vec::new(),
            body: Some(body),
        };
        self.add_member(place, s::MemberKind::Method(method));
        Some(name)
    }
}

impl<'t> Scope<'_, 't> {
    fn proof_statements(
        &mut self,
        written: &Written<'_>,
        values: &mut Values<'_>,
        block: &Block,
    ) -> Option<()> {
        let place = written.place;
        for statement in block {
            match statement {
                Statement::Declare(bound) => {
                    let is_field = |field: &process::Field| field.name == bound.name && field.ty == bound.ty;
                    let is_field = written.converted.model.fields.iter().any(is_field);
                    let field = written.fields.get(&bound.name).filter(|_| is_field);
                    let known = written.parameters.get(&bound.variable).or(field);
                    let ty = match known {
                        Some(known) => self.ty(known, place),
                        None => self.model_type(&bound.ty, place)?,
                    };
                    let name = self.local(&bound.name, ty, None, place);
                    values.variables.insert(bound.variable, self.at(place).variable(&name));
                }
                Statement::Assume(condition) => {
                    // What cannot be written is not assumed.
                    if let Some((value, defined)) = self.model_value(values, condition, place) {
                        let condition = self.at(place).implies(defined, value);
                        self.inhale(condition, place);
                    }
                }
                Statement::Assert(condition, claim) => {
                    let code = match claim {
                        Claim::Beyond(_) => "contractBeyond",
                        Claim::Swapped => "contractSwap",
                    };
                    self.proof_claim(values, condition, code, place)?;
                }
                Statement::Branch(blocks) => self.proof_branch(written, values, blocks)?,
            }
        }
        Some(())
    }

    fn proof_claim(
        &mut self,
        values: &Values<'_>,
        claim: &process::Expression,
        code: &'static str,
        place: Span,
    ) -> Option<()> {
        let (value, defined) = self.model_value(values, claim, place)?;
        let claim = self.at(place).and(defined, value);
        self.assert_as(Role::Code(code), claim, place);
        Some(())
    }

    /// A block of its own: what it declares means nothing behind it.
    fn proof_block(
        &mut self,
        written: &Written<'_>,
        values: &mut Values<'_>,
        block: &Block,
    ) -> (s::Block, bool) {
        let outer = values.variables.clone();
        let mut is_written = true;
        let whole = self.block(written.place, |scope| {
            is_written = scope.proof_statements(written, values, block).is_some();
        });
        values.variables = outer;
        (whole, is_written)
    }

    /// One of the blocks, arbitrarily.
    fn proof_branch(
        &mut self,
        written: &Written<'_>,
        values: &mut Values<'_>,
        blocks: &[Block],
    ) -> Option<()> {
        let place = written.place;
        let Some((last, before)) = blocks.split_last() else {
            let falsehood = self.at(place).bool(false);
            self.inhale(falsehood, place);
            return Some(());
        };
        let (mut otherwise, mut is_written) = self.proof_block(written, values, last);
        for block in before.iter().rev() {
            let (then, is_block_written) = self.proof_block(written, values, block);
            is_written &= is_block_written;
            let whole = self.block(place, |scope| {
                let condition = scope.arbitrary(place);
                let otherwise = Some(s::Otherwise::Block(otherwise));
                scope.emit_kind(place, s::StatementKind::If { condition, then, otherwise });
            });
            otherwise = whole;
        }
        self.emit_kind(place, s::StatementKind::Block(otherwise));
        is_written.then_some(())
    }
}

/// A term with the names of what is in it.
pub(super) fn shown_term(model: &process::Model, term: &process::Term) -> String {
    let two = |operator: &str, left: &process::Term, right: &process::Term| {
        format!("({} {operator} {})", shown_term(model, left), shown_term(model, right))
    };
    let call = |name: Option<&Arc<str>>, arguments: usize| {
        let dots = if arguments == 0 { "" } else { "…" };
        format!("{}({dots})", name.map_or("?", |name| name))
    };
    match term.kind() {
        TermKind::Empty => "empty".to_string(),
        TermKind::Deadlock => "\\delta".to_string(),
        TermKind::Action(action, arguments) => {
            call(model.actions.get(action.0 as usize).map(|it| &it.name), arguments.len())
        }
        TermKind::Call(process, arguments) => {
            call(model.processes.get(process.0 as usize).map(|it| &it.name), arguments.len())
        }
        TermKind::Sequence(left, right) => two("*", left, right),
        TermKind::Choice(left, right) => two("+", left, right),
        TermKind::Parallel(left, right) => two("||", left, right),
        TermKind::Conditional(_, yes, no) => {
            format!("(… ? {} : {})", shown_term(model, yes), shown_term(model, no))
        }
        TermKind::Iteration(body) => format!("\\iter({})", shown_term(model, body)),
        TermKind::Sum(_, _, body) => format!("(\\sum …; {})", shown_term(model, body)),
        TermKind::Family(_, body) => format!("(\\par …; {})", shown_term(model, body)),
        TermKind::Foreign(_) => "…".to_string(),
    }
}

/// The ways that may prove what the others do not. What follows all runs to their ends needs no lemma, and nothing else
/// proves more with the same contracts.
fn worth_proving(ways: &[Way]) -> Vec<&Way> {
    let is_whole = |way: &&Way| way.lemmas.is_empty() && first_beyond(&way.body).is_none();
    if let Some(way) = ways.iter().find(|way| is_whole(way) && way.relies_on.is_empty()) {
        return vec![way];
    }
    let is_worth_it = |way: &&Way| {
        let mut alike = ways.iter().filter(|it| it.without == way.without);
        alike.find(is_whole).is_none_or(|whole| std::ptr::eq(whole, *way))
    };
    ways.iter().filter(is_worth_it).collect()
}

fn statements(block: &Block) -> usize {
    let inside = |statement: &Statement| match statement {
        Statement::Branch(blocks) => blocks.iter().map(statements).sum(),
        _ => 0_usize,
    };
    block.iter().map(|statement| 1 + inside(statement)).sum()
}

/// The first term behind the bound of an expansion.
fn first_beyond(block: &Block) -> Option<&process::Term> {
    block.iter().find_map(|statement| match statement {
        Statement::Assert(_, Claim::Beyond(term)) => Some(term),
        Statement::Branch(blocks) => blocks.iter().find_map(first_beyond),
        _ => None,
    })
}
