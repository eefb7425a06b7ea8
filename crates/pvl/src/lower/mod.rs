//! From PVL to Silver.
//!
//! The result is a Silver parse tree, so that Silver's own front end gives it types and checks it, and so that it can
//! be printed and given to Viper's tools. Each feature of the language has a module here that says what it becomes:
//!
//! | PVL | Silver | module |
//! |---|---|---|
//! | class, field, constructor | fields; methods with `this` as a parameter; a method that returns a new `this` | [`classes`](heap::classes) |
//! | method, lemma | method; `given` and `yields` are further parameters and results | [`methods`](contracts::methods) |
//! | pure function, pure method, fact | function | [`functions`](contracts::functions) |
//! | resource | predicate; `inline` ones are replaced by their bodies | [`predicates`](heap::predicates) |
//! | array | a domain with a location per index, one field per element type | [`arrays`](heap::arrays) |
//! | vector, matrix | sequences of a known length, functions for their arithmetic and sums | [`vector_arithmetic`](values::vector_arithmetic) |
//! | `par`, `barrier`, iteration contract | a branch that proves one thread and a branch that exchanges contracts | [`par`](concurrency::par) |
//! | `invariant`, `atomic` | exhale around, inhale inside | [`invariants`](concurrency::invariants) |
//! | `lock`, `fork` and relatives | abstract predicates and methods per class | [`locks`](concurrency::locks), [`threads`](concurrency::threads) |
//!
//! Every node carries an [`Origin`]; [`explain`] turns a failure of Silver into one of PVL.
//!
//! What has to be true beside the proof is asked of the engine where it is about the heap, because only the engine sees
//! through aliases, addresses and predicates. These conditions are decided on the text, each for a reason that is given
//! in its module:
//!
//! | condition | why the text is enough | module |
//! |---|---|---|
//! | threads decide a condition alike, locals of a barrier's contract agree | what is not known to be the same differs; the heap, addresses and calls are not known | [`divergence`](concurrency::divergence) |
//! | both sides of a message mean the same variables and states | a variable without an address changes by its name only; the rest is asked by [`self_framing`](concurrency::self_framing) | [`send_receive`](concurrency::send_receive) |
//! | a resource is not opened twice | invariants have no other name than their own | [`invariants`](concurrency::invariants) |
//! | a clause mentions no variable of a block, so that it is needed once per thread | it then is the same assertion for all of them; amounts are added by the engine | [`par`](concurrency::par) |
//! | a value can be used instead of a copy of it | a variable that is assigned nowhere in the member keeps its value | [`scope`] |
//! | a final field is read only when it is set | the new object has no name but `this` | [`finals`](heap::finals) |
//! | `committed` is only promised and asked for | a call stands for its definition, which is looked at | [`committed`](concurrency::committed) |
//! | variables that a `frame` or an `extract` changes | those without an address change by their name only; others are heap | [`frames`](concurrency::frames), [`extracts`](contracts::extracts) |
//! | an expression has effects | only calls of methods, `new` and ghost statements have | [`effects`](contracts::effects) |
//!
//! What is given up in one state and taken in another ([`self_framing`](concurrency::self_framing)), bounds that are read
//! again ([`par`](concurrency::par)), loans ([`auto_values`](heap::auto_values)), amounts and injectivity are asked of the
//! engine.

mod build;
mod concurrency;
mod contracts;
mod explain;
mod expressions;
mod heap;
mod instance_names;
mod instances;
mod models;
mod names;
mod origin;
mod prelude;
mod scope;
mod spelling;
mod statements;
mod sums;
mod terms;
mod values;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::syntax::tree as s;
use source::{Diagnostic, SourceMap, Span};

use self::build::Build;
pub use self::explain::{Code, Explanation};
use self::heap::all_fields::AllFields;
use self::instances::{Instance, Instances, Part};
pub use self::models::{ContractWay, ContractWays, Created};
use self::names::Names;
pub use self::origin::{Origin, Origins, Role};
use self::prelude::Prelude;
pub use self::spelling::{Meaning, Offer, Piece, Spelling};
use crate::resolve::{Resolution, Type};
use crate::syntax::tree::{DeclarationKind, ModelKind, NodeId};

pub use crate::codes::UNSUPPORTED;

/// A program as Silver.
#[derive(Debug)]
pub struct Lowered {
    pub program: s::Program,
    pub origins: Origins,
    pub spelling: Spelling,
    /// Members of the Silver program that stand for something that the PVL program declares.
    pub members: Vec<LoweredMember>,
    /// How contracts of processes may be proved.
    pub ways: Vec<ContractWays>,
    /// The models that are created.
    pub created: Vec<Created>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What a member of the Silver program stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoweredMember {
    /// In the Silver program.
    pub silver: Arc<str>,
    /// As people write it: `Counter.increment`.
    pub name: String,
    /// The same without the class that it is in: `increment`.
    pub own_name: String,
    pub kind: verdict::MemberKind,
    pub span: Span,
    /// What stands between its contract and its body.
    pub head: Span,
    /// Whether it is there for proofs only.
    pub is_ghost: bool,
}

/// Lowers a program without errors.
pub fn lower(resolution: &Resolution<'_>, map: &mut SourceMap) -> Lowered {
    silver::with_large_stack(|| lower_here(resolution, map))
}

fn lower_here(resolution: &Resolution<'_>, map: &mut SourceMap) -> Lowered {
    let mut fields = AllFields::default();
    loop {
        let (lowered, found) = lower_once(resolution, map, fields);
        match found.for_next() {
            Some(next) => fields = next,
            None => return lowered,
        }
    }
}

/// Lowers with what is known of the program's fields, and gives what has been found of them.
fn lower_once(resolution: &Resolution<'_>, map: &mut SourceMap, fields: AllFields) -> (Lowered, AllFields) {
    let mut lowering = new_lowering(resolution, map, fields);
    lowering.reserve_prelude_names();
    // What uses a history would only give errors that follow from this one.
    if !lowering.report_histories() {
        lowering.check_committed();
        lowering.collect_kept_resources();
        lowering.declare_all();
    }
    while let Some((instance, name)) = lowering.instances.queue.pop_front() {
        lowering.lower_instance(&instance, &name);
    }
    lowering.declare_resource_values();
    let mut own = std::mem::take(&mut lowering.members);
    lowering.join_indices(&mut own);
    lowering.complete(&mut own);
    let mut members = lowering.prelude.members;
    let ends = lowering
        .ends
        .into_iter()
        .chain(members.iter().filter_map(contracts::measures::trusted_method))
        .collect();
    members.append(&mut own);
    contracts::measures::withdraw(&mut members, &lowering.sums);
    sums::sum_functions::tell_ranges(&mut members, &lowering.sums);
    contracts::measures::complete(&mut members);
    contracts::measures::complete_methods(&mut members, &ends);
    let mut diagnostics = lowering.diagnostics;
    diagnostics.dedup();
    let lowered = Lowered {
        program: s::Program { members },
        origins: lowering.origins,
        spelling: lowering.spelling,
        members: lowering.described,
        ways: lowering.ways,
        created: lowering.created,
        diagnostics,
    };
    (lowered, lowering.fields)
}

/// A program of which nothing has been lowered yet.
fn new_lowering<'t>(
    resolution: &'t Resolution<'t>,
    map: &'t mut SourceMap,
    fields: AllFields,
) -> Lowering<'t> {
    let file = map.add_own("<silver>", "");
    Lowering {
        resolution,
        map,
        origins: Origins::new(file),
        spelling: Spelling::default(),
        globals: Names::default(),
        members: Vec::new(),
        described: Vec::new(),
        diagnostics: Vec::new(),
        prelude: Prelude::default(),
        instances: Instances::default(),
        inlined_calls: Some(0),
        adt_parameters: FxHashMap::default(),
        shared: FxHashMap::default(),
        sums: FxHashSet::default(),
        counts: FxHashSet::default(),
        pending: Vec::new(),
        fork_values: FxHashMap::default(),
        ends: Vec::new(),
        kept: Default::default(),
        addressed_fields: Vec::new(),
        type_constants: FxHashMap::default(),
        fields,
        algebraic: FxHashMap::default(),
        terms: models::TermFunctions::default(),
        ways: Vec::new(),
        created: Vec::new(),
        says_committed: false,
    }
}

/// A function that depends on the contracts of others.
enum Pending {
    Sum(sums::sum_functions::PendingSum),
    Set(sums::set_functions::SetFunction),
}

/// A program on its way.
struct Lowering<'t> {
    resolution: &'t Resolution<'t>,
    map: &'t mut SourceMap,
    origins: Origins,
    spelling: Spelling,
    /// Names of members and fields, which share one name space in Silver.
    globals: Names,
    members: Vec<s::Member>,
    described: Vec<LoweredMember>,
    diagnostics: Vec<Diagnostic>,
    prelude: Prelude,
    instances: Instances,
    /// Calls that `inline` bodies stand for; none once there were too many.
    inlined_calls: Option<usize>,
    /// Type parameters that are type parameters in Silver too, with their names.
    adt_parameters: FxHashMap<NodeId, Arc<str>>,
    /// Functions for sums and sets by their shapes.
    shared: FxHashMap<String, Arc<str>>,
    /// Those for sums.
    sums: FxHashSet<Arc<str>>,
    /// Those for sums that are never negative.
    counts: FxHashSet<Arc<str>>,
    /// Functions that wait for the contracts of others; what one uses comes before it.
    pending: Vec<Pending>,
    /// Functions for values that threads were forked with, by the `\old(…)` and the type arguments of the class.
    fork_values: FxHashMap<(NodeId, Vec<Type>), Arc<str>>,
    /// Methods that nobody wrote and that end.
    ends: Vec<Arc<str>>,
    kept: heap::resource_values::KeptResources<'t>,
    /// Fields whose address is taken.
    addressed_fields: Vec<Arc<str>>,
    /// Constants for types that are not classes.
    type_constants: FxHashMap<Type, Arc<str>>,
    fields: AllFields,
    /// Models as the algebra sees them.
    algebraic: FxHashMap<NodeId, std::rc::Rc<models::AlgebraicModel<'t>>>,
    /// Functions for terms of processes.
    terms: models::TermFunctions<'t>,
    /// How contracts of processes may be proved.
    ways: Vec<ContractWays>,
    /// The models that are created.
    created: Vec<Created>,
    /// Whether the program says itself what is committed.
    says_committed: bool,
}

impl<'t> Lowering<'t> {
    /// Builds nodes for a place.
    fn at(&mut self, place: Span) -> Build<'_> {
        Build::new(&mut self.origins, place)
    }

    /// Adds the functions that depend on the contracts of others.
    fn complete(&mut self, members: &mut Vec<s::Member>) {
        if self.pending.is_empty() {
            return;
        }
        let mut declarations = sums::footprints::Declarations::default();
        self.prelude.members.iter().chain(&*members).for_each(|member| declarations.add(member));
        for pending in std::mem::take(&mut self.pending) {
            members.extend(match pending {
                Pending::Sum(sum) => self.complete_sum(sum, &mut declarations),
                Pending::Set(set) => self.complete_set(set, &mut declarations),
            });
        }
    }

    /// Says what a function cannot have in its place.
    fn refuse(&mut self, refusal: &sums::footprints::Refusal, place: &str) {
        let span = self.origins.place(refusal.span);
        let message = format!("{} cannot stand in {place}", refusal.what);
        let help = "keep the values in a sequence, and use its elements instead";
        self.diagnostics.push(Diagnostic::error(UNSUPPORTED, span, message).help(help));
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        let message = format!("{what} cannot be verified yet");
        self.diagnostics
            .push(Diagnostic::error(UNSUPPORTED, span, message).help("leave this part out for now"));
    }

    /// Says of every history that there is no lowering for it; whether there are any.
    fn report_histories(&mut self) -> bool {
        for declaration in &self.resolution.items.declarations {
            let DeclarationKind::Model(model) = &declaration.kind else { continue };
            if model.kind == ModelKind::Future {
                continue;
            }
            let message = format!("histories such as `{}` are not supported", model.name.text);
            let error = Diagnostic::error(UNSUPPORTED, model.name.span, message)
                .help("what a program will do is said by a model that is no history");
            self.diagnostics.push(error);
        }
        !self.diagnostics.is_empty()
    }

    /// Asks for everything that is declared, in source order.
    fn declare_all(&mut self) {
        for declaration in &self.resolution.items.declarations {
            let id = declaration.id;
            match &declaration.kind {
                DeclarationKind::Class(_) => self.declare_class(id),
                DeclarationKind::Method(_)
                | DeclarationKind::Function(_)
                | DeclarationKind::Predicate(_)
                | DeclarationKind::Lemma(_) => {
                    let arguments = self.own_type_arguments(id);
                    self.instance(Instance::new(Part::Routine, id, arguments));
                }
                DeclarationKind::Enum(_) => {
                    self.instance(Instance::new(Part::Enum, id, Vec::new()));
                }
                DeclarationKind::Adt(_) => {
                    self.instance(Instance::new(Part::Adt, id, Vec::new()));
                }
                DeclarationKind::Model(_) => self.declare_model(id),
                // A rule for a simplifier that Probity does not have; it assumes nothing.
                DeclarationKind::RewriteRule(_) => {}
                DeclarationKind::ProverType(_) => {
                    self.instance(Instance::new(Part::ProverType, id, Vec::new()));
                }
                DeclarationKind::ProverFunction(_) => {
                    self.instance(Instance::new(Part::ProverFunction, id, Vec::new()));
                }
            }
        }
    }

    /// The routine's type parameters, as types that stand for themselves; those of its class come first.
    fn own_type_arguments(&self, routine: NodeId) -> Vec<Type> {
        let items = &self.resolution.items;
        let mut arguments = self.class_type_arguments(items.owners.get(&routine).copied());
        if let Some(routine) = items.routines.get(&routine) {
            arguments.extend(routine.type_parameters().iter().map(|parameter| Type::Variable(parameter.id)));
        }
        if let Some(constructor) = items.constructors.get(&routine) {
            arguments
                .extend(constructor.type_parameters.iter().map(|parameter| Type::Variable(parameter.id)));
        }
        arguments
    }

    fn class_type_arguments(&self, class: Option<NodeId>) -> Vec<Type> {
        let class = class.and_then(|class| self.resolution.items.classes.get(&class));
        let parameters = class.map_or(&[][..], |class| &class.type_parameters[..]);
        parameters.iter().map(|parameter| Type::Variable(parameter.id)).collect()
    }

    /// Adds the members of an instance.
    fn lower_instance(&mut self, instance: &Instance, name: &Arc<str>) {
        match instance.part {
            Part::Routine => self.lower_routine(instance, name),
            Part::Constructor | Part::DefaultConstructor => self.lower_constructor(instance, name),
            Part::Run => self.lower_run(instance, name),
            Part::Field | Part::StaticField => self.lower_field(instance, name),
            Part::FinalField => self.lower_final_field(instance, name),
            Part::LockInvariant => self.lower_lock_invariant(instance, name),
            Part::Held | Part::Idle | Part::Running => self.lower_token(instance, name),
            Part::Committed => self.lower_committed(instance, name),
            Part::Fork => self.lower_fork_method(instance, name),
            Part::Join => self.lower_join_method(instance, name),
            Part::Enum => self.lower_enum(instance, name),
            Part::Adt => self.lower_adt(instance, name),
            Part::ProverType => self.lower_prover_type(instance, name),
            Part::ProverFunction => self.lower_prover_function(instance, name),
            Part::OpaqueType => self.lower_opaque_type(instance, name),
            Part::TypeConstant => self.lower_type_constant(instance, name),
            Part::ModelWrite
            | Part::ModelFree
            | Part::ModelBound
            | Part::ModelOpen
            | Part::ModelFinal
            | Part::ModelEnds => self.lower_model_cell(instance, name),
            Part::ModelAction => self.lower_action(instance, name),
            Part::ModelProcess => self.lower_process(instance, name),
            Part::ModelContract => self.lower_contract(instance, name),
            // Declared together with their owners.
            Part::EnumConstant | Part::EnumIndex | Part::AdtFunction => {}
        }
    }

    fn add_member(&mut self, place: Span, kind: s::MemberKind) {
        let member = self.at(place).member(kind);
        self.members.push(member);
    }

    fn describe(&mut self, silver: &Arc<str>, name: String, kind: verdict::MemberKind, span: Span) {
        let is_ghost = kind == verdict::MemberKind::Lemma;
        let (silver, own_name) = (silver.clone(), name.clone());
        self.described.push(LoweredMember { silver, name, own_name, kind, span, head: span, is_ghost });
    }

    /// The same for the contract of a member.
    fn describe_contract(&mut self, silver: &Arc<str>, id: NodeId, place: Span) {
        self.describe(silver, self.shown_name(id), verdict::MemberKind::Contract, place);
        let own_name = self.own_name(id);
        if let Some(described) = self.described.last_mut() {
            described.own_name = own_name;
        }
    }

    /// The same for a member that somebody wrote.
    fn describe_member(&mut self, silver: &Arc<str>, id: NodeId, kind: verdict::MemberKind, span: Span) {
        let name = self.shown_name(id);
        self.describe(silver, name, kind, span);
        let (head, own_name) = (self.member_head(id).unwrap_or(span), self.own_name(id));
        if let Some(described) = self.described.last_mut() {
            described.head = head;
            described.own_name = own_name;
        }
    }
}
