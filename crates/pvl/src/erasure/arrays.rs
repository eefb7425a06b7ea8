//! Which arrays may be one and the same.
//!
//! An array gets from one name to another only by being passed on: assignments and calls join the names into one
//! group (after Steensgaard, without regard to order). Names of different groups may still be given the same array by
//! a caller outside of the program. But then a proof can use it only if the program says somewhere that the two are
//! equal: only an equality makes permission to an element under one name permission under the other. So if arrays of a type are compared anywhere, or put where they could be, all arrays of that type are one
//! group; `null` can be compared with.

use rustc_hash::FxHashMap;

use super::flow::Flow;
use crate::resolve::{CallTarget, NameTarget, Operation, Resolution, Selection, Subscript, Type};
use crate::syntax::tree::{
    BinaryOperator, Block, Builtin, Contract, Expression, ExpressionKind, NodeId, Parameter, Routine,
    Statement, StatementKind,
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    /// A variable or field.
    Variable(NodeId),
    Result(NodeId),
    /// What is made or computed by an expression.
    Value(NodeId),
    /// Arrays that are elements of the arrays of a group.
    Inside(u32),
}

/// Groups of arrays. Groups are joined, never parted.
#[derive(Default, Debug)]
pub(super) struct Arrays {
    parents: Vec<u32>,
    names: FxHashMap<Holder, u32>,
    /// Types of elements whose arrays are compared.
    compared: Vec<Type>,
    all_compared: bool,
}

impl Arrays {
    pub(super) fn find(resolution: &Resolution<'_>, order: &[NodeId]) -> Arrays {
        let mut search = Search { resolution, arrays: Arrays::default(), routine: None };
        // Elements of joined groups join as well.
        let mut known = (0, 0);
        loop {
            for id in order {
                search.member(*id);
            }
            let groups = search.arrays.groups();
            if groups == known {
                return search.arrays;
            }
            known = groups;
        }
    }

    /// Whether arrays with elements of this type can be told to be the same.
    pub(super) fn is_compared(&self, element: &Type) -> bool {
        self.all_compared || self.compared.contains(element)
    }

    /// How many names there are, and how many groups of them.
    fn groups(&self) -> (usize, usize) {
        let roots = self.parents.iter().enumerate().filter(|(id, parent)| *id == **parent as usize);
        (self.parents.len(), roots.count())
    }

    pub(super) fn is_same_group(&self, a: u32, b: u32) -> bool {
        self.root(a) == self.root(b)
    }

    fn root(&self, mut id: u32) -> u32 {
        while self.parents[id as usize] != id {
            id = self.parents[id as usize];
        }
        id
    }

    fn group(&mut self, name: Holder) -> u32 {
        let name = match name {
            Holder::Inside(group) => Holder::Inside(self.root(group)),
            other => other,
        };
        let next = self.parents.len() as u32;
        let id = *self.names.entry(name).or_insert(next);
        if id == next {
            self.parents.push(next);
        }
        self.root(id)
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        let insides = [Holder::Inside(low), Holder::Inside(high)].map(|name| self.names.get(&name).copied());
        self.parents[high as usize] = low;
        match insides {
            [Some(a), Some(b)] => self.join(a, b),
            [None, Some(b)] => {
                self.names.insert(Holder::Inside(low), b);
            }
            _ => {}
        }
    }

    /// The group of the array that an expression stands for.
    pub(super) fn of(&mut self, resolution: &Resolution<'_>, expression: &Expression) -> u32 {
        use ExpressionKind::*;
        match &*expression.kind {
            Name(_) => match resolution.names.get(&expression.id) {
                Some(
                    NameTarget::Variable(id)
                    | NameTarget::Field(id)
                    | NameTarget::StaticField(id)
                    | NameTarget::ModelField(id),
                ) => self.group(Holder::Variable(*id)),
                _ => self.group(Holder::Value(expression.id)),
            },
            Field(object, _) => match resolution.selections.get(&expression.id) {
                Some(Selection::Field(id) | Selection::StaticField(id) | Selection::ModelField(id)) => {
                    self.group(Holder::Variable(*id))
                }
                _ => self.of(resolution, object),
            },
            Index(base, _)
                if matches!(
                    resolution.subscripts.get(&expression.id),
                    Some(Subscript::Array | Subscript::Pointer)
                ) =>
            {
                let base = self.of(resolution, base);
                self.group(Holder::Inside(base))
            }
            Call(_) | CoalescingCall { .. }
                if matches!(resolution.calls.get(&expression.id), Some(CallTarget::Routine(_))) =>
            {
                let Some(CallTarget::Routine(call)) = resolution.calls.get(&expression.id) else {
                    return self.group(Holder::Value(expression.id));
                };
                self.group(Holder::Result(call.routine))
            }
            // A collection is in the group of its elements, and whatever is computed in those of its parts.
            _ => {
                let whole = self.group(Holder::Value(expression.id));
                let mut children = Vec::new();
                expression.kind.for_each_child(&mut |child| children.push(child));
                for child in children {
                    if carries(resolution, child) {
                        let part = self.of(resolution, child);
                        self.join(whole, part);
                    }
                }
                self.root(whole)
            }
        }
    }
}

/// Whether there may be arrays in the value.
fn carries(resolution: &Resolution<'_>, expression: &Expression) -> bool {
    resolution.expressions.get(&expression.id).is_none_or(|ty| element_of(ty).is_some() || is_any(ty))
}

fn is_any(ty: &Type) -> bool {
    ty.any_part(&|part| matches!(part, Type::Variable(_) | Type::Any | Type::Adt(..) | Type::Unknown))
}

/// The elements of the arrays in a value of this type.
fn element_of(ty: &Type) -> Option<Type> {
    match ty {
        Type::Array(element) | Type::Pointer(element) => Some((**element).clone()),
        Type::Seq(a) | Type::Set(a) | Type::Bag(a) | Type::Option(a) | Type::Vector(a, _) => element_of(a),
        Type::Map(a, b) | Type::Tuple(a, b) | Type::Either(a, b) => element_of(a).or_else(|| element_of(b)),
        _ => None,
    }
}

struct Search<'a, 'tree> {
    resolution: &'a Resolution<'tree>,
    arrays: Arrays,
    routine: Option<NodeId>,
}

impl Search<'_, '_> {
    fn member(&mut self, id: NodeId) {
        self.routine = Some(id);
        let items = &self.resolution.items;
        if let Some(class) = items.classes.get(&id) {
            class.contract.for_each_expression(&mut |expression| self.expression(expression));
        }
        match items.routines.get(&id) {
            Some(Routine::Method(it)) => self.routine(&it.contract, it.body.as_ref()),
            Some(Routine::Lemma(it)) => self.routine(&it.contract, it.body.as_ref()),
            Some(Routine::Function(it)) => {
                self.routine(&it.contract, None);
                if let Some(body) = &it.body {
                    self.expression(body);
                    self.flows(body, Holder::Result(id));
                }
            }
            Some(Routine::Predicate(it)) => it.body.iter().for_each(|body| self.expression(body)),
            None => {}
        }
        if let Some(it) = items.constructors.get(&id) {
            self.routine(&it.contract, it.body.as_ref());
        }
        if let Some(it) = items.runs.get(&id) {
            self.routine(&it.contract, it.body.as_ref());
        }
    }

    fn routine(&mut self, contract: &Contract, body: Option<&Block>) {
        contract.for_each_expression(&mut |expression| self.expression(expression));
        body.into_iter().flat_map(|body| &body.statements).for_each(|statement| self.statement(statement));
    }

    fn flows(&mut self, value: &Expression, target: Holder) {
        if carries(self.resolution, value) {
            let (target, value) = (self.arrays.group(target), self.arrays.of(self.resolution, value));
            self.arrays.join(target, value);
        }
    }

    fn flows_to(&mut self, value: &Expression, target: &Expression) {
        if carries(self.resolution, value) {
            let target = self.arrays.of(self.resolution, target);
            let value = self.arrays.of(self.resolution, value);
            self.arrays.join(target, value);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Local { declarators, .. } => {
                for declarator in declarators {
                    if let Some(value) = &declarator.value {
                        self.flows(value, Holder::Variable(declarator.id));
                    }
                }
            }
            StatementKind::Assign { target, value } => self.flows_to(value, target),
            StatementKind::Return(Some(value)) => {
                if let Some(routine) = self.routine {
                    self.flows(value, Holder::Result(routine));
                }
            }
            _ => {}
        }
        statement.kind.for_each_expression(&mut |expression| self.expression(expression));
        statement.kind.for_each_child(&mut |child| self.statement(child));
    }

    fn passes(&mut self, parameters: &[Parameter], arguments: &[Expression]) {
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.flows(argument, Holder::Variable(parameter.id));
        }
    }

    fn expression(&mut self, expression: &Expression) {
        use ExpressionKind::*;
        let resolution = self.resolution;
        let ghosts = resolution.ghost_arguments.get(&expression.id);
        match &*expression.kind {
            Call(call) => {
                if let Some(CallTarget::Routine(target)) = resolution.calls.get(&expression.id) {
                    let routine = resolution.items.routines.get(&target.routine);
                    self.passes(routine.map(|it| it.parameters()).unwrap_or_default(), &call.arguments);
                }
                if let Some(ghosts) = ghosts {
                    for (argument, id) in call.given.iter().zip(&ghosts.given) {
                        self.flows(&argument.value, Holder::Variable(*id));
                    }
                    for (result, id) in call.yields.iter().zip(&ghosts.yields) {
                        self.flows(&result.target, Holder::Variable(*id));
                    }
                }
            }
            New { arguments, given, yields, .. } => {
                let constructor = resolution.creations.get(&expression.id).and_then(|it| it.constructor);
                if let Some(declared) = constructor.and_then(|id| resolution.items.constructors.get(&id)) {
                    self.passes(&declared.parameters, arguments);
                }
                if let Some(ghosts) = ghosts {
                    for (argument, id) in given.iter().zip(&ghosts.given) {
                        self.flows(&argument.value, Holder::Variable(*id));
                    }
                    for (result, id) in yields.iter().zip(&ghosts.yields) {
                        self.flows(&result.target, Holder::Variable(*id));
                    }
                }
            }
            Let { binding, value, .. } => self.flows(value, Holder::Variable(binding.id)),
            Index(base, _) if carries(resolution, base) => {
                self.arrays.of(resolution, base);
            }
            // A variable that runs over all arrays is equal to each of them.
            Quantifier { bindings, .. } => {
                bindings.iter().for_each(|binding| self.compare_variable(binding.id))
            }
            Comprehension { selectors, .. } => {
                selectors.iter().for_each(|selector| self.compare_variable(selector.id));
            }
            // Amounts that are held can show that two locations are one.
            CurrentPermission(_) | ForPerm { .. } | ForPermWithValue { .. } => {
                self.arrays.all_compared = true
            }
            _ => {}
        }
        expression.kind.for_each_child(&mut |child| {
            if carries(resolution, child) && !self.keeps_apart(expression, child) {
                self.compare(child);
            }
        });
        for statement in expression.kind.ghost_statements() {
            self.statement(statement);
        }
        expression.kind.for_each_child(&mut |child| self.expression(child));
    }

    fn compare_variable(&mut self, variable: NodeId) {
        let ty = self.resolution.variables.get(&variable).cloned().unwrap_or(Type::Unknown);
        if element_of(&ty).is_some() || is_any(&ty) {
            self.compare_type(&ty);
        }
    }

    fn compare(&mut self, expression: &Expression) {
        let ty = self.resolution.expressions.get(&expression.id).cloned().unwrap_or(Type::Unknown);
        self.compare_type(&ty);
    }

    fn compare_type(&mut self, ty: &Type) {
        match element_of(ty) {
            Some(element) if !is_any(ty) => {
                if !self.arrays.compared.contains(&element) {
                    self.arrays.compared.push(element);
                }
            }
            _ => self.arrays.all_compared = true,
        }
    }

    /// Whether nothing can be learnt here about which array it is.
    fn keeps_apart(&self, around: &Expression, part: &Expression) -> bool {
        use ExpressionKind::*;
        let is_null = |e: &Expression| matches!(&*e.kind, Null);
        match &*around.kind {
            Index(..)
            | Slice(..)
            | Field(..)
            | Old(..)
            | Conditional(..)
            | Let { .. }
            | With { .. }
            | New { .. }
            | NewArray { .. }
            | Permission { .. }
            | Value(_)
            | AutoValue(_)
            | Trigger(..)
            | Unfolding(..)
            | Scale(..)
            | Quantifier { .. }
            | Size(_)
            | Unary(..) => true,
            // The value is what the location holds.
            PointsTo { location, .. } => location.id == part.id,
            Binary(BinaryOperator::Equal | BinaryOperator::NotEqual, left, right) => {
                is_null(left) || is_null(right)
            }
            Binary(..) => {
                let operation = self.resolution.operations.get(&around.id);
                matches!(operation, Some(Operation::Declared { .. } | Operation::Logic))
            }
            Call(_) => matches!(self.resolution.calls.get(&around.id), Some(CallTarget::Routine(_))),
            Builtin(
                self::Builtin::Array
                | self::Builtin::Matrix
                | self::Builtin::Values
                | self::Builtin::Pointer
                | self::Builtin::PointerIndex
                | self::Builtin::PointerLength
                | self::Builtin::PointerBlockLength
                | self::Builtin::PointerBlockOffset
                | self::Builtin::ArrayPermission
                | self::Builtin::PolarityDependent,
                _,
            ) => true,
            _ => false,
        }
    }
}

impl Flow<'_, '_> {
    /// The group of the array whose element this is.
    pub(super) fn group_of(&mut self, base: &Expression) -> u32 {
        self.arrays.of(self.resolution, base)
    }
}
