//! Declarations: scopes, initial values, parameters.
//!
//! SPIN's rule of scopes: a block in braces is a scope; a name may be declared again in a sibling block but
//! not where an outer block, the process or the globals before it already have it.

use source::{Diagnostic, Span};

use super::program::{
    AssignForm, ChannelType, Expr, ExprKind, FieldAccess, Initial, Owner, Place, Scalar, StmtKind, Target,
    Type, VarId, Variable, Visibility,
};
use super::{Current, Resolver};
use crate::syntax::tree;

impl Resolver {
    /// The variable a name means here.
    pub(super) fn lookup(&self, name: &str) -> Option<VarId> {
        let local = self.current.as_ref().and_then(|current| current.locals.get(name));
        local.or_else(|| self.globals.get(name)).copied()
    }

    /// Declares the variables of one declaration, globally or in the current scope.
    pub(super) fn declare(&mut self, declaration: &tree::VarDecl) {
        for declarator in &declaration.variables {
            self.declare_one(declaration, declarator, false);
        }
    }

    pub(super) fn parameter(&mut self, declaration: &tree::VarDecl) {
        for declarator in &declaration.variables {
            if declarator.length.is_some() {
                self.error(
                    "process.parameter.array",
                    declarator.name.span,
                    format!("parameter `{}` is an array", declarator.name.text),
                    "pass elements, or put the array into a global",
                );
            }
            self.declare_one(declaration, declarator, true);
        }
    }

    #[inline(never)]
    fn declare_one(&mut self, declaration: &tree::VarDecl, declarator: &tree::Declarator, parameter: bool) {
        let name = &declarator.name;
        let ty = self.type_of(&declaration.ty, declarator.width, name.span);
        let length = if parameter { None } else { self.array_length(declarator) };
        self.check_size(ty, length, name.span);
        let initial = if parameter { Initial::Zero } else { self.initial(declarator, ty, length) };
        if declarator.initial.is_some() {
            let is_plain = match &initial {
                Initial::Value(Expr { kind: ExprKind::Constant(_), .. }) => true,
                Initial::Value(Expr { kind: ExprKind::Read(place), .. }) => {
                    self.variables[place.var.0 as usize].owner != Owner::Global
                }
                _ => false,
            };
            if let Some(current) = &mut self.current {
                current.computes_initial = !is_plain;
            }
        }
        let leading = self.current.as_ref().is_none_or(|current| current.leading);
        let (initial, late) = if leading { (initial, None) } else { (Initial::Zero, Some(initial)) };
        let visibility = self.visibility(declaration, declarator, ty);
        let variable = Variable {
            name: name.text.to_string(),
            span: name.span,
            owner: self.current.as_ref().map_or(Owner::Global, |current| Owner::Local(current.id)),
            ty,
            length,
            initial,
            visibility,
            parameter,
            leading,
            generated: false,
        };
        let id = self.add_variable(name, variable);
        if let Some(tree::Initial::Channel { fields, .. }) = &declarator.initial {
            let known = fields.iter().filter(|field| !matches!(field.kind, tree::TypeNameKind::Unsigned));
            let types = known.map(|field| self.type_of(field, None, field.span)).collect();
            self.message_types.insert(id, types);
        }
        if let Some(initial) = late {
            self.late_declaration(id, declarator, initial);
        }
    }

    pub(super) fn add_variable(&mut self, name: &tree::Name, variable: Variable) -> VarId {
        let id = VarId(self.variables.len() as u32);
        self.check_free(name);
        self.variables.push(variable);
        match &mut self.current {
            Some(current) => {
                current.variables.push(id);
                current.declared.push(name.text.clone());
                current.locals.insert(name.text.clone(), id);
            }
            None => {
                self.global_order.push(id);
                self.globals.insert(name.text.clone(), id);
            }
        }
        id
    }

    /// Reports a name that already has a meaning where it is declared.
    fn check_free(&mut self, name: &tree::Name) {
        if matches!(&*name.text, "_" | "_p" | "_pid" | "_last" | "_nr_pr" | "_priority") {
            self.error(
                "name.reserved",
                name.span,
                format!("`{}` is predefined", name.text),
                "choose another name",
            );
            return;
        }
        if let Some(old) = self.lookup(&name.text) {
            let before = self.variables[old.0 as usize].span;
            self.report(
                Diagnostic::error("name.redeclared", name.span, format!("`{}` is declared twice", name.text))
                    .label(before, "declared here before")
                    .help("a name may be used again in a sibling block only; rename one of the two"),
            );
            return;
        }
        if self.current.as_ref().is_some_and(|current| current.labels.is_label(&name.text)) {
            self.error(
                "name.redeclared",
                name.span,
                format!("`{}` is already a label", name.text),
                "rename the variable or the label",
            );
        }
    }

    fn visibility(
        &mut self,
        declaration: &tree::VarDecl,
        declarator: &tree::Declarator,
        ty: Type,
    ) -> Visibility {
        let Some((visibility, span)) = declaration.visibility else { return Visibility::Normal };
        if visibility == Visibility::Hidden {
            let name = &declarator.name.text;
            let fault = match ty {
                _ if self.current.is_some() => Some("only a global can be hidden"),
                Type::Scalar(Scalar::Bit | Scalar::Bool) => Some("a bit cannot be hidden"),
                Type::Scalar(Scalar::Chan) => Some("a channel cannot be hidden"),
                _ => None,
            };
            if let Some(fault) = fault {
                self.error("type.hidden", span, format!("`{name}`: {fault}"), "hide global numbers only");
            }
        }
        visibility
    }

    /// The initial value as it is written; nothing is declared yet, so it cannot refer to itself.
    pub(super) fn initial(
        &mut self,
        declarator: &tree::Declarator,
        ty: Type,
        length: Option<u32>,
    ) -> Initial {
        let name = &declarator.name;
        match &declarator.initial {
            None => Initial::Zero,
            Some(tree::Initial::Value(expr)) => {
                let value = self.expr(expr);
                if let Some(span) = super::check::find_run(&value) {
                    self.error(
                        "run.initial",
                        span,
                        "`run` in an initial value",
                        "start the process in a statement: `x = run P()`",
                    );
                }
                match ty {
                    Type::Structure(_) => {
                        self.warn(
                            "type.initial.ignored",
                            expr.span,
                            format!("`{}` is a structure: the initial value is ignored", name.text),
                            "all its fields begin with 0, or with the values in the `typedef`; assign its fields",
                        );
                        Initial::Zero
                    }
                    Type::Scalar(scalar) => {
                        self.check_mtype_initial(scalar, expr);
                        Initial::Value(value)
                    }
                }
            }
            Some(tree::Initial::List(values, span)) => {
                if length.is_none() {
                    self.error(
                        "type.initial",
                        *span,
                        format!("`{}` is no array", name.text),
                        "a list of values belongs to an array",
                    );
                }
                Initial::List(values.iter().filter_map(|value| self.constant(value)).collect())
            }
            Some(tree::Initial::Channel { capacity, fields, span }) => {
                let channel = self.channel_type(capacity, fields);
                if ty != Type::Scalar(Scalar::Chan) {
                    self.error(
                        "type.initial",
                        *span,
                        format!("`{}` is no channel", name.text),
                        "declare it `chan` to give it a channel",
                    );
                    return Initial::Zero;
                }
                Initial::Channel(channel)
            }
        }
    }

    fn channel_type(&mut self, capacity: &tree::Expr, fields: &[tree::TypeName]) -> ChannelType {
        let slots = self.constant(capacity).unwrap_or(0);
        if !(0..=65_535).contains(&slots) {
            self.error(
                "type.channel.capacity",
                capacity.span,
                format!("a channel for {slots} messages"),
                "the capacity is between 0 and 65535",
            );
        }
        let mut flat = Vec::new();
        for field in fields {
            if matches!(field.kind, tree::TypeNameKind::Unsigned) {
                self.error(
                    "type.message.unsigned",
                    field.span,
                    "`unsigned` cannot be a message field",
                    "use byte, short or int",
                );
                continue;
            }
            let ty = self.type_of(field, None, field.span);
            self.flatten_type(ty, field.span, &mut flat);
        }
        self.largest_message = self.largest_message.max(flat.len());
        ChannelType { capacity: slots.clamp(0, 65_535) as u32, fields: flat }
    }

    fn flatten_type(&mut self, ty: Type, span: Span, into: &mut Vec<Scalar>) {
        match ty {
            Type::Scalar(scalar) => into.push(scalar),
            Type::Structure(id) if !self.may_flatten(id, span) => {}
            Type::Structure(id) => {
                let fields: Vec<(Type, Option<u32>)> = self.structures[id.0 as usize]
                    .fields
                    .iter()
                    .map(|field| (field.ty, field.length))
                    .collect();
                for (ty, length) in fields {
                    if length.is_some() && matches!(ty, Type::Structure(_)) {
                        self.structure_array(span);
                        continue;
                    }
                    for _ in 0..length.unwrap_or(1) {
                        self.flatten_type(ty, span, into);
                    }
                }
            }
        }
    }

    pub(super) fn structure_array(&mut self, span: Span) {
        self.error(
            "type.structure.array",
            span,
            "an array of structures inside a message or parameter list",
            "send the elements one by one",
        );
    }

    /// A declaration after the first statement is a step.
    fn late_declaration(&mut self, id: VarId, declarator: &tree::Declarator, initial: Initial) {
        let variable = &self.variables[id.0 as usize];
        let span = declarator.name.span;
        let name = &declarator.name.text;
        let Type::Scalar(ty) = variable.ty else {
            self.emit_new(StmtKind::Declare(id), span);
            return;
        };
        let zero = Expr { span, kind: ExprKind::Constant(0) };
        let index = variable.length.map(|_| Box::new(zero.clone()));
        let array = index.is_some();
        let value = match initial {
            Initial::Zero => zero,
            Initial::Value(value) => {
                if array {
                    self.warn(
                        "declaration.array.late",
                        span,
                        format!("only element 0 of `{name}` gets the initial value here"),
                        "declare it before the first statement of the process",
                    );
                }
                value
            }
            Initial::List(_) => {
                self.error(
                    "declaration.list.late",
                    span,
                    format!("`{name}` cannot get a list of values here"),
                    "declare it before the first statement of the process",
                );
                zero
            }
            Initial::Channel(_) => {
                self.error(
                    "declaration.channel.late",
                    span,
                    format!("channel `{name}` cannot be created here"),
                    "declare it before the first statement of the process",
                );
                zero
            }
        };
        let place = Place { var: id, index, fields: Vec::new(), ty, span };
        let kind = StmtKind::Assign { target: Target::Place(place), value, form: AssignForm::Declaration };
        self.emit_new(kind, span);
    }

    /// Runs a part inside a new scope.
    pub(super) fn scoped<T>(&mut self, part: impl FnOnce(&mut Resolver) -> T) -> T {
        let mark = self.current.as_mut().map(|current| {
            let mark = (current.declared.len(), current.scope);
            let scope = current.scopes.len() as u32;
            current.scopes.push(current.scope);
            current.scope = scope;
            mark
        });
        let result = part(self);
        if let (Some(current), Some((declared, scope))) = (&mut self.current, mark) {
            current.close_scope(declared);
            current.scope = scope;
        }
        result
    }

    /// The scalars of a structure, as places.
    pub(super) fn flatten_place(&mut self, whole: &super::place::Whole, into: &mut Vec<Place>) {
        if !self.may_flatten(whole.structure, whole.span) {
            return;
        }
        let fields: Vec<(Type, Option<u32>)> = self.structures[whole.structure.0 as usize]
            .fields
            .iter()
            .map(|field| (field.ty, field.length))
            .collect();
        for (number, (ty, length)) in fields.into_iter().enumerate() {
            if length.is_some() && matches!(ty, Type::Structure(_)) {
                self.structure_array(whole.span);
                continue;
            }
            for element in 0..length.unwrap_or(1) {
                let constant = Expr { span: whole.span, kind: ExprKind::Constant(element as i32) };
                let index = length.map(|_| Box::new(constant));
                let mut path = whole.fields.clone();
                path.push(FieldAccess { field: number as u32, index });
                match ty {
                    Type::Scalar(ty) => into.push(Place {
                        var: whole.var,
                        index: whole.index.clone(),
                        fields: path,
                        ty,
                        span: whole.span,
                    }),
                    Type::Structure(structure) => {
                        let inner = super::place::Whole { structure, fields: path, ..whole.clone() };
                        self.flatten_place(&inner, into);
                    }
                }
            }
        }
    }
}

impl Current {
    fn close_scope(&mut self, declared: usize) {
        for name in self.declared.drain(declared.min(self.declared.len())..) {
            self.locals.remove(&name);
        }
    }
}
