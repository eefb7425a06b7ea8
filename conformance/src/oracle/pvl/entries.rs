//! Where runs begin: methods that can be called with values that are easy to make.

use std::collections::{BTreeMap, BTreeSet};

use pvl::resolve::{Resolution, Type};
use pvl::syntax::tree::{ClassMemberKind, DeclarationKind, Method, NodeId};

use super::machine::Machine;
use super::state::BlockKind;
use super::stop::{Result, Stop};
use super::value::{Value, default_of};

/// A method, and what it is called with.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) routine: NodeId,
    pub(super) name: String,
    pub(super) recipes: Vec<Recipe>,
}

/// How to make the object and the arguments of a call.
#[derive(Clone, Default, Debug)]
pub(super) struct Recipe {
    pub(super) this: Option<Ingredient>,
    pub(super) arguments: Vec<Ingredient>,
}

#[derive(Clone, Debug)]
pub(super) enum Ingredient {
    Value(Value),
    /// New, of this length, with numbers in its elements.
    Array(Type, usize),
    /// New, of a class without constructors.
    Object(NodeId),
}

impl Ingredient {
    pub(super) fn make(&self, machine: &mut Machine<'_>) -> Result<Value> {
        match self {
            Ingredient::Value(value) => Ok(value.clone()),
            Ingredient::Array(element, length) => {
                let mut values = Vec::new();
                for index in 0..*length {
                    values.push(match element {
                        Type::Int => Value::Int(index as i128),
                        Type::Array(inner) => Ingredient::Array((**inner).clone(), *length).make(machine)?,
                        other => default_of(other)?,
                    });
                }
                Ok(Value::Array(machine.state.allocate(BlockKind::Array, values, 0)))
            }
            Ingredient::Object(class) => {
                let Some(declared) = machine.resolution.items.classes.get(class).copied() else {
                    return Err(Stop::unknown("a class"));
                };
                let mut slots = Vec::new();
                for member in &declared.members {
                    if let ClassMemberKind::Fields(fields) = &member.kind {
                        for (id, _) in &fields.names {
                            if !machine.resolution.items.statics.contains(id) {
                                let ty =
                                    machine.resolution.variables.get(id).cloned().unwrap_or(Type::Unknown);
                                slots.push(machine.garbage(&ty)?);
                            }
                        }
                    }
                }
                Ok(Value::Object(machine.state.allocate(BlockKind::Object(*class), slots, 0)))
            }
        }
    }
}

/// All methods with a body for whose parameters there are values to try.
pub(super) fn entries(resolution: &Resolution<'_>) -> Vec<Entry> {
    let mut found = Vec::new();
    for declaration in &resolution.items.declarations {
        match &declaration.kind {
            DeclarationKind::Method(method) => add(resolution, declaration.id, method, None, &mut found),
            DeclarationKind::Class(class) => {
                for member in &class.members {
                    if let ClassMemberKind::Method(method) = &member.kind {
                        let is_static = resolution.items.statics.contains(&member.id);
                        let this = (!is_static).then_some(declaration.id);
                        add(resolution, member.id, method, this, &mut found);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn add(
    resolution: &Resolution<'_>,
    routine: NodeId,
    method: &Method,
    this: Option<NodeId>,
    found: &mut Vec<Entry>,
) {
    if method.body.is_none()
        || method.modifiers.pure.is_some()
        || !method.type_parameters.is_empty()
        || method.contract.given().next().is_some()
    {
        return;
    }
    let this = match this {
        Some(class) => match object(resolution, class) {
            Some(this) => Some(this),
            None => return,
        },
        None => None,
    };
    let mut recipes = vec![Recipe { this, arguments: Vec::new() }];
    for parameter in &method.parameters {
        let Some(ty) = resolution.variables.get(&parameter.id) else { return };
        let Some(values) = ingredients(resolution, ty) else { return };
        recipes = recipes
            .into_iter()
            .flat_map(|recipe| {
                values.iter().map(move |value| {
                    let mut recipe = recipe.clone();
                    recipe.arguments.push(value.clone());
                    recipe
                })
            })
            .collect();
        recipes.truncate(60);
    }
    found.push(Entry { routine, name: method.name.name.text.to_string(), recipes });
}

fn object(resolution: &Resolution<'_>, class: NodeId) -> Option<Ingredient> {
    let declared = resolution.items.classes.get(&class)?;
    let is_plain = declared.type_parameters.is_empty()
        && !declared.members.iter().any(|member| matches!(member.kind, ClassMemberKind::Constructor(_)));
    is_plain.then_some(Ingredient::Object(class))
}

fn ingredients(resolution: &Resolution<'_>, ty: &Type) -> Option<Vec<Ingredient>> {
    let values = |values: Vec<Value>| Some(values.into_iter().map(Ingredient::Value).collect());
    let numbers = || vec![Value::Int(1), Value::Int(1), Value::Int(3)];
    match ty {
        Type::Int => values([3, 0, 1, 2, -2].map(Value::Int).to_vec()),
        Type::Boolean => values(vec![Value::Bool(true), Value::Bool(false)]),
        Type::Seq(element) if **element == Type::Int => {
            values(vec![Value::Seq(numbers()), Value::Seq(Vec::new())])
        }
        Type::Set(element) if **element == Type::Int => {
            values(vec![Value::Set(numbers().into_iter().collect()), Value::Set(BTreeSet::new())])
        }
        Type::Bag(element) if **element == Type::Int => values(vec![
            Value::Bag(BTreeMap::from([(Value::Int(1), 2), (Value::Int(3), 1)])),
            Value::Bag(BTreeMap::new()),
        ]),
        Type::Array(element) => {
            let mut all: Vec<Ingredient> =
                [3, 1, 2, 0].map(|length| Ingredient::Array((**element).clone(), length)).to_vec();
            all.push(Ingredient::Value(Value::Null));
            Some(all)
        }
        Type::Class(class, arguments) if arguments.is_empty() => {
            let object = object(resolution, *class)?;
            Some(vec![object, Ingredient::Value(Value::Null)])
        }
        _ => None,
    }
}
