//! Values of expressions that only look: everything but calls of methods, `new` and ghost statements.
//!
//! A part that was evaluated before, because it acts, is found in `known`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pvl::resolve::{CallTarget, NameTarget, Operation, Receiver, Selection, Subscript, Type};
use pvl::syntax::tree::{
    BinaryOperator, Builtin, Call, CollectionKind, Expression, ExpressionKind, NodeId, Routine, UnaryOperator,
};

use super::machine::{MAX_DEPTH, MAX_STEPS, Machine};
use super::operators;
use super::state::{BlockKind, Env, Heap, Location};
use super::stop::{Failure, Result, Stop};
use super::value::{Pointer, Rational, Value, convert, default_of};

pub(super) type Known = Vec<(NodeId, Value)>;

impl<'t> Machine<'t> {
    pub(super) fn evaluate(&mut self, env: &mut Env, e: &'t Expression) -> Result<Value> {
        self.evaluate_known(env, e, &Vec::new())
    }

    pub(super) fn truth(&mut self, env: &mut Env, e: &'t Expression) -> Result<bool> {
        self.evaluate(env, e)?.truth()
    }

    /// The value of an expression whose parts that act have been evaluated.
    pub(super) fn evaluate_known(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        known: &Known,
    ) -> Result<Value> {
        if let Some((_, value)) = known.iter().find(|entry| entry.0 == e.id) {
            return Ok(value.clone());
        }
        self.steps += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop::unknown("a deep recursion"));
        }
        if self.steps > MAX_STEPS {
            return Err(Stop::unknown("a long run"));
        }
        let value = self.plain(env, e, known).map_err(|stop| stop.at(e.span))?;
        self.converted(env, e, value)
    }

    /// The value as its context needs it.
    pub(super) fn converted(&mut self, env: &Env, e: &'t Expression, value: Value) -> Result<Value> {
        match self.resolution.conversions.get(&e.id) {
            Some(ty) => {
                let ty = self.type_in(env, ty);
                convert(value, &ty).map_err(|stop| stop.at(e.span))
            }
            None => Ok(value),
        }
    }

    fn plain(&mut self, env: &mut Env, e: &'t Expression, known: &Known) -> Result<Value> {
        use ExpressionKind as K;
        let mut get = |machine: &mut Self, part: &'t Expression| machine.evaluate_known(env, part, known);
        Ok(match &*e.kind {
            K::Int(text) => Value::Int(text.parse().map_err(|_| Stop::unknown("a large number"))?),
            K::Float { text, .. } => decimal(text)?,
            K::Char(it) => Value::Char(*it),
            K::String(it) => Value::Text(it.chars().collect()),
            K::Bool(it) => Value::Bool(*it),
            K::Null => Value::Null,
            K::This => env.this.clone().ok_or_else(|| Stop::unknown("`this`"))?,
            K::Result => env.result.clone().ok_or_else(|| Stop::unknown("`\\result`"))?,
            K::NoPermission => Value::Rational(Rational::from_integer(0)),
            K::WritePermission => Value::Rational(Rational::from_integer(1)),
            K::NoneOption => Value::Option(None),
            K::CurrentThread => Value::Int(self.thread as i128),
            K::Name(_) => return self.name(env, e),
            K::Unary(UnaryOperator::AddressOf, operand) => return self.address(env, operand),
            K::Unary(UnaryOperator::Dereference, pointer) => match get(self, pointer)? {
                Value::Pointer(pointer) => {
                    let location = self.pointed(pointer, 0)?;
                    return self.read(location, e.span);
                }
                Value::Null => return Err(Stop::fail("ptrNull")),
                _ => return Err(Stop::unknown("a pointer")),
            },
            K::Unary(operator, operand) => {
                let value = get(self, operand)?;
                return operators::unary(*operator, value);
            }
            K::Binary(operator, a, b) => return self.binary(env, e, *operator, a, b, known),
            K::Conditional(condition, yes, no) => {
                let condition = get(self, condition)?.truth()?;
                return get(self, if condition { yes } else { no });
            }
            K::MapInsert(map, key, value) => {
                let mut map = get(self, map)?.map()?;
                let key = get(self, key)?;
                let value = get(self, value)?;
                map.insert(key, value);
                Value::Map(map)
            }
            K::Field(base, _) => match self.resolution.selections.get(&e.id) {
                Some(Selection::Field(field)) => {
                    let object = get(self, base)?;
                    let location = self.field(&object, *field, "nullField")?;
                    return self.read(location, e.span);
                }
                Some(Selection::StaticField(field)) => {
                    let location = self.static_field(*field)?;
                    return self.read(location, e.span);
                }
                Some(Selection::EnumConstant(id)) => Value::Enum(*id),
                Some(Selection::Member(member)) => {
                    let value = get(self, base)?;
                    return self.member(*member, value, Vec::new());
                }
                _ => return Err(Stop::unknown("a selection")),
            },
            K::Call(call) => return self.pure_call(env, e, call, known),
            K::NewArray { dimensions, .. } => {
                let mut lengths = Vec::new();
                for dimension in dimensions {
                    lengths.push(get(self, dimension)?.int()?);
                }
                let ty = self.resolution.expressions.get(&e.id).cloned();
                let ty = ty.ok_or_else(|| Stop::unknown("a type"))?;
                return self.new_array(env, &ty, &lengths);
            }
            K::Index(base, index) => {
                let base = get(self, base)?;
                let index = get(self, index)?;
                match self.resolution.subscripts.get(&e.id) {
                    Some(Subscript::Array | Subscript::Pointer) => {
                        let location = self.element(&base, index.int()?)?;
                        return self.read(location, e.span);
                    }
                    Some(Subscript::Map) => {
                        let map = base.map()?;
                        map.get(&index).cloned().ok_or_else(|| Stop::fail("mapKey"))?
                    }
                    _ => operators::element(&base.seq()?, index.int()?)?,
                }
            }
            K::Slice(base, low, high) => {
                let elements = get(self, base)?.seq()?;
                let low = low.as_ref().map(|low| get(self, low)?.int()).transpose()?;
                let high = high.as_ref().map(|high| get(self, high)?.int()).transpose()?;
                let length = elements.len() as i128;
                Value::Seq(operators::slice(&elements, low.unwrap_or(0), high.unwrap_or(length)))
            }
            K::Update(base, index, value) => {
                let base = get(self, base)?;
                let index = get(self, index)?;
                let value = get(self, value)?;
                operators::update(base, index, value)?
            }
            K::Size(base) => {
                let value = get(self, base)?;
                operators::size(&value)?
            }
            K::Builtin(builtin, arguments) => return self.builtin(env, *builtin, arguments, known),
            K::Quantifier { .. } => return self.quantifier(env, e),
            K::Let { binding, value, body } => {
                let value = get(self, value)?;
                let mark = env.variables.len();
                env.variables.push((binding.id, value));
                let value = self.evaluate_known(env, body, known);
                env.variables.truncate(mark);
                return value;
            }
            K::Trigger(_, inner) | K::Unfolding(_, inner) => return get(self, inner),
            K::Old(None, inner) => {
                let heap = env.old.clone().ok_or_else(|| Stop::unknown("`\\old` here"))?;
                return self.in_heap(env, heap, inner);
            }
            K::Old(Some(_), inner) => {
                let label = self.resolution.labels.get(&e.id);
                let heap = env.labels.iter().rev().find(|entry| Some(&entry.0) == label);
                let heap = heap.map(|entry| entry.1.clone()).ok_or_else(|| Stop::unknown("a label"))?;
                return self.in_heap(env, heap, inner);
            }
            K::Collection { kind, elements, .. } => {
                let values = self.evaluate_all(env, elements, known)?;
                match kind {
                    CollectionKind::Seq | CollectionKind::Vector => Value::Seq(values),
                    CollectionKind::Set => Value::Set(values.into_iter().collect()),
                    CollectionKind::Bag => {
                        let mut bag = BTreeMap::new();
                        for value in values {
                            *bag.entry(value).or_insert(0) += 1;
                        }
                        Value::Bag(bag)
                    }
                }
            }
            K::Map { entries, .. } => {
                let mut map = BTreeMap::new();
                for (key, value) in entries {
                    let key = get(self, key)?;
                    map.insert(key, get(self, value)?);
                }
                Value::Map(map)
            }
            K::Tuple { first, second, .. } => {
                let first = get(self, first)?;
                Value::Tuple(Box::new((first, get(self, second)?)))
            }
            K::RangeSeq(low, high) | K::RangeSet(low, high) => {
                let low = get(self, low)?.int()?;
                let high = get(self, high)?.int()?;
                if high - low > 1000 {
                    return Err(Stop::unknown("a long range"));
                }
                let values = (low..high).map(Value::Int);
                match &*e.kind {
                    K::RangeSeq(..) => Value::Seq(values.collect()),
                    _ => Value::Set(values.collect()),
                }
            }
            K::Comprehension { value, selectors, condition, .. } => {
                let mut found = BTreeSet::new();
                self.comprehension(env, selectors, condition, value, &mut found)?;
                Value::Set(found)
            }
            _ => return Err(Stop::unknown("this construct")),
        })
    }

    /// A call of what has a value and does nothing else.
    fn pure_call(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        call: &'t Call,
        known: &Known,
    ) -> Result<Value> {
        match self.resolution.calls.get(&e.id) {
            Some(CallTarget::Routine(target)) => {
                let this = match (target.receiver, &call.receiver) {
                    (Receiver::Explicit, Some(receiver)) => Some(self.evaluate_known(env, receiver, known)?),
                    (Receiver::ImplicitThis, _) => env.this.clone(),
                    _ => None,
                };
                let arguments = self.evaluate_all(env, &call.arguments, known)?;
                let mut given = Vec::new();
                let names = self.resolution.ghost_arguments.get(&e.id).map(|it| &it.given[..]);
                for (id, argument) in names.unwrap_or(&[]).iter().zip(&call.given) {
                    given.push((*id, self.evaluate_known(env, &argument.value, known)?));
                }
                let types = self.type_arguments(env, target);
                self.apply(target.routine, this, arguments, given, types)
            }
            Some(CallTarget::Member(member)) => {
                let receiver = call.receiver.as_ref().ok_or_else(|| Stop::unknown("a call"))?;
                let value = self.evaluate_known(env, receiver, known)?;
                let arguments = self.evaluate_all(env, &call.arguments, known)?;
                self.member(*member, value, arguments)
            }
            Some(CallTarget::MemberFunction(member)) => {
                let mut arguments = self.evaluate_all(env, &call.arguments, known)?;
                if arguments.is_empty() {
                    return Err(Stop::unknown("a call"));
                }
                let value = arguments.remove(0);
                self.member(*member, value, arguments)
            }
            _ => Err(Stop::unknown("a function without a definition")),
        }
    }

    fn evaluate_all(&mut self, env: &mut Env, parts: &'t [Expression], known: &Known) -> Result<Vec<Value>> {
        parts.iter().map(|part| self.evaluate_known(env, part, known)).collect()
    }

    fn name(&mut self, env: &mut Env, e: &'t Expression) -> Result<Value> {
        match self.resolution.names.get(&e.id) {
            Some(NameTarget::Variable(id)) => self.variable(env, *id, e.span),
            Some(NameTarget::Field(field)) => {
                let this = env.this.clone().ok_or_else(|| Stop::unknown("`this`"))?;
                let location = self.field(&this, *field, "nullField")?;
                self.read(location, e.span)
            }
            Some(NameTarget::StaticField(field)) => {
                let location = self.static_field(*field)?;
                self.read(location, e.span)
            }
            _ => Err(Stop::unknown("a name")),
        }
    }

    /// `&operand`
    fn address(&mut self, env: &mut Env, operand: &'t Expression) -> Result<Value> {
        if let ExpressionKind::Unary(UnaryOperator::Dereference, pointer) = &*operand.kind {
            return self.evaluate(env, pointer);
        }
        if let ExpressionKind::Index(base, index) = &*operand.kind
            && let Value::Pointer(pointer) = self.evaluate(env, base)?
        {
            let index = self.evaluate(env, index)?.int()?;
            return Ok(Value::Pointer(Pointer { offset: pointer.offset + index, ..pointer }));
        }
        if let ExpressionKind::Name(_) = &*operand.kind
            && let Some(NameTarget::Variable(id)) = self.resolution.names.get(&operand.id)
        {
            let found = env.variables.iter().rev().find(|entry| entry.0 == *id);
            return found.map(|entry| entry.1.clone()).ok_or_else(|| Stop::unknown("a variable"));
        }
        let (block, base) = self.location(env, operand)?;
        Ok(Value::Pointer(Pointer { block, base, length: 1, offset: 0 }))
    }

    /// The one location that an expression names.
    pub(super) fn location(&mut self, env: &mut Env, e: &'t Expression) -> Result<Location> {
        let found = match &*e.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&e.id) {
                Some(NameTarget::Variable(id)) => {
                    match env.variables.iter().rev().find(|entry| entry.0 == *id).map(|entry| &entry.1) {
                        Some(Value::Pointer(pointer)) if self.resolution.addressed.contains(id) => {
                            self.pointed(*pointer, 0)
                        }
                        _ => Err(Stop::unknown("a location")),
                    }
                }
                Some(NameTarget::Field(field)) => {
                    let this = env.this.clone().ok_or_else(|| Stop::unknown("`this`"))?;
                    self.field(&this, *field, "nullField")
                }
                Some(NameTarget::StaticField(field)) => self.static_field(*field),
                _ => Err(Stop::unknown("a location")),
            },
            ExpressionKind::Field(base, _) => match self.resolution.selections.get(&e.id) {
                Some(Selection::Field(field)) => {
                    let object = self.evaluate(env, base)?;
                    self.field(&object, *field, "nullField")
                }
                Some(Selection::StaticField(field)) => self.static_field(*field),
                _ => Err(Stop::unknown("a location")),
            },
            ExpressionKind::Index(base, index) => {
                let base = self.evaluate(env, base)?;
                let index = self.evaluate(env, index)?.int()?;
                self.element(&base, index)
            }
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => {
                match self.evaluate(env, pointer)? {
                    Value::Pointer(pointer) => self.pointed(pointer, 0),
                    Value::Null => Err(Stop::fail("ptrNull")),
                    _ => Err(Stop::unknown("a pointer")),
                }
            }
            _ => Err(Stop::unknown("a location")),
        };
        found.map_err(|stop| stop.at(e.span))
    }

    pub(super) fn in_heap(&mut self, env: &mut Env, heap: Rc<Heap>, e: &'t Expression) -> Result<Value> {
        let outer = self.view.replace(heap);
        let value = self.evaluate(env, e);
        self.view = outer;
        value
    }

    pub(super) fn new_array(&mut self, env: &Env, ty: &Type, lengths: &[i128]) -> Result<Value> {
        let Type::Array(element) = ty else { return Err(Stop::unknown("an array")) };
        let element = self.type_in(env, element);
        let length = usize::try_from(lengths[0]).map_err(|_| Stop::fail("arraySize"))?;
        if length > 1000 {
            return Err(Stop::unknown("a long array"));
        }
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(match &lengths[1..] {
                [] => default_of(&element)?,
                rest => self.new_array(env, &element, rest)?,
            });
        }
        Ok(Value::Array(self.state.allocate(BlockKind::Array, values, self.thread)))
    }

    fn binary(
        &mut self,
        env: &mut Env,
        e: &'t Expression,
        operator: BinaryOperator,
        a: &'t Expression,
        b: &'t Expression,
        known: &Known,
    ) -> Result<Value> {
        use BinaryOperator as B;
        if matches!(operator, B::And | B::Star | B::Or | B::Implies) {
            let left = self.evaluate_known(env, a, known);
            // The value of the left side that decides.
            let decisive = operator == B::Or;
            return match left {
                Ok(left) => {
                    let left = left.truth()?;
                    match operator {
                        B::Implies if !left => Ok(Value::Bool(true)),
                        B::And | B::Star if !left => Ok(Value::Bool(false)),
                        B::Or if left => Ok(Value::Bool(true)),
                        _ => self.evaluate_known(env, b, known),
                    }
                }
                Err(Stop::Unknown(why)) => match self.evaluate_known(env, b, known) {
                    Ok(Value::Bool(right)) if operator == B::Implies && right => Ok(Value::Bool(true)),
                    Ok(Value::Bool(right)) if operator != B::Implies && right == decisive => {
                        Ok(Value::Bool(right))
                    }
                    _ => Err(Stop::Unknown(why)),
                },
                Err(stop) => Err(stop),
            };
        }
        let left = self.evaluate_known(env, a, known)?;
        let right = self.evaluate_known(env, b, known)?;
        if self.manner.mining
            && let (B::Equal, Value::Int(seen), Value::Int(hole)) = (operator, &left, &right)
            && *hole >= super::generate::FIRST_HOLE
        {
            self.holes.entry(*hole).or_default().insert(*seen);
            return Ok(Value::Bool(true));
        }
        match self.resolution.operations.get(&e.id) {
            Some(Operation::Declared { routine, on_right }) => {
                let (this, argument) = if *on_right { (right, left) } else { (left, right) };
                self.apply(*routine, Some(this), vec![argument], Vec::new(), Vec::new())
            }
            Some(operation) => operators::binary(operator, operation, left, right),
            None => Err(Stop::unknown("an operator")),
        }
    }

    /// A function or fact for its value.
    pub(super) fn apply(
        &mut self,
        routine: NodeId,
        this: Option<Value>,
        arguments: Vec<Value>,
        given: Vec<(NodeId, Value)>,
        types: Vec<(NodeId, Type)>,
    ) -> Result<Value> {
        if this == Some(Value::Null) {
            return Err(Stop::fail("invocationObjectNull"));
        }
        let Some(found) = self.resolution.items.routines.get(&routine).copied() else {
            return Err(Stop::unknown("a routine"));
        };
        let mut env = Env { this, types, ..Env::default() };
        for (parameter, value) in found.parameters().iter().zip(arguments) {
            env.variables.push((parameter.id, value));
        }
        env.variables.extend(given);
        self.depth += 1;
        let value = self.apply_in(&mut env, found);
        self.depth -= 1;
        value
    }

    fn apply_in(&mut self, env: &mut Env, routine: Routine<'t>) -> Result<Value> {
        if self.depth > MAX_DEPTH {
            return Err(Stop::unknown("a deep recursion"));
        }
        let contract = routine.contract();
        let clauses = |post: bool| {
            let mut found: Vec<&'t Expression> = Vec::new();
            if let Some(contract) = contract {
                found.extend(contract.everywhere());
                if post {
                    found.extend(contract.postconditions());
                } else {
                    found.extend(contract.preconditions());
                }
            }
            found
        };
        self.require(env, &clauses(false), "preFailed")?;
        let value = match routine {
            Routine::Function(function) => {
                let body =
                    function.body.as_ref().ok_or_else(|| Stop::unknown("a function without a body"))?;
                self.evaluate(env, body)?
            }
            Routine::Predicate(predicate) => {
                let body = predicate.body.as_ref().ok_or_else(|| Stop::unknown("an abstract predicate"))?;
                self.evaluate(env, body)?
            }
            Routine::Method(method) if method.modifiers.pure.is_some() => {
                let body = method.body.as_ref().ok_or_else(|| Stop::unknown("a function without a body"))?;
                let value = self.pure_block(env, &body.statements)?;
                value.ok_or_else(|| Stop::unknown("a function without a value"))?
            }
            _ => return Err(Stop::unknown("a method in an expression")),
        };
        env.result = Some(value.clone());
        self.require(env, &clauses(true), "postFailed")?;
        Ok(value)
    }

    /// Clauses of a contract: facts that must be true here.
    pub(super) fn require(
        &mut self,
        env: &mut Env,
        clauses: &[&'t Expression],
        code: &'static str,
    ) -> Result<()> {
        let mut amounts = super::assertions::Amounts::new();
        self.require_of(env, clauses, code, &mut amounts)
    }

    /// As [`Machine::require`], where others have asked for some permissions already.
    pub(super) fn require_of(
        &mut self,
        env: &mut Env,
        clauses: &[&'t Expression],
        code: &'static str,
        amounts: &mut super::assertions::Amounts,
    ) -> Result<()> {
        if self.manner.erased {
            return Ok(());
        }
        match self.all_hold_with(env, clauses, amounts)? {
            super::assertions::Truth::False(span, detail) => {
                Err(Stop::Fail(Failure { code, place: Some(span), detail }))
            }
            _ => Ok(()),
        }
    }

    fn builtin(
        &mut self,
        env: &mut Env,
        builtin: Builtin,
        arguments: &'t [Expression],
        known: &Known,
    ) -> Result<Value> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.evaluate_known(env, argument, known)?);
        }
        match (builtin, &values[..]) {
            (Builtin::Array, [array, length]) => Ok(Value::Bool(match array {
                Value::Array(block) => self.state.heap[*block].slots.len() as i128 == length.int()?,
                _ => false,
            })),
            (Builtin::Values, [array, low, high]) => {
                let mut elements = Vec::new();
                for index in low.int()?..high.int()? {
                    let location = self.element(array, index)?;
                    elements.push(self.read(location, arguments[0].span)?);
                }
                Ok(Value::Seq(elements))
            }
            (Builtin::PointerLength | Builtin::PointerBlockLength, [Value::Pointer(pointer)]) => {
                let length = pointer.length as i128;
                Ok(Value::Int(if builtin == Builtin::PointerLength {
                    length - pointer.offset
                } else {
                    length
                }))
            }
            (Builtin::PointerBlockOffset, [Value::Pointer(pointer)]) => Ok(Value::Int(pointer.offset)),
            (Builtin::Committed, [Value::Object(object)]) => {
                Ok(Value::Bool(self.state.locks.get(object).is_some_and(|lock| lock.committed)))
            }
            (Builtin::Choose, [Value::Set(set)]) => {
                let chosen = if self.manner.garbage == 0 { set.first() } else { set.last() };
                chosen.cloned().ok_or_else(|| Stop::fail("setEmpty"))
            }
            _ => operators::builtin(builtin, values),
        }
    }

    pub(super) fn member(
        &mut self,
        member: pvl::resolve::Member,
        value: Value,
        rest: Vec<Value>,
    ) -> Result<Value> {
        if member == pvl::resolve::Member::ArrayLength {
            return match value {
                Value::Array(block) => Ok(Value::Int(self.state.heap[block].slots.len() as i128)),
                Value::Null => Err(Stop::fail("arrayNull")),
                _ => Err(Stop::unknown("an array")),
            };
        }
        operators::member(member, value, rest)
    }
}

fn decimal(text: &str) -> Result<Value> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let number: i128 = digits.parse().map_err(|_| Stop::unknown("a number"))?;
    let scale = 10i128.checked_pow(part.len() as u32).ok_or_else(|| Stop::unknown("a number"))?;
    Ok(Value::Rational(Rational::new(number, scale)))
}
