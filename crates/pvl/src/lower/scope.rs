//! What is known inside of one member while it is lowered, in four parts: what is the same everywhere in it, what names
//! stand for, where in its body the lowering is, and what is around the expression that is being lowered.
//!
//! A part that differs for some of the work is set by a method that takes this work, and puts the part back after it
//! ([`Scope::with`]).

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use silver::syntax::tree as s;
use source::Span;

use super::Lowering;
use super::build::Build;
use super::concurrency::invariants::RunningInvariant;
use super::concurrency::par::RunningBlock;
use super::heap::auto_values::AutoPlace;
use super::models::ModelView;
use super::names::Names;
use super::values::types::{Substitution, substitute};
use crate::resolve::{Resolution, Type};
use crate::syntax::tree::{Expression, NodeId};

/// What a PVL variable is in Silver.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Named(Arc<str>),
    /// The value of a parameter where a body is put in for a call.
    Value(s::Expression),
    /// The one place of a block, because the variable's address is taken.
    Cell {
        block: Arc<str>,
        field: Arc<str>,
    },
}

/// What `\result` is.
#[derive(Clone, Default, Debug)]
pub(super) enum ResultPlace {
    #[default]
    None,
    /// `result` of a function.
    Function,
    Variable(Arc<str>),
}

/// Where `return` goes.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) label: Arc<str>,
    pub(super) used: bool,
}

/// A `context_everywhere` clause that is in force, with the amounts by which its resources are to be multiplied.
#[derive(Clone, Debug)]
pub(super) struct Everywhere<'t> {
    pub(super) assertion: &'t Expression,
    pub(super) factors: Vec<s::Expression>,
    /// The thread in whose contract it was written.
    pub(super) thread: Option<Arc<str>>,
}

/// Whether statements may be put in front of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Mode {
    /// A contract, an assertion, or the body of a function.
    #[default]
    Specification,
    Code,
}

/// What is the same everywhere in a member.
pub(super) struct MemberScope {
    /// Names of variables and labels of the member.
    pub(super) names: Names,
    /// Names of labels by the ids of their statements.
    pub(super) labels: FxHashMap<NodeId, Arc<str>>,
    /// Variables that are assigned after they were declared.
    pub(super) assigned: Rc<FxHashSet<NodeId>>,
    /// Its parameters in Silver.
    pub(super) formals: Vec<Arc<str>>,
    /// Whether this is a predicate or a function, where Silver has no magic wands.
    pub(super) is_definition: bool,
    /// Whether loops need a measure because the member has one.
    pub(super) terminates: bool,
    /// The class whose constructor this is.
    pub(super) constructs: Option<NodeId>,
}

/// What names and types stand for.
#[derive(Clone, Default)]
pub(super) struct Bindings {
    pub(super) substitution: Rc<Substitution>,
    pub(super) this: Option<Variable>,
    /// The identity of the thread that runs this, where the program speaks about it.
    pub(super) thread: Option<Arc<str>>,
    pub(super) variables: FxHashMap<NodeId, Variable>,
    pub(super) result: ResultPlace,
}

/// Where in the body of a member the lowering is: what is around the statement.
#[derive(Default)]
pub(super) struct Path<'t> {
    /// Blocks under construction, the innermost last.
    pub(super) blocks: Vec<Vec<s::Statement>>,
    pub(super) exit: Option<Exit>,
    pub(super) everywhere: Vec<Everywhere<'t>>,
    /// Par blocks around, by the ids of their regions.
    pub(super) par_blocks: FxHashMap<NodeId, Rc<RunningBlock<'t>>>,
    /// Invariants in force, by the ids of their statements.
    pub(super) invariants: FxHashMap<NodeId, Rc<RunningInvariant<'t>>>,
    /// Invariants that are open here.
    pub(super) opened: Vec<NodeId>,
    /// Parts of models that the threads of a region take, by the assertions that say so.
    pub(super) taken: Vec<(NodeId, super::models::Taken)>,
    /// Terms of processes that were written so far, the last ones last.
    pub(super) written: Vec<super::models::WrittenTerm>,
    /// Shares of parts of models that were written so far, and whether there are fractions of parts.
    pub(super) shares: Vec<s::Expression>,
    pub(super) has_fractions: bool,
    /// What stayed of parts of models that were split by themselves.
    pub(super) stayed: Vec<super::models::Stayed>,
    /// Functions that were revealed or hidden, the last word last.
    pub(super) revealed: Vec<(NodeId, bool)>,
    /// Whether this is inside of an action block.
    pub(super) in_action: bool,
    /// The loop or block with an iteration contract around, whose iterations send to each other.
    pub(super) iteration: Option<Rc<RunningBlock<'t>>>,
}

/// What is around an expression or assertion.
#[derive(Default)]
pub(super) struct Specification<'t> {
    pub(super) mode: Mode,
    /// Factors of resources, outermost first.
    pub(super) factors: Vec<s::Expression>,
    pub(super) triggers: Triggers,
    /// Bodies that are being put in, so that a cycle ends.
    pub(super) inlining: Vec<NodeId>,
    pub(super) auto_place: AutoPlace<'t>,
    /// Whether this is an assertion that is kept as a value.
    pub(super) is_kept: bool,
    /// Whether this is the term of a sum, which is checked where the sum stands.
    pub(super) in_sum_term: bool,
    /// Functions that `\old(…)` stands for where a thread is joined, by the ids of the expressions, with the bound
    /// variables that they depend on.
    pub(super) thread_values: FxHashMap<NodeId, (Arc<str>, Vec<NodeId>)>,
    /// The variable of the quantifier or par block around, if there is one.
    pub(super) index: Option<Arc<str>>,
    /// The model that a clause speaks about.
    pub(super) model: Option<ModelView>,
    /// Parts of an expression that have a value already.
    pub(super) values_of_parts: FxHashMap<NodeId, s::Expression>,
}

/// What triggers need to know.
#[derive(Default)]
pub(super) struct Triggers {
    /// Those of the quantifiers around, innermost last: group and term.
    pub(super) found: Vec<Vec<(u32, s::Expression)>>,
    /// Whether a trigger is being lowered, which has to keep its form.
    pub(super) is_one: bool,
    /// Variables of `\let` with their values, which triggers speak about.
    pub(super) lets: Vec<(NodeId, s::Expression)>,
}

pub(super) struct Scope<'l, 't> {
    pub(super) lowering: &'l mut Lowering<'t>,
    pub(super) resolution: &'t Resolution<'t>,
    pub(super) member: MemberScope,
    pub(super) bindings: Bindings,
    pub(super) path: Path<'t>,
    pub(super) spec: Specification<'t>,
}

impl<'l, 't> Scope<'l, 't> {
    pub(super) fn new(lowering: &'l mut Lowering<'t>, substitution: Rc<Substitution>) -> Scope<'l, 't> {
        let member = MemberScope {
            names: lowering.globals.local(),
            labels: FxHashMap::default(),
            assigned: Rc::default(),
            formals: Vec::new(),
            is_definition: false,
            terminates: false,
            constructs: None,
        };
        Scope {
            resolution: lowering.resolution,
            lowering,
            member,
            bindings: Bindings { substitution, ..Bindings::default() },
            path: Path::default(),
            spec: Specification::default(),
        }
    }

    /// Does `work` with another value in a part of the scope, which afterwards is what it was.
    pub(super) fn with<P, T>(
        &mut self,
        part: impl Fn(&mut Self) -> &mut P,
        value: P,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::replace(part(self), value);
        let result = work(self);
        *part(self) = outer;
        result
    }

    pub(super) fn at(&mut self, place: Span) -> Build<'_> {
        self.lowering.at(place)
    }

    pub(super) fn unsupported(&mut self, span: Span, what: &str) -> s::Expression {
        self.lowering.unsupported(span, what);
        self.at(span).bool(true)
    }

    pub(super) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        let diagnostic = source::Diagnostic::error(code, span, message.into()).help(help);
        self.lowering.diagnostics.push(diagnostic);
    }

    pub(super) fn substituted(&self, ty: &Type) -> Type {
        substitute(ty, &self.bindings.substitution)
    }

    /// The type of an expression by itself.
    pub(super) fn type_of(&self, expression: &Expression) -> Type {
        let ty = self.resolution.expressions.get(&expression.id);
        ty.map_or(Type::Unknown, |ty| self.substituted(ty))
    }

    /// The type of an expression after its conversion.
    pub(super) fn converted_type(&self, expression: &Expression) -> Type {
        match self.resolution.conversions.get(&expression.id) {
            Some(ty) => self.substituted(ty),
            None => self.type_of(expression),
        }
    }

    pub(super) fn variable_type(&self, id: NodeId) -> Type {
        self.resolution.variables.get(&id).map_or(Type::Unknown, |ty| self.substituted(ty))
    }

    pub(super) fn written_type(&self, ty: &crate::syntax::tree::Type) -> Type {
        self.resolution.types.get(&ty.id).map_or(Type::Unknown, |ty| self.substituted(ty))
    }

    pub(super) fn ty(&mut self, ty: &Type, place: Span) -> s::Type {
        self.lowering.ty(ty, place)
    }

    /// Gives a PVL variable a name in this member.
    pub(super) fn declare(&mut self, id: NodeId, name: &str) -> Arc<str> {
        let silver = self.member.names.fresh(name);
        self.bind(id, &silver, name);
        silver
    }

    /// Lets a PVL variable stand for a variable of Silver.
    pub(super) fn bind(&mut self, id: NodeId, silver: &Arc<str>, written: &str) {
        self.lowering.spelling.add_variable(silver, written);
        self.bindings.variables.insert(id, Variable::Named(silver.clone()));
    }

    pub(super) fn this(&mut self, place: Span) -> s::Expression {
        match self.bindings.this.clone() {
            Some(Variable::Named(name)) => self.at(place).variable(&name),
            Some(Variable::Value(value)) => value,
            Some(Variable::Cell { .. }) | None => {
                self.error("resolutionError:this", place, "there is no `this` here", "name an object");
                self.at(place).null()
            }
        }
    }

    pub(super) fn variable(&mut self, id: NodeId, place: Span) -> s::Expression {
        match self.bindings.variables.get(&id).cloned() {
            Some(Variable::Named(name)) => self.at(place).variable(&name),
            Some(Variable::Value(value)) => value,
            Some(Variable::Cell { block, field }) => self.cell_location(&block, &field, place),
            None => {
                let message = "this variable is not in reach of the generated code";
                self.error(super::UNSUPPORTED, place, message, "pass its value along");
                self.at(place).null()
            }
        }
    }

    /// Adds a statement to the innermost block.
    pub(super) fn emit(&mut self, statement: s::Statement) {
        match self.path.blocks.last_mut() {
            Some(block) => block.push(statement),
            None => {
                let span = self.lowering.origins.place(statement.span);
                let message = "what changes the state cannot stand in a specification";
                self.error(super::UNSUPPORTED, span, message, "call it in a statement before");
            }
        }
    }

    pub(super) fn emit_kind(&mut self, place: Span, kind: s::StatementKind) {
        let statement = self.at(place).statement(kind);
        self.emit(statement);
    }

    /// The statements that `work` emits, as a block.
    pub(super) fn block(&mut self, place: Span, work: impl FnOnce(&mut Self)) -> s::Block {
        self.path.blocks.push(Vec::new());
        let revealed = self.path.revealed.len();
        work(self);
        self.path.revealed.truncate(revealed);
        let statements = self.path.blocks.pop().unwrap_or_default();
        self.at(place).block(statements)
    }

    /// A new local variable.
    pub(super) fn local(
        &mut self,
        wanted: &str,
        ty: s::Type,
        value: Option<s::Expression>,
        place: Span,
    ) -> Arc<str> {
        let name = self.member.names.fresh(wanted);
        self.declare_local(&name, ty, value, place);
        name
    }

    pub(super) fn declare_local(
        &mut self,
        name: &Arc<str>,
        ty: s::Type,
        value: Option<s::Expression>,
        place: Span,
    ) {
        let binding = self.at(place).binding(name, ty);
        self.emit_kind(place, s::StatementKind::Variables { bindings: vec![binding], value });
    }

    /// `target := value`
    pub(super) fn assign(&mut self, target: s::Expression, value: s::Expression, place: Span) {
        self.emit_kind(place, s::StatementKind::Assign { targets: vec![target], value });
    }

    /// Whether a variable keeps its value as long as the member runs.
    fn is_constant(&self, name: &str) -> bool {
        let is_it = |id: &NodeId| matches!(self.bindings.variables.get(id), Some(Variable::Named(known)) if &**known == name);
        !self.member.assigned.iter().any(is_it)
    }

    /// Keeps a value in a variable, unless it is a constant already.
    pub(super) fn keep(
        &mut self,
        value: s::Expression,
        ty: &Type,
        wanted: &str,
        place: Span,
    ) -> s::Expression {
        use s::ExpressionKind::*;
        let is_constant = match &*value.kind {
            Name(name) => self.is_constant(&name.text),
            Int(_) | Bool(_) | Null | FullPermission | NoPermission => true,
            _ => false,
        };
        if is_constant {
            return value;
        }
        let ty = self.ty(ty, place);
        let name = self.local(wanted, ty, Some(value), place);
        self.at(place).variable(&name)
    }

    /// Lowers in specification mode: nothing may be emitted.
    pub(super) fn specification<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|scope| &mut scope.spec.mode, Mode::Specification, work)
    }

    /// The statements of a body, in which statements may be emitted.
    pub(super) fn code(&mut self, place: Span, work: impl FnOnce(&mut Self)) -> s::Block {
        self.with(|scope| &mut scope.spec.mode, Mode::Code, |scope| scope.block(place, work))
    }

    /// Does `work` with names that stand for something else.
    pub(super) fn with_bindings<T>(&mut self, bindings: Bindings, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|scope| &mut scope.bindings, bindings, work)
    }

    /// Does `work`, which may let names stand for something else until it is done.
    pub(super) fn locally<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let bindings = self.bindings.clone();
        self.with_bindings(bindings, work)
    }

    /// Does `work` with a variable that stands for something else.
    pub(super) fn with_variable<T>(
        &mut self,
        id: NodeId,
        variable: Variable,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.bindings.variables.insert(id, variable);
        let result = work(self);
        match outer {
            Some(outer) => self.bindings.variables.insert(id, outer),
            None => self.bindings.variables.remove(&id),
        };
        result
    }

    /// Does `work` with another meaning of `\\result`.
    pub(super) fn with_result<T>(&mut self, result: ResultPlace, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|scope| &mut scope.bindings.result, result, work)
    }

    /// Does `work` with one more factor of all resources.
    pub(super) fn with_factor<T>(&mut self, factor: s::Expression, work: impl FnOnce(&mut Self) -> T) -> T {
        self.spec.factors.push(factor);
        let result = work(self);
        self.spec.factors.pop();
        result
    }

    /// Does `work` in the body of a `\\let`, whose variable has this value.
    pub(super) fn with_let<T>(
        &mut self,
        id: NodeId,
        value: s::Expression,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.spec.triggers.lets.push((id, value));
        let result = work(self);
        self.spec.triggers.lets.pop();
        result
    }

    /// Does `work` where `return` leads nowhere.
    pub(super) fn without_exit<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|scope| &mut scope.path.exit, None, work)
    }

    /// Does `work` for one more quantifier, and gives the triggers that were found for it.
    pub(super) fn quantified<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<(u32, s::Expression)>) {
        self.spec.triggers.found.push(Vec::new());
        let result = work(self);
        (result, self.spec.triggers.found.pop().unwrap_or_default())
    }
}
