//! The state of the pass over a program: where it is, what is in scope, what was found.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use super::items::Names;
use super::{Resolution, Type};
use crate::codes;
use crate::syntax::tree::{Dialect, Expression, ExpressionKind, Modifiers, Name, NodeId, TypeParameter};

/// What the place of an expression or statement allows.
#[derive(Clone, Default, Debug)]
pub(super) struct Context {
    /// The class or model that the place belongs to.
    pub(super) owner: Option<NodeId>,
    pub(super) in_model: bool,
    pub(super) has_this: bool,
    /// In the precondition of a constructor the object does not exist yet.
    pub(super) constructor_precondition: bool,
    /// In the body of a constructor of the owner, which may assign final fields.
    pub(super) in_constructor: bool,
    /// What the routine returns.
    pub(super) result: Option<Type>,
    pub(super) result_allowed: bool,
    pub(super) old_allowed: bool,
    /// Only pure functions can be called.
    pub(super) pure: bool,
    /// An assertion, in front of which VerCors does what changes the state.
    pub(super) effects_before: bool,
    /// A specification or ghost code, as opposed to the program.
    pub(super) ghost: bool,
    pub(super) thread: ThreadPlace,
    /// Inside of a location, where `*` stands for all indices.
    pub(super) location: bool,
    /// In the pre- or postcondition of a routine.
    pub(super) routine_contract: bool,
    /// A model whose fields can be named without it.
    pub(super) model_fields: Option<NodeId>,
}

/// Whether there is a current thread.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum ThreadPlace {
    /// What several threads agree on.
    #[default]
    Shared,
    /// A predicate or function that is the same for all threads, as it is not marked.
    Unmarked,
    Current,
}

impl ThreadPlace {
    /// The place in a predicate or function.
    pub(super) fn of(modifiers: &Modifiers) -> ThreadPlace {
        if modifiers.thread_local.is_some() { ThreadPlace::Current } else { ThreadPlace::Unmarked }
    }

    /// What to do where there is no current thread.
    pub(super) fn help(self) -> &'static str {
        match self {
            ThreadPlace::Unmarked => "mark the predicate or function around it `thread_local`",
            _ => {
                "several threads agree on this, and each knows only itself: give the number of a thread a name, \
                  such as a parameter or a field, and speak about that"
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) id: NodeId,
    pub(super) span: Span,
    /// Bound by a quantifier or an iteration, and never assigned.
    pub(super) fixed: bool,
}

#[derive(Default, Debug)]
struct Scope {
    variables: FxHashMap<Arc<str>, Variable>,
    /// Variables outside of this scope can only be read; what opened the scope says why.
    wall: Option<Wall>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub(super) span: Span,
    pub(super) kind: WallKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WallKind {
    ParBlock,
    IterationContract,
    /// What is shown is shown of the state in front of the proof.
    Proof,
}

/// What the statements around a place have named.
#[derive(Default, Debug)]
pub(super) struct Surroundings {
    /// Par blocks, innermost last.
    pub(super) blocks: Vec<(Arc<str>, NodeId)>,
    /// `invariant` statements, innermost last.
    pub(super) invariants: Vec<(Arc<str>, NodeId)>,
    /// Invariants that `atomic` statements around have opened.
    pub(super) open: Vec<NodeId>,
    /// Labels of the whole routine.
    pub(super) labels: FxHashMap<Arc<str>, NodeId>,
    /// `send` statements of the whole routine.
    pub(super) sends: FxHashMap<Arc<str>, NodeId>,
}

pub(super) struct Checker<'tree> {
    pub(super) dialect: Dialect,
    pub(super) names: Names,
    pub(super) resolution: Resolution<'tree>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) context: Context,
    pub(super) around: Surroundings,
    scopes: Vec<Scope>,
    pub(super) type_variables: Vec<(Arc<str>, NodeId)>,
}

impl<'tree> Checker<'tree> {
    pub(super) fn new(
        dialect: Dialect,
        names: Names,
        resolution: Resolution<'tree>,
        diagnostics: Vec<Diagnostic>,
    ) -> Checker<'tree> {
        Checker {
            dialect,
            names,
            resolution,
            diagnostics,
            context: Context::default(),
            around: Surroundings::default(),
            scopes: Vec::new(),
            type_variables: Vec::new(),
        }
    }

    pub(super) fn is_old(&self) -> bool {
        self.dialect == Dialect::Old
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// Runs a part of the pass in a place that allows something else.
    pub(super) fn within<T>(
        &mut self,
        change: impl FnOnce(&mut Context),
        part: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.context.clone();
        change(&mut self.context);
        let result = part(self);
        self.context = before;
        result
    }

    pub(super) fn scoped<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let result = part(self);
        self.scopes.pop();
        result
    }

    /// A scope from which variables outside cannot be assigned.
    pub(super) fn walled<T>(&mut self, wall: Wall, part: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope { variables: FxHashMap::default(), wall: Some(wall) });
        let result = part(self);
        self.scopes.pop();
        result
    }

    pub(super) fn with_type_parameters<T>(
        &mut self,
        parameters: &[TypeParameter],
        part: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.type_variables.len();
        self.type_variables
            .extend(parameters.iter().map(|parameter| (parameter.name.text.clone(), parameter.id)));
        let result = part(self);
        self.type_variables.truncate(before);
        result
    }

    /// Puts a variable into the innermost scope.
    pub(super) fn declare(&mut self, name: &Name, id: NodeId, fixed: bool) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let variable = Variable { id, span: name.span, fixed };
        if let Some(before) = scope.variables.insert(name.text.clone(), variable) {
            let error = Diagnostic::error(
                codes::DUPLICATE_NAME,
                name.span,
                format!("`{}` is declared twice in the same place", name.text),
            )
            .label(before.span, "declared here first")
            .help("give one of them another name");
            self.report(error);
        }
    }

    /// Puts a local variable into the innermost scope; VerCors allows that it is there already.
    pub(super) fn declare_local(&mut self, name: &Name, id: NodeId) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let variable = Variable { id, span: name.span, fixed: false };
        if let Some(before) = scope.variables.insert(name.text.clone(), variable) {
            let warning = Diagnostic::warning(
                codes::DUPLICATE_NAME,
                name.span,
                format!("`{}` is declared again; from here on the new variable is meant", name.text),
            )
            .label(before.span, "declared here first")
            .help("give one of them another name, or assign the first one without a type");
            self.report(warning);
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.variables.get(name).copied())
    }

    /// What stands between the place and a variable that it wants to assign.
    pub(super) fn wall_before(&self, name: &str) -> Option<Wall> {
        let mut wall = None;
        for scope in self.scopes.iter().rev() {
            if scope.variables.contains_key(name) {
                return wall;
            }
            wall = wall.or(scope.wall);
        }
        None
    }

    /// All variables in scope, for suggestions.
    pub(super) fn visible_names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> =
            self.scopes.iter().flat_map(|scope| scope.variables.keys().cloned()).collect();
        if let Some(fields) = self.context.owner.and_then(|owner| self.names.fields.get(&owner)) {
            names.extend(fields.keys().cloned());
        }
        names.sort();
        names
    }

    pub(super) fn type_of_variable(&self, id: NodeId) -> Type {
        self.resolution.variables.get(&id).cloned().unwrap_or(Type::Unknown)
    }

    pub(super) fn set_variable(&mut self, id: NodeId, ty: Type) {
        self.resolution.variables.insert(id, ty);
    }

    /// Says that an expression of one type is needed with another one, if that is possible.
    pub(super) fn convert(&mut self, expression: &'tree Expression, from: &Type, to: &Type) {
        if from == to || from.is_unknown() || to.is_unknown() {
            return;
        }
        let literal = match &*expression.kind {
            ExpressionKind::Int(digits) => Some(&**digits),
            _ => None,
        };
        let fits = match (from, to) {
            (Type::Int, Type::Fraction) => literal == Some("1"),
            (Type::Int, Type::ZeroFraction) => matches!(literal, Some("0" | "1")),
            (Type::Int, Type::Float32 | Type::Float64) => literal.is_some(),
            _ => from.fits(to),
        };
        if fits {
            if *from == Type::Int && *to == Type::Rational {
                self.warn_integer_division(expression);
            }
            if *to == Type::ResourceValue {
                self.keep_resource(expression);
            }
            self.resolution.conversions.insert(expression.id, to.clone());
            return;
        }
        self.mismatch(expression, from, to);
    }

    fn mismatch(&mut self, expression: &Expression, from: &Type, to: &Type) {
        let message = format!("this is of type `{}`, but `{}` is needed", self.show(from), self.show(to));
        let mut error = Diagnostic::error(codes::TYPE, expression.span, message);
        let help = match (from, to) {
            (Type::Resource | Type::ResourceValue, Type::Boolean) => Some(
                "permissions are joined with `**` and quantified with `\\forall*`; they are no booleans and \
                 cannot stand under `!`, `&&`, `||`, `\\forall` or in a pure function",
            ),
            (Type::Resource, Type::Any) => {
                Some("keep it in a variable of type `resource`, which is a value like any other")
            }
            (Type::Int, Type::Boolean) => Some("write a comparison, for instance `… > 0` or `… != 0`"),
            (Type::Int, Type::Fraction | Type::ZeroFraction) => {
                Some("write a fraction with `\\`, for instance `1\\2`")
            }
            (Type::Rational, Type::Int) => Some("`\\` makes a fraction; integers are divided with `/`"),
            (Type::Void, _) => Some("a method that returns `void` has no value"),
            (Type::Seq(_), Type::Array(_)) => Some("`new T[n]` makes an array; `[…]` is a sequence"),
            (Type::Array(_), Type::Seq(_)) => {
                Some("`\\values(a, 0, a.length)` is the sequence of the values of an array")
            }
            (_, Type::Option(inner)) if from.fits(inner) => Some("wrap the value: `Some(…)`"),
            (Type::Option(inner), _) if inner.fits(to) => Some("take the value out with `.get`"),
            _ => None,
        };
        if let Some(help) = help {
            error = error.help(help);
        }
        self.report(error);
    }

    /// `1/2` is an integer, and 0.
    fn warn_integer_division(&mut self, expression: &Expression) {
        use crate::syntax::tree::BinaryOperator::{Add, Divide, Multiply, Subtract};
        let (left, right) = match &*expression.kind {
            ExpressionKind::Binary(Divide, left, right) => (left, right),
            ExpressionKind::Binary(Add | Subtract | Multiply, left, right) => {
                self.warn_integer_division(left);
                self.warn_integer_division(right);
                return;
            }
            _ => return,
        };
        let number = |side: &Expression| match &*side.kind {
            ExpressionKind::Int(digits) => digits.parse::<u64>().ok(),
            _ => None,
        };
        let quotient = match (number(left), number(right)) {
            (Some(a), Some(b)) => a.checked_div(b),
            _ => None,
        };
        let message = match quotient {
            Some(quotient) => format!("this divides integers and means {quotient}"),
            None => "this divides integers and rounds down".to_string(),
        };
        let fraction = match (number(left), number(right)) {
            (Some(a), Some(b)) => format!("`{a}\\{b}`"),
            _ => "`a \\ b`".to_string(),
        };
        let warning = Diagnostic::warning(codes::ZERO_FRACTION, expression.span, message)
            .help(format!("a fraction is written {fraction}; VerCors 1.x used `/` for it (`--dialect 1`)"));
        self.report(warning);
    }

    /// The element type of a written declaration of one.
    pub(super) fn own_type(&self) -> Type {
        match self.context.owner {
            Some(owner) if self.context.in_model => Type::Model(owner),
            Some(owner) => {
                let parameters = self
                    .resolution
                    .items
                    .classes
                    .get(&owner)
                    .map(|class| class.type_parameters.iter().map(|it| Type::Variable(it.id)).collect());
                Type::Class(owner, parameters.unwrap_or_else(|| Arc::from([])))
            }
            None => Type::Unknown,
        }
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        self.resolution.show(ty)
    }
}
