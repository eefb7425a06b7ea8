//! Types of expressions.
//!
//! `infer` finds the type of an expression by itself; the type that its context would like is only a wish that
//! literals can follow. `check` also converts to that type, or says why it cannot.

use std::sync::Arc;

use source::{Diagnostic, Span};

use super::checker::{Checker, ThreadPlace};
use super::{NameTarget, Subscript, Type};
use crate::codes;
use crate::syntax::tree::{Binding, Expression, ExpressionKind, Name, QuantifierKind, UnaryOperator};

impl<'tree> Checker<'tree> {
    pub(super) fn check(&mut self, expression: &'tree Expression, expected: &Type) {
        let found = match expected {
            // What is kept is a specification, wherever it is kept.
            Type::ResourceValue => self.specification(|checker| checker.infer(expression, Some(expected))),
            _ => self.infer(expression, Some(expected)),
        };
        self.convert(expression, &found, expected);
    }

    pub(super) fn infer(&mut self, expression: &'tree Expression, wish: Option<&Type>) -> Type {
        let ty = self.infer_kind(expression, wish);
        self.resolution.expressions.insert(expression.id, ty.clone());
        ty
    }

    pub(super) fn check_all(&mut self, expressions: &'tree [Expression], expected: &Type) {
        for expression in expressions {
            self.check(expression, expected);
        }
    }

    fn infer_kind(&mut self, expression: &'tree Expression, wish: Option<&Type>) -> Type {
        use ExpressionKind as Kind;
        let span = expression.span;
        match &*expression.kind {
            Kind::Int(_) => Type::Int,
            Kind::Float { single: true, .. } => Type::Float32,
            Kind::Float { .. } => Type::Float64,
            Kind::Char(_) => Type::Char,
            Kind::String(_) => Type::String,
            Kind::Bool(_) => Type::Boolean,
            Kind::Null => match wish {
                Some(ty) if ty.is_nullable() && !ty.is_unknown() => ty.clone(),
                _ => Type::Null,
            },
            Kind::This => self.this(expression),
            Kind::Result => self.result(expression),
            Kind::NoPermission => Type::ZeroFraction,
            Kind::WritePermission => Type::Fraction,
            Kind::ReadPermission => self.misplaced_read(span),
            Kind::NoneOption => match wish {
                Some(ty @ Type::Option(_)) => ty.clone(),
                _ => Type::Option(Arc::new(Type::Nothing)),
            },
            Kind::EmptyProcess | Kind::StuckProcess => Type::Process,
            Kind::AnyIndex => Type::Int,
            Kind::CurrentThread => self.current_thread(span),
            Kind::LocalThreadId | Kind::GlobalThreadId => {
                self.report(Diagnostic::error(
                    codes::UNSUPPORTED,
                    span,
                    "thread numbers of GPU kernels are not supported yet",
                ));
                Type::Int
            }
            Kind::Name(name) => self.name(expression, name),
            Kind::Unary(operator, operand) => self.unary(expression, *operator, operand),
            Kind::Binary(operator, left, right) => self.binary(expression, *operator, left, right, wish),
            Kind::Conditional(condition, then, otherwise) => {
                self.check(condition, &Type::Boolean);
                self.branches(expression, &[then, otherwise], wish)
            }
            Kind::Scale(factor, resource) => {
                self.check(factor, &Type::Rational);
                self.check(resource, &Type::Resource);
                Type::Resource
            }
            Kind::MapInsert(map, key, value) => self.map_insert(map, key, value, wish),
            Kind::Field(object, name) => self.selection(expression, object, name),
            Kind::Call(call) => self.call(expression, call),
            Kind::AdtCall { adt, type_arguments, function, arguments } => {
                self.adt_call(expression, adt, type_arguments, function, arguments)
            }
            Kind::CoalescingCall { receiver, name, arguments } => {
                self.coalescing_call(expression, receiver, name, arguments)
            }
            Kind::New { .. } => self.creation(expression),
            Kind::NewArray { element, dimensions } => {
                self.forbid_in_pure(expression, "an array is created");
                let element = self.written_value(element);
                self.check_all(dimensions, &Type::Int);
                dimensions.iter().fold(element, |ty, _| Type::Array(Arc::new(ty)))
            }
            Kind::Index(base, index) => self.index(expression, base, index),
            Kind::Slice(base, low, high) => {
                let ty = self.infer(base, wish);
                for bound in low.iter().chain(high) {
                    self.check(bound, &Type::Int);
                }
                self.sequence_subscript(expression, base, ty, "cut")
            }
            Kind::Update(base, index, value) => self.update(expression, base, index, value, wish),
            Kind::Size(inner) => self.size(inner, span),
            Kind::With { before, value, after } => self.scoped(|checker| {
                checker.forbid_in_pure(expression, "ghost statements stand");
                before.iter().for_each(|before| checker.ghost_statement(before));
                let ty = checker.infer(value, wish);
                after.iter().for_each(|after| checker.ghost_statement(after));
                ty
            }),
            Kind::Permission { .. } | Kind::Value(_) | Kind::AutoValue(_) | Kind::PointsTo { .. } => {
                self.permission(expression);
                Type::Resource
            }
            Kind::CurrentPermission(location) => {
                self.location(location);
                Type::Rational
            }
            Kind::Builtin(builtin, arguments) => self.builtin(expression, *builtin, arguments, wish),
            Kind::PartialIndex(indices, dimensions) => {
                self.check_all(indices, &Type::Int);
                self.check_all(dimensions, &Type::Int);
                Type::Int
            }
            Kind::Quantifier { kind, bindings, condition, body } => self.scoped(|checker| {
                checker.within(
                    |context| context.effects_before = false,
                    |checker| checker.quantifier(*kind, bindings, condition.as_ref(), body, wish),
                )
            }),
            Kind::Let { binding, value, body } => {
                let ty = self.written_value(&binding.ty);
                self.check(value, &ty);
                self.set_variable(binding.id, ty);
                self.scoped(|checker| {
                    checker.declare(&binding.name, binding.id, true);
                    checker.infer(body, wish)
                })
            }
            Kind::ForPerm { bindings, location, body } => self.scoped(|checker| {
                for binding in bindings {
                    let ty = checker.written_value(&binding.ty);
                    checker.set_variable(binding.id, ty);
                    checker.declare(&binding.name, binding.id, true);
                }
                checker.location(location);
                checker.check(body, &Type::Boolean);
                Type::Boolean
            }),
            Kind::ForPermWithValue { id, name, body } => self.scoped(|checker| {
                checker.set_variable(*id, Type::Any);
                checker.declare(name, *id, true);
                checker.check(body, &Type::Boolean);
                Type::Boolean
            }),
            Kind::Trigger(_, inner) => self.infer(inner, wish),
            Kind::Old(label, inner) => {
                self.old(expression, label.as_ref());
                self.infer(inner, wish)
            }
            Kind::Unfolding(target, body) => {
                self.fold_target(target);
                self.infer(body, wish)
            }
            Kind::TypeOf(inner) => {
                let ty = self.infer(inner, None);
                Type::TypeValue(Arc::new(ty))
            }
            Kind::TypeValue(ty) => {
                let ty = self.written(ty);
                Type::TypeValue(Arc::new(ty))
            }
            Kind::Collection { kind, element, elements } => {
                self.collection(*kind, element.as_ref(), elements, wish)
            }
            Kind::Map { key, value, entries } => {
                let key_type = self.written_value(key);
                let value_type = self.written_value(value);
                for (key, value) in entries {
                    self.check(key, &key_type);
                    self.check(value, &value_type);
                }
                Type::Map(Arc::new(key_type), Arc::new(value_type))
            }
            Kind::Tuple { first_type, second_type, first, second } => {
                let first_type = self.written_value(first_type);
                let second_type = self.written_value(second_type);
                self.check(first, &first_type);
                self.check(second, &second_type);
                Type::Tuple(Arc::new(first_type), Arc::new(second_type))
            }
            Kind::Comprehension { element, value, selectors, condition } => {
                let element = self.written_value(element);
                self.scoped(|checker| {
                    for selector in selectors {
                        checker.selector(selector);
                    }
                    checker.check(value, &element);
                    checker.check(condition, &Type::Boolean);
                });
                Type::Set(Arc::new(element))
            }
            Kind::RangeSeq(low, high) => {
                self.check(low, &Type::Int);
                self.check(high, &Type::Int);
                Type::Seq(Arc::new(Type::Int))
            }
            Kind::RangeSet(low, high) => {
                self.check(low, &Type::Int);
                self.check(high, &Type::Int);
                Type::Set(Arc::new(Type::Int))
            }
            Kind::IndependentOf(name, _) => self.independent(expression, name),
        }
    }

    fn misplaced_read(&mut self, span: Span) -> Type {
        self.error(
            codes::WILDCARD,
            span,
            "`read` is no exact amount and can only be the amount of a permission",
            "write it as `Perm(x, read)` or `Value(x)`, or use a fraction",
        );
        Type::Fraction
    }

    fn current_thread(&mut self, span: Span) -> Type {
        self.resolution.names_threads = true;
        if self.context.thread != ThreadPlace::Current {
            let help = self.context.thread.help();
            self.error(codes::THREAD_SCOPE, span, "there is no current thread here", help);
        }
        Type::Int
    }

    /// `map ++ (key, value)`
    fn map_insert(
        &mut self,
        map: &'tree Expression,
        key: &'tree Expression,
        value: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        let ty = self.infer(map, wish);
        if let Type::Map(key_type, value_type) = &ty {
            self.check(key, key_type);
            self.check(value, value_type);
            return ty;
        }
        self.infer(key, None);
        self.infer(value, None);
        self.unexpected(map, &ty, "a map");
        Type::Unknown
    }

    /// `|collection|`
    fn size(&mut self, collection: &'tree Expression, span: Span) -> Type {
        let ty = self.infer(collection, None);
        match ty {
            Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::Vector(..) => {}
            Type::String | Type::Unknown => {}
            Type::Array(_) => {
                self.error(codes::TYPE, span, "an array has no `|…|`", "its length is `a.length`");
            }
            _ => self.unexpected(collection, &ty, "a collection"),
        }
        Type::Int
    }

    /// `x ! i`
    fn independent(&mut self, expression: &Expression, name: &'tree Name) -> Type {
        match self.variable(&name.text) {
            Some(variable) => {
                self.resolution.names.insert(expression.id, NameTarget::Variable(variable.id));
                self.type_of_variable(variable.id)
            }
            None => {
                self.no_such_name(name);
                Type::Unknown
            }
        }
    }

    fn quantifier(
        &mut self,
        kind: QuantifierKind,
        bindings: &'tree [Binding],
        condition: Option<&'tree Expression>,
        body: &'tree Expression,
        wish: Option<&Type>,
    ) -> Type {
        for binding in bindings {
            let ty = self.written_value(&binding.ty);
            if let Some((low, high)) = &binding.range {
                self.check(low, &Type::Int);
                self.check(high, &Type::Int);
                if !ty.same(&Type::Int) {
                    self.error(
                        codes::TYPE,
                        binding.span,
                        "only integers have a range",
                        "give the variable the type `int`",
                    );
                }
            }
            self.set_variable(binding.id, ty);
            self.declare(&binding.name, binding.id, true);
        }
        if let Some(condition) = condition {
            self.check(condition, &Type::Boolean);
        }
        match kind {
            QuantifierKind::Forall | QuantifierKind::Exists => {
                self.check(body, &Type::Boolean);
                Type::Boolean
            }
            QuantifierKind::Starall => {
                self.check(body, &Type::Resource);
                Type::Resource
            }
            QuantifierKind::Count => {
                self.check(body, &Type::Boolean);
                Type::Int
            }
            QuantifierKind::Parallel => {
                for binding in bindings.iter().filter(|binding| binding.range.is_none()) {
                    self.error(
                        codes::PROCESS_RANGE,
                        binding.span,
                        "`\\par` needs the range of its variable",
                        "write `(\\par int i = a .. b; P)`; the upper bound is not included",
                    );
                }
                if let Some(condition) = condition {
                    self.error(
                        codes::PROCESS_RANGE,
                        condition.span,
                        "`\\par` has no condition",
                        "put it into the process: `c ? P : empty`",
                    );
                }
                self.check(body, &Type::Process);
                Type::Process
            }
            QuantifierKind::Sum => {
                let ty = self.infer(body, wish);
                if ty == Type::Process {
                    return ty;
                }
                if !ty.is_number() {
                    self.unexpected(body, &ty, "a number");
                }
                ty
            }
        }
    }

    /// Says that a type is not of the kind that is needed; silent where the type is not known.
    pub(super) fn unexpected(&mut self, expression: &Expression, found: &Type, needed: &str) {
        if found.is_unknown() {
            return;
        }
        let message = format!("this is of type `{}`, but {needed} is needed", self.show(found));
        self.report(Diagnostic::error(codes::TYPE, expression.span, message));
    }

    /// Something that changes the state stands where nothing may change.
    pub(super) fn forbid_in_pure(&mut self, expression: &Expression, what: &str) {
        if self.context.effects_before {
            self.warn_effect(expression);
        } else if self.context.pure {
            self.error(
                codes::THREAD_SCOPE,
                expression.span,
                format!("{what} where nothing may change"),
                "contracts, invariants and pure functions only look at the state; do this in a statement before",
            );
        }
    }

    pub(super) fn warn_effect(&mut self, expression: &Expression) {
        self.report(
            Diagnostic::warning(
                codes::SUSPICIOUS,
                expression.span,
                "this assertion changes the state: the change is made, then the assertion is checked",
            )
            .help("do it in a statement before, and keep the result in a variable"),
        );
    }

    fn unary(
        &mut self,
        expression: &'tree Expression,
        operator: UnaryOperator,
        operand: &'tree Expression,
    ) -> Type {
        match operator {
            UnaryOperator::Not => {
                self.check(operand, &Type::Boolean);
                Type::Boolean
            }
            UnaryOperator::Negate => {
                let ty = self.infer(operand, None);
                match ty {
                    Type::Fraction | Type::ZeroFraction => {
                        self.convert(operand, &ty, &Type::Rational);
                        Type::Rational
                    }
                    _ if ty.is_number() => ty,
                    _ => self.negated_vector(operand, ty),
                }
            }
            UnaryOperator::Dereference => {
                let ty = self.infer(operand, None);
                match ty {
                    Type::Pointer(inner) => {
                        self.resolution.subscripts.insert(expression.id, Subscript::Pointer);
                        (*inner).clone()
                    }
                    _ => {
                        self.unexpected(operand, &ty, "a pointer");
                        Type::Unknown
                    }
                }
            }
            UnaryOperator::AddressOf => {
                let ty = self.infer(operand, None);
                self.take_address(operand);
                Type::Pointer(Arc::new(ty))
            }
        }
    }

    /// The type of alternatives: the wish if all fit it, else what they have in common.
    pub(super) fn branches(
        &mut self,
        expression: &Expression,
        alternatives: &[&'tree Expression],
        wish: Option<&Type>,
    ) -> Type {
        let types: Vec<Type> = alternatives.iter().map(|alternative| self.infer(alternative, wish)).collect();
        let common = types.iter().try_fold(Type::Nothing, |common, ty| common.common(ty));
        let Some(common) = common else {
            let shown: Vec<String> = types.iter().map(|ty| format!("`{}`", self.show(ty))).collect();
            self.error(
                codes::TYPE,
                expression.span,
                format!("the alternatives have the types {}", shown.join(" and ")),
                "give them the same type",
            );
            return Type::Unknown;
        };
        // Literals and fractions can be more exact than what they have in common.
        let target = match wish {
            Some(
                wish @ (Type::Fraction
                | Type::ZeroFraction
                | Type::Float32
                | Type::Float64
                | Type::ResourceValue),
            ) => wish.clone(),
            _ => common,
        };
        for (alternative, ty) in alternatives.iter().zip(&types) {
            self.convert(alternative, ty, &target);
        }
        target
    }
}
