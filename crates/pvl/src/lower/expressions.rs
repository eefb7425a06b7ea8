//! Expressions: which module lowers which kind.

use silver::syntax::tree as s;
use source::Span;

use super::origin::Role;
use super::prelude::Theory;
use super::scope::{Mode, ResultPlace, Scope};
use crate::resolve::{CallTarget, NameTarget, Selection, Type};
use crate::syntax::tree::{Builtin, Expression, ExpressionKind, Statement, UnaryOperator};

impl<'t> Scope<'_, 't> {
    /// The expression as the context wants it.
    pub(super) fn expression(&mut self, expression: &'t Expression) -> s::Expression {
        if let Some(value) = self.spec.values_of_parts.get(&expression.id) {
            return value.clone();
        }
        let own = self.type_of(expression);
        let target = self.converted_type(expression);
        // `any` says nothing about the type of a literal.
        if target != Type::Any && takes_type_of_context(&expression.kind) {
            return self.unconverted(expression, &target);
        }
        if target == Type::ResourceValue && matches!(own, Type::Resource | Type::Boolean) {
            return self.keep_resource(expression);
        }
        let mut value = self.unconverted(expression, &own);
        let is_old_vector =
            matches!(own, Type::Vector(..)) && matches!(*expression.kind, ExpressionKind::Old(..));
        if is_old_vector || self.is_stored(expression) {
            value = self.read_value(value, &own, expression.span);
        }
        self.convert(value, &own, &target, expression)
    }

    /// A value that was stored, with what its type says of it.
    pub(super) fn read_value(&mut self, value: s::Expression, ty: &Type, place: Span) -> s::Expression {
        let function = match ty {
            Type::Fraction => "stored_fraction",
            Type::ZeroFraction => "stored_zero_fraction",
            _ => return self.stored_vector(value, ty, place),
        };
        self.lowering.need(Theory::Fraction);
        self.at(place).call(function, vec![value])
    }

    /// Whether the value comes from a field, an element or another value, of whose type Silver knows less.
    fn is_stored(&self, expression: &Expression) -> bool {
        match &*expression.kind {
            ExpressionKind::Field(..) | ExpressionKind::Index(..) | ExpressionKind::AdtCall { .. } => true,
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => true,
            ExpressionKind::Builtin(Builtin::Choose | Builtin::ChooseFresh, _) => true,
            ExpressionKind::Name(_) => {
                !matches!(self.resolution.names.get(&expression.id), Some(NameTarget::Variable(_)))
            }
            ExpressionKind::Call(_) => {
                !matches!(self.resolution.calls.get(&expression.id), Some(CallTarget::Routine(_)))
            }
            _ => false,
        }
    }

    /// An expression without side effects that is evaluated in the state in which it stands.
    pub(super) fn assertion(&mut self, expression: &'t Expression) -> s::Expression {
        self.specification(|scope| scope.expression(expression))
    }

    /// The expression as a value of its own type; `ty` is the type of literals that have none.
    pub(super) fn unconverted(&mut self, expression: &'t Expression, ty: &Type) -> s::Expression {
        let place = expression.span;
        match &*expression.kind {
            ExpressionKind::Int(digits) => self.at(place).expression(s::ExpressionKind::Int(digits.clone())),
            ExpressionKind::Float { text, .. } => self.float(text, expression),
            ExpressionKind::Char(character) => self.at(place).int(i64::from(u32::from(*character))),
            ExpressionKind::String(text) => self.string(text, place),
            ExpressionKind::Bool(value) => self.at(place).bool(*value),
            ExpressionKind::Null => self.null(ty, expression),
            ExpressionKind::This => self.this(place),
            ExpressionKind::Result => self.result_at(place),
            ExpressionKind::NoPermission => self.at(place).no_permission(),
            ExpressionKind::WritePermission => self.at(place).write(),
            ExpressionKind::ReadPermission => self.at(place).wildcard(),
            ExpressionKind::NoneOption => self.none_option(ty, expression),
            ExpressionKind::EmptyProcess | ExpressionKind::StuckProcess => self.process_term(expression),
            ExpressionKind::AnyIndex => self.unsupported(place, "`*` outside of `Perm(a[*], …)`"),
            ExpressionKind::CurrentThread => self.current_thread(place),
            ExpressionKind::LocalThreadId | ExpressionKind::GlobalThreadId => {
                self.unsupported(place, "a thread id of a kernel")
            }
            ExpressionKind::Name(_) => self.name(expression),
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand, expression),
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, left, right, expression),
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, expression)
            }
            ExpressionKind::Scale(factor, resource) => self.scale(factor, resource),
            ExpressionKind::MapInsert(base, key, value) | ExpressionKind::Update(base, key, value) => {
                self.updated(base, key, value, place)
            }
            ExpressionKind::Field(object, _) => self.selection(object, expression),
            ExpressionKind::Call(call) => self.call(call, expression),
            ExpressionKind::AdtCall { arguments, .. } => {
                let arguments: Vec<&Expression> = arguments.iter().collect();
                self.adt_call(&arguments, expression)
            }
            ExpressionKind::CoalescingCall { receiver, arguments, .. } => {
                self.coalescing_call(receiver, arguments, expression)
            }
            ExpressionKind::New { arguments, given, yields, .. } => {
                self.create(arguments, given, yields, expression)
            }
            ExpressionKind::NewArray { dimensions, .. } => self.new_array(dimensions, expression),
            ExpressionKind::Index(base, index) => self.index(base, index, expression),
            ExpressionKind::Slice(base, low, high) => {
                self.slice(base, low.as_ref(), high.as_ref(), expression)
            }
            ExpressionKind::Size(operand) => {
                let operand = self.expression(operand);
                self.at(place).size(operand)
            }
            ExpressionKind::With { before, value, after } => {
                self.with_ghost_code(before.as_deref(), value, after.as_deref(), place)
            }
            ExpressionKind::Permission { kind, location, amount } => {
                self.permission(*kind, location, amount, expression)
            }
            ExpressionKind::Value(location) => self.some_permission(location, expression),
            ExpressionKind::AutoValue(location) => self.auto_value(location, expression),
            ExpressionKind::PointsTo { location, amount, value } => {
                self.points_to(location, amount, value, expression)
            }
            ExpressionKind::CurrentPermission(location) => self.current_permission(location, expression),
            ExpressionKind::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, ty, expression),
            ExpressionKind::PartialIndex(indices, dimensions) => {
                self.partial_index(indices, dimensions, expression)
            }
            ExpressionKind::Quantifier { kind, bindings, condition, body } => {
                self.quantifier(*kind, bindings, condition.as_ref(), body, expression)
            }
            ExpressionKind::Let { binding, value, body } => {
                let plain = self.without_lets(|scope| scope.assertion(value));
                let value = self.expression(value);
                let name = self.declare(binding.id, &binding.name.text);
                let body = self.with_let(binding.id, plain, |scope| scope.assertion(body));
                let mut build = self.at(place);
                let name = build.name(&name);
                build.expression(s::ExpressionKind::Let { name, value, body })
            }
            ExpressionKind::ForPerm { bindings, location, body } => {
                self.for_perm(bindings, location, body, expression)
            }
            ExpressionKind::ForPermWithValue { id, body, .. } => {
                self.for_perm_with_value(*id, body, expression)
            }
            ExpressionKind::Trigger(group, term) => self.inline_trigger(*group, term),
            ExpressionKind::Old(label, operand) => self.old(label.is_some(), operand, expression),
            ExpressionKind::Unfolding(predicate, body) => self.unfolding(predicate, body, expression),
            ExpressionKind::TypeOf(operand) => self.type_of_value(operand, expression),
            ExpressionKind::TypeValue(ty) => self.type_value(ty, expression),
            ExpressionKind::Collection { kind, elements, .. } => {
                self.collection(*kind, elements, ty, expression)
            }
            ExpressionKind::Map { entries, .. } => self.map(entries, ty, expression),
            ExpressionKind::Tuple { first, second, .. } => {
                self.lowering.need(Theory::Tuple);
                let arguments = self.operands(&[first, second]);
                self.at(place).call("tuple", arguments)
            }
            ExpressionKind::Comprehension { value, selectors, condition, .. } => {
                self.comprehension(value, selectors, condition, ty, expression)
            }
            ExpressionKind::RangeSeq(low, high) => {
                let mut values = self.operands(&[low, high]);
                let (Some(high), Some(low)) = (values.pop(), values.pop()) else {
                    return self.unsupported(place, "this range");
                };
                self.at(place).expression(s::ExpressionKind::Range(low, high))
            }
            ExpressionKind::RangeSet(low, high) => {
                self.lowering.need(Theory::RangeSet);
                let arguments = self.operands(&[low, high]);
                self.at(place).call("range_set", arguments)
            }
            ExpressionKind::IndependentOf(..) => self.unsupported(place, "`x ! i` outside of rewrite rules"),
        }
    }

    /// A sequence of the numbers of its characters.
    fn string(&mut self, text: &str, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let characters: Vec<_> =
            text.chars().map(|character| build.int(i64::from(u32::from(character)))).collect();
        let element = build.ty(s::TypeKind::Int);
        let element = characters.is_empty().then_some(element);
        build.expression(s::ExpressionKind::Collection(s::CollectionKind::Seq, element, characters))
    }

    fn conditional(
        &mut self,
        condition: &'t Expression,
        then: &'t Expression,
        otherwise: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        if self.spec.mode == Mode::Code && (self.has_effects(then) || self.has_effects(otherwise)) {
            return self.conditional_code(condition, then, otherwise, expression);
        }
        if self.type_of(expression) == Type::Process {
            return self.process_term(expression);
        }
        let condition = self.expression(condition);
        let then = self.expression(then);
        let otherwise = self.expression(otherwise);
        self.at(expression.span).conditional(condition, then, otherwise)
    }

    /// A sequence or a map with another value at one place.
    fn updated(
        &mut self,
        base: &'t Expression,
        key: &'t Expression,
        value: &'t Expression,
        place: Span,
    ) -> s::Expression {
        let mut values = self.operands(&[base, key, value]);
        let (Some(value), Some(key), Some(base)) = (values.pop(), values.pop(), values.pop()) else {
            return self.unsupported(place, "this update");
        };
        self.at(place).expression(s::ExpressionKind::Update(base, key, value))
    }

    /// A value with ghost statements before or after it.
    fn with_ghost_code(
        &mut self,
        before: Option<&'t Statement>,
        value: &'t Expression,
        after: Option<&'t Statement>,
        place: Span,
    ) -> s::Expression {
        // Where it is evaluated any number of times, as in a quantifier, there is no place to execute it.
        if self.spec.mode == Mode::Specification {
            let message = "ghost statements change the state and cannot stand here";
            self.error("impureCall", place, message, "put them in front, as a `ghost` statement");
            return self.expression(value);
        }
        before.into_iter().for_each(|before| self.statement(before));
        let ty = self.converted_type(value);
        let lowered = self.expression(value);
        let Some(after) = after else { return lowered };
        let kept = self.keep(lowered, &ty, "value", place);
        self.statement(after);
        kept
    }

    /// `\old(operand)`, in a state that has a name or at the start.
    fn old(&mut self, is_named: bool, operand: &'t Expression, expression: &'t Expression) -> s::Expression {
        let place = expression.span;
        if let Some(kept) = self.kept_value(expression) {
            return kept;
        }
        if !is_named && let Some(value) = self.old_of_model(operand) {
            return value;
        }
        let label = if is_named { self.label_of(expression.id) } else { None };
        if is_named && label.is_none() {
            return self.unsupported(place, "a state of this name here");
        }
        let operand = self.assertion(operand);
        let mut build = self.at(place);
        let label = label.map(|label| build.name(&label));
        build.expression(s::ExpressionKind::Old(label, operand))
    }

    fn float(&mut self, text: &str, expression: &Expression) -> s::Expression {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        let numerator = digits.trim_start_matches('0');
        let numerator = if numerator.is_empty() { "0" } else { numerator };
        let denominator = format!("1{}", "0".repeat(fraction.len()));
        let mut build = self.at(expression.span);
        let numerator = build.expression(s::ExpressionKind::Int(numerator.into()));
        let denominator = build.expression(s::ExpressionKind::Int(denominator.into()));
        build.binary(s::BinaryOperator::Divide, numerator, denominator)
    }

    pub(super) fn null(&mut self, ty: &Type, expression: &Expression) -> s::Expression {
        match ty {
            Type::Array(_) => {
                self.lowering.need(Theory::Array);
                self.at(expression.span).call("array_null", Vec::new())
            }
            Type::Pointer(_) => {
                self.lowering.need(Theory::Pointer);
                self.at(expression.span).call("pointer_null", Vec::new())
            }
            Type::Enum(id) => self.enum_null(*id, expression.span),
            _ => self.at(expression.span).null(),
        }
    }

    pub(super) fn result_at(&mut self, place: Span) -> s::Expression {
        match self.bindings.result.clone() {
            ResultPlace::Function => self.at(place).expression(s::ExpressionKind::Result),
            ResultPlace::Variable(name) => self.at(place).variable(&name),
            ResultPlace::None => {
                let message = "there is no result here";
                self.error("resultScope", place, message, "`\\result` belongs in `ensures`");
                self.at(place).null()
            }
        }
    }

    fn name(&mut self, expression: &'t Expression) -> s::Expression {
        let place = expression.span;
        match self.resolution.names.get(&expression.id) {
            Some(NameTarget::Variable(id)) => self.variable(*id, place),
            Some(NameTarget::Field(id)) => {
                let this = self.this(place);
                let class_arguments = self.own_class_arguments(*id);
                self.read_field(*id, class_arguments, this, place)
            }
            Some(NameTarget::StaticField(id)) => self.static_field(*id, Role::Location("perm"), place),
            Some(NameTarget::ModelField(id)) => self.viewed_field(*id, place),
            Some(NameTarget::TypeName(_)) | None => self.unsupported(place, "a type as a value"),
        }
    }

    fn selection(&mut self, object: &'t Expression, expression: &'t Expression) -> s::Expression {
        let place = expression.span;
        match self.resolution.selections.get(&expression.id) {
            Some(Selection::Field(id)) => {
                let class_arguments = self.class_arguments_of(object);
                let object = self.expression(object);
                self.read_field(*id, class_arguments, object, place)
            }
            Some(Selection::StaticField(id)) => self.static_field(*id, Role::Location("perm"), place),
            Some(Selection::EnumConstant(id)) => self.enum_constant(*id, place),
            Some(Selection::ModelField(id)) => self.selected_model_field(*id, object, place),
            Some(Selection::Member(member)) => self.member(*member, object, &[], expression),
            None => self.unsupported(place, "this selection"),
        }
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        match operator {
            UnaryOperator::Not => {
                let operand = self.expression(operand);
                let mut build = self.at(expression.span);
                build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Not, operand))
            }
            UnaryOperator::Negate => {
                let ty = self.converted_type(operand);
                if matches!(ty, Type::Vector(..)) {
                    return self.negated_vector(operand, &ty, expression);
                }
                let is_rational = super::values::types::is_rational(&ty);
                let operand = self.expression(operand);
                let mut build = self.at(expression.span);
                if is_rational {
                    let zero = build.no_permission();
                    return build.subtract(zero, operand);
                }
                build.expression(s::ExpressionKind::Unary(s::UnaryOperator::Negate, operand))
            }
            UnaryOperator::Dereference => self.dereference(operand, expression),
            UnaryOperator::AddressOf => self.address_of(operand, expression),
        }
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &'t [Expression],
        ty: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        match builtin {
            Builtin::Array | Builtin::Matrix | Builtin::Values => {
                self.array_builtin(builtin, arguments, expression)
            }
            Builtin::Pointer
            | Builtin::PointerIndex
            | Builtin::PointerLength
            | Builtin::PointerBlockLength
            | Builtin::PointerBlockOffset => self.pointer_builtin(builtin, arguments, expression),
            Builtin::ArrayPermission => self.stride(arguments, expression),
            Builtin::PolarityDependent => {
                let inhaled = self.assertion(&arguments[0]);
                let exhaled = self.assertion(&arguments[1]);
                self.at(place).expression(s::ExpressionKind::InhaleExhale(inhaled, exhaled))
            }
            Builtin::EuclideanDiv | Builtin::EuclideanMod => {
                let mut values = self.operands(&[&arguments[0], &arguments[1]]);
                let (Some(right), Some(left)) = (values.pop(), values.pop()) else {
                    return self.unsupported(place, "this division");
                };
                let operator = match builtin {
                    Builtin::EuclideanDiv => s::BinaryOperator::IntDivide,
                    _ => s::BinaryOperator::Modulo,
                };
                self.at(place).binary(operator, left, right)
            }
            Builtin::Pow => {
                let mut values = self.operands(&[&arguments[0], &arguments[1]]);
                let (Some(exponent), Some(base)) = (values.pop(), values.pop()) else {
                    return self.unsupported(place, "this power");
                };
                self.power([base, exponent], &arguments[0], &arguments[1], place)
            }
            Builtin::Choose | Builtin::ChooseFresh => self.choose(builtin, &arguments[0], expression),
            Builtin::NdIndex => self.nd_index(arguments, expression),
            Builtin::NdLength => {
                let values: Vec<&Expression> = arguments.iter().collect();
                let values = self.operands(&values);
                let mut build = self.at(place);
                let product = values
                    .into_iter()
                    .reduce(|left, right| build.binary(s::BinaryOperator::Multiply, left, right));
                product.unwrap_or_else(|| self.at(place).int(1))
            }
            Builtin::Held | Builtin::Committed | Builtin::Idle | Builtin::Running => {
                self.token(builtin, &arguments[0], expression)
            }
            Builtin::Some => {
                self.lowering.need(Theory::Option);
                let value = self.expression(&arguments[0]);
                self.at(place).call("some", vec![value])
            }
            Builtin::Left | Builtin::Right => {
                self.lowering.need(Theory::Either);
                let ty = self.ty(ty, place);
                let value = self.expression(&arguments[0]);
                let function = if builtin == Builtin::Left { "either_left" } else { "either_right" };
                self.at(place).call_typed(function, vec![value], ty)
            }
            Builtin::IsInt => {
                self.lowering.need(Theory::IsInt);
                let number = self.expression(&arguments[0]);
                self.at(place).call("is_integer", vec![number])
            }
            Builtin::Iterate => self.process_term(expression),
            Builtin::SharedMemSize => self.unsupported(place, "`\\shared_mem_size`"),
            Builtin::VectorSum => self.entries_added(&arguments[0], &arguments[1], expression),
            Builtin::MatrixSum => self.rows_added(&arguments[0], &arguments[1], expression),
            Builtin::VectorCompare | Builtin::MatrixCompare => {
                self.entries_compared(builtin, &arguments[0], &arguments[1], expression)
            }
            Builtin::VectorRepeat | Builtin::MatrixRepeat => self.repetition(&arguments[0], ty, expression),
        }
    }
}

/// Whether a literal gets its type from where it stands.
fn takes_type_of_context(kind: &ExpressionKind) -> bool {
    match kind {
        ExpressionKind::Null | ExpressionKind::NoneOption => true,
        ExpressionKind::Collection { elements, .. } => elements.is_empty(),
        ExpressionKind::Builtin(Builtin::Left | Builtin::Right, _) => true,
        _ => false,
    }
}
