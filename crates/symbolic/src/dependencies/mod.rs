//! What a member of a program depends on: which axioms its proof may need, and which resources it handles as
//! quantified permissions.
//!
//! A member consists of parts (the preconditions of a function, the body of a predicate …), and what is written in a
//! part decides which parts of other members come along. There are two answers. *Executing* a member evaluates,
//! produces and consumes assertions: its own, the contracts of methods that it calls, the preconditions of functions
//! that it applies, and the bodies of predicates that it folds or unfolds. A *proof* about it may in addition use the
//! axioms of everything that its terms mention: postconditions and bodies of functions, axioms of domains. The body of
//! a predicate that is never unfolded is part of neither. The walks go as deep as the typed program is nested, see
//! [`silver::limits::DEPTH`].

mod axioms;
mod call_graph;
mod components;
mod facts;
mod texts;
mod wand_shapes;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use silver::typed::{DomainId, FieldId, FunctionId, MethodId, PredicateId, Program};

use self::axioms::AxiomGroups;
pub use self::call_graph::{CallGraph, Component, ComponentId, Rank};
use self::facts::Facts;
pub(crate) use self::texts::Texts;
pub use self::wand_shapes::{WandArgument, WandShapeId, WandShapes, wand_arguments};

/// Something that is proved on its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Member {
    Function(FunctionId),
    Predicate(PredicateId),
    Method(MethodId),
}

/// Kinds of locations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResourceSet {
    pub fields: BTreeSet<FieldId>,
    pub predicates: BTreeSet<PredicateId>,
    pub wands: BTreeSet<WandShapeId>,
}

/// What the execution of a member deals with.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Execution {
    /// Resources under a quantifier: `forall x: T :: … ==> acc(…)`.
    pub quantified: ResourceSet,
    /// Resources that are triggers themselves: `forall x: Ref :: {x.f} …`.
    pub triggers: ResourceSet,
    /// All resources that occur.
    pub resources: ResourceSet,
    /// Predicates that are folded or unfolded.
    pub opened: BTreeSet<PredicateId>,
    /// Functions whose preconditions are checked.
    pub functions: BTreeSet<FunctionId>,
    /// Methods that are called, whether by the member or not.
    pub methods: BTreeSet<MethodId>,
}

/// What a proof about a member can mention.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reach {
    pub functions: BTreeSet<FunctionId>,
    pub resources: ResourceSet,
    /// Predicates whose body can come into play.
    pub opened: BTreeSet<PredicateId>,
    /// Domains whose axioms say something about symbols or types that can occur, or about built-in symbols only.
    pub domains: BTreeSet<DomainId>,
}

/// A text that is evaluated as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Preconditions(FunctionId),
    Postconditions(FunctionId),
    Definition(FunctionId),
    PredicateBody(PredicateId),
    Contract(MethodId),
    MethodBody(MethodId),
    /// The axioms of domains that have to do with each other.
    Axioms(usize),
}

/// The dependencies of a program's members.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// Per function: preconditions, postconditions, definition.
    functions: Vec<[Facts; 3]>,
    predicates: Vec<Facts>,
    /// Per method: contract, body.
    methods: Vec<[Facts; 2]>,
    axioms: AxiomGroups,
    wand_shapes: WandShapes,
    call_graph: CallGraph,
}

impl Dependencies {
    pub fn of(program: &Program) -> Dependencies {
        let mut wand_shapes = WandShapes::default();
        let functions: Vec<[Facts; 3]> = program
            .functions
            .iter()
            .map(|function| {
                let mut of = |expressions| Facts::of_expressions(program, expressions, &mut wand_shapes);
                let mut parts = [
                    of(&function.preconditions[..]),
                    of(&function.postconditions),
                    of(function.body.as_slice()),
                ];
                parts[0].add_locals(&function.locals);
                parts[0].add_type(&function.result);
                parts
            })
            .collect();
        let predicates: Vec<Facts> = program
            .predicates
            .iter()
            .map(|predicate| Facts::of_expressions(program, predicate.body.as_slice(), &mut wand_shapes))
            .collect();
        let methods = program
            .methods
            .iter()
            .map(|method| {
                let mut contract = Facts::of_expressions(program, &method.preconditions, &mut wand_shapes);
                contract.merge(&Facts::of_expressions(program, &method.postconditions, &mut wand_shapes));
                let mut body = Facts::default();
                if let Some(block) = &method.body {
                    body = Facts::of_block(program, block, &mut wand_shapes);
                }
                body.add_locals(&method.locals);
                [contract, body]
            })
            .collect();
        let call_graph = CallGraph::of(&functions, &predicates);
        let axioms = AxiomGroups::of(program);
        Dependencies { functions, predicates, methods, axioms, wand_shapes, call_graph }
    }

    pub fn call_graph(&self) -> &CallGraph {
        &self.call_graph
    }

    /// The shapes of all wands of the program.
    pub fn wand_shapes(&self) -> &WandShapes {
        &self.wand_shapes
    }

    /// What happens when a member is executed.
    pub fn execution(&self, member: Member) -> Execution {
        let mut execution = Execution::default();
        self.visit_parts(parts_of(member), Purpose::Execution, &mut |_, facts| {
            execution.quantified.extend(&facts.quantified);
            execution.triggers.extend(&facts.triggers);
            execution.resources.extend(&facts.resources);
            execution.opened.extend(&facts.opened);
            execution.functions.extend(&facts.functions);
            execution.methods.extend(&facts.methods);
        });
        execution
    }

    /// What the proof of a member can mention.
    pub fn reach(&self, member: Member) -> Reach {
        let mut reach = Reach::default();
        if let Member::Function(id) = member {
            reach.functions.insert(id);
        }
        self.visit_parts(proof_roots(&self.axioms, member), Purpose::Proof, &mut |_, facts| {
            reach.functions.extend(&facts.functions);
            reach.resources.extend(&facts.resources);
            reach.opened.extend(&facts.opened);
            reach.domains.extend(&facts.domains);
        });
        reach
    }

    /// The other members that the proof of a member takes for what they say: functions, predicates that are opened, and
    /// methods by their contracts.
    pub fn used_by(&self, member: Member) -> BTreeSet<Member> {
        let mut used = BTreeSet::new();
        self.visit_parts(proof_roots(&self.axioms, member), Purpose::Proof, &mut |_, facts| {
            used.extend(facts.functions.iter().copied().map(Member::Function));
            used.extend(facts.opened.iter().copied().map(Member::Predicate));
            used.extend(facts.methods.iter().copied().map(Member::Method));
        });
        used.remove(&member);
        used
    }

    /// Visits the given parts and all that come along, each once.
    fn visit_parts(&self, roots: Vec<Part>, purpose: Purpose, visit: &mut dyn FnMut(Part, &Facts)) {
        let mut seen: FxHashSet<Part> = roots.iter().copied().collect();
        let mut work = roots;
        while let Some(part) = work.pop() {
            let facts = self.facts(part);
            visit(part, facts);
            let mut add = |part: Part| {
                if seen.insert(part) {
                    work.push(part);
                }
            };
            facts.opened.iter().for_each(|id| add(Part::PredicateBody(*id)));
            facts.methods.iter().for_each(|id| add(Part::Contract(*id)));
            facts.functions.iter().for_each(|id| add(Part::Preconditions(*id)));
            if purpose == Purpose::Proof {
                facts.functions.iter().copied().flat_map(definition_parts).for_each(&mut add);
                let groups = facts.functions.iter().filter_map(|id| self.axioms.about_function(*id));
                groups.for_each(|group| add(Part::Axioms(group)));
                facts.domains.iter().for_each(|id| add(Part::Axioms(self.axioms.about_domain(*id))));
            }
        }
    }

    fn facts(&self, part: Part) -> &Facts {
        match part {
            Part::Preconditions(id) => &self.functions[id.index()][0],
            Part::Postconditions(id) => &self.functions[id.index()][1],
            Part::Definition(id) => &self.functions[id.index()][2],
            Part::PredicateBody(id) => &self.predicates[id.index()],
            Part::Contract(id) => &self.methods[id.index()][0],
            Part::MethodBody(id) => &self.methods[id.index()][1],
            Part::Axioms(group) => self.axioms.facts(group),
        }
    }
}

/// What the parts of a member are looked at for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Execution,
    Proof,
}

fn parts_of(member: Member) -> Vec<Part> {
    match member {
        Member::Function(id) => definition_parts(id).to_vec(),
        Member::Predicate(id) => vec![Part::PredicateBody(id)],
        Member::Method(id) => vec![Part::Contract(id), Part::MethodBody(id)],
    }
}

/// Where looking for what a proof can mention begins.
fn proof_roots(axioms: &AxiomGroups, member: Member) -> Vec<Part> {
    let mut roots = parts_of(member);
    if let Member::Function(id) = member {
        roots.extend(axioms.about_function(id).map(Part::Axioms));
    }
    roots.extend(axioms.always().map(Part::Axioms));
    roots
}

fn definition_parts(id: FunctionId) -> [Part; 3] {
    [Part::Preconditions(id), Part::Postconditions(id), Part::Definition(id)]
}

impl ResourceSet {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.predicates.is_empty() && self.wands.is_empty()
    }

    fn extend(&mut self, other: &ResourceSet) {
        self.fields.extend(&other.fields);
        self.predicates.extend(&other.predicates);
        self.wands.extend(&other.wands);
    }
}
