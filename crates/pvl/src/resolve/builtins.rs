//! Built-in functions, and members of built-in types.

use std::sync::Arc;

use source::Diagnostic;

use super::checker::Checker;
use super::{Member, Type};
use crate::codes;
use crate::syntax::tree::{Builtin, Expression};

/// A member of a built-in type: the types of its arguments and of its value.
pub(super) struct MemberType {
    pub(super) member: Member,
    pub(super) arguments: Vec<Type>,
    pub(super) value: Type,
}

/// The member of a name; `None` if the type has none of that name.
pub(super) fn member_of(ty: &Type, name: &str) -> Option<MemberType> {
    use Member as M;
    let set = |inner: &Arc<Type>| Type::Set(inner.clone());
    let (member, arguments, value) = match (ty, name) {
        (Type::Array(_), "length") => (M::ArrayLength, vec![], Type::Int),
        (Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::String, "size") => {
            (M::Size, vec![], Type::Int)
        }
        (Type::Seq(_) | Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::String, "isEmpty") => {
            (M::IsEmpty, vec![], Type::Boolean)
        }
        (Type::Seq(element), _) => {
            let element = (**element).clone();
            match name {
                "head" => (M::SeqHead, vec![], element),
                "tail" => (M::SeqTail, vec![], ty.clone()),
                "removeAt" => (M::SeqRemoveAt, vec![Type::Int], ty.clone()),
                "concat" => (M::SeqConcat, vec![ty.clone()], ty.clone()),
                "prepend" => (M::SeqPrepend, vec![element], ty.clone()),
                "drop" => (M::SeqDrop, vec![Type::Int], ty.clone()),
                "take" => (M::SeqTake, vec![Type::Int], ty.clone()),
                "slice" => (M::SeqSlice, vec![Type::Int, Type::Int], ty.clone()),
                "update" => (M::SeqUpdate, vec![Type::Int, element], ty.clone()),
                "contains" => (M::SeqContains, vec![element], Type::Boolean),
                _ => return None,
            }
        }
        (Type::Set(element), _) => match name {
            "intersect" => (M::SetIntersect, vec![ty.clone()], ty.clone()),
            "union" => (M::SetUnion, vec![ty.clone()], ty.clone()),
            "difference" => (M::SetDifference, vec![ty.clone()], ty.clone()),
            "contains" => (M::SetContains, vec![(**element).clone()], Type::Boolean),
            "subsetOf" => (M::SetSubset, vec![ty.clone()], Type::Boolean),
            "strictSubsetOf" => (M::SetStrictSubset, vec![ty.clone()], Type::Boolean),
            _ => return None,
        },
        (Type::Bag(element), _) => match name {
            "sum" => (M::BagSum, vec![ty.clone()], ty.clone()),
            "intersect" => (M::BagIntersect, vec![ty.clone()], ty.clone()),
            "difference" => (M::BagDifference, vec![ty.clone()], ty.clone()),
            "count" => (M::BagCount, vec![(**element).clone()], Type::Int),
            "subbagOf" => (M::BagSubset, vec![ty.clone()], Type::Boolean),
            "strictSubbagOf" => (M::BagStrictSubset, vec![ty.clone()], Type::Boolean),
            _ => return None,
        },
        (Type::Map(key, value), _) => match name {
            "keys" => (M::MapKeys, vec![], set(key)),
            "values" => (M::MapValues, vec![], set(value)),
            "items" => (M::MapItems, vec![], Type::Set(Arc::new(Type::Tuple(key.clone(), value.clone())))),
            "add" => (M::MapAdd, vec![(**key).clone(), (**value).clone()], ty.clone()),
            "remove" => (M::MapRemove, vec![(**key).clone()], ty.clone()),
            "get" => (M::MapGet, vec![(**key).clone()], (**value).clone()),
            "equals" => (M::MapEquals, vec![ty.clone()], Type::Boolean),
            "disjoint" => (M::MapDisjoint, vec![ty.clone()], Type::Boolean),
            _ => return None,
        },
        (Type::Option(inner), "get") => (M::OptionGet, vec![], (**inner).clone()),
        (Type::Option(inner), "getOrElse") => {
            (M::OptionGetOrElse, vec![(**inner).clone()], (**inner).clone())
        }
        (Type::Option(_), "isEmpty") => (M::OptionIsEmpty, vec![], Type::Boolean),
        (Type::Tuple(first, _), "fst") => (M::TupleFirst, vec![], (**first).clone()),
        (Type::Tuple(_, second), "snd") => (M::TupleSecond, vec![], (**second).clone()),
        (Type::Either(left, _), "left") => (M::EitherLeft, vec![], (**left).clone()),
        (Type::Either(_, right), "right") => (M::EitherRight, vec![], (**right).clone()),
        (Type::Either(..), "isLeft") => (M::EitherIsLeft, vec![], Type::Boolean),
        (Type::Either(..), "isRight") => (M::EitherIsRight, vec![], Type::Boolean),
        (Type::Float32 | Type::Float64, "toFloat32") => (M::ToFloat32, vec![], Type::Float32),
        (Type::Float32 | Type::Float64, "toFloat64") => (M::ToFloat64, vec![], Type::Float64),
        _ => return None,
    };
    Some(MemberType { member, arguments, value })
}

/// The member that a function of the old dialect stands for; its first argument is the value in front of the dot.
pub(super) fn old_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "head" => "head",
        "tail" => "tail",
        "isEmpty" => "isEmpty",
        "removeAt" | "remove" => "removeAt",
        "getFst" => "fst",
        "getSnd" => "snd",
        "getOption" => "get",
        "getOrElseOption" => "getOrElse",
        "buildMap" => "add",
        "getFromMap" => "get",
        "cardMap" => "size",
        "keysMap" => "keys",
        "valuesMap" => "values",
        "itemsMap" => "items",
        "equalsMap" => "equals",
        "disjointMap" => "disjoint",
        "removeFromMap" => "remove",
        _ => return None,
    })
}

impl<'tree> Checker<'tree> {
    pub(super) fn builtin(
        &mut self,
        expression: &'tree Expression,
        builtin: Builtin,
        arguments: &'tree [Expression],
        wish: Option<&Type>,
    ) -> Type {
        match (builtin, arguments) {
            (Builtin::Array, [array, length]) => {
                self.array(array, 1);
                self.check(length, &Type::Int);
                Type::Boolean
            }
            (Builtin::Matrix, [matrix, rows, columns]) => {
                self.array(matrix, 2);
                self.check(rows, &Type::Int);
                self.check(columns, &Type::Int);
                Type::Resource
            }
            (Builtin::Values, [array, low, high]) => self.values(array, low, high),
            (Builtin::Pointer | Builtin::PointerIndex, [pointer, number, amount]) => {
                self.pointer(pointer);
                self.check(number, &Type::Int);
                self.amount(amount);
                Type::Resource
            }
            (
                Builtin::PointerLength | Builtin::PointerBlockLength | Builtin::PointerBlockOffset,
                [pointer],
            ) => {
                self.pointer(pointer);
                Type::Int
            }
            (Builtin::ArrayPermission, [array, first, step, count, amount]) => {
                self.array(array, 1);
                for number in [first, step, count] {
                    self.check(number, &Type::Int);
                }
                self.amount(amount);
                Type::Resource
            }
            (Builtin::PolarityDependent, [inhaled, exhaled]) => {
                self.check(inhaled, &Type::Resource);
                self.check(exhaled, &Type::Resource);
                Type::Resource
            }
            (Builtin::EuclideanDiv | Builtin::EuclideanMod, [left, right]) => {
                self.check(left, &Type::Int);
                self.check(right, &Type::Int);
                Type::Int
            }
            (Builtin::Pow, [base, exponent]) => self.power(base, exponent),
            (Builtin::IsInt, [number]) => {
                self.check(number, &Type::Rational);
                Type::Boolean
            }
            (Builtin::Choose | Builtin::ChooseFresh, [set]) => match self.infer(set, None) {
                Type::Set(element) => (*element).clone(),
                other => {
                    self.unexpected(set, &other, "a set");
                    Type::Unknown
                }
            },
            (Builtin::NdIndex, _) => {
                if !arguments.len().is_multiple_of(2) {
                    self.error(
                        codes::ARGUMENTS,
                        expression.span,
                        "`\\nd_index` takes pairs of an index and the size of its dimension",
                        "add the missing size",
                    );
                }
                self.check_all(arguments, &Type::Int);
                Type::Int
            }
            (Builtin::NdLength, _) => {
                self.check_all(arguments, &Type::Int);
                Type::Int
            }
            (Builtin::VectorSum, [indices, values]) => self.entries_added(expression, indices, values, 1),
            (Builtin::MatrixSum, [indices, values]) => self.entries_added(expression, indices, values, 2),
            (Builtin::VectorCompare, [left, right]) => self.entries_compared(expression, left, right, 1),
            (Builtin::MatrixCompare, [left, right]) => self.entries_compared(expression, left, right, 2),
            (Builtin::VectorRepeat | Builtin::MatrixRepeat, [value]) => {
                self.repetition(expression, value, wish)
            }
            (Builtin::Held | Builtin::Committed, [object]) => {
                self.object(object);
                // Whether an object is committed is a fact; to hold its lock is a permission.
                if builtin == Builtin::Committed { Type::Boolean } else { Type::Resource }
            }
            (Builtin::Idle | Builtin::Running, [object]) => {
                let ty = self.infer(object, None);
                self.runnable(object, &ty);
                Type::Resource
            }
            (Builtin::Some, [value]) => {
                let wished = match wish {
                    Some(Type::Option(inner)) => Some(inner),
                    _ => None,
                };
                Type::Option(self.wrapped(value, wished))
            }
            (Builtin::Left | Builtin::Right, [value]) => self.side(builtin, value, wish),
            (Builtin::Iterate, [process]) => {
                self.check(process, &Type::Process);
                Type::Process
            }
            _ => {
                for argument in arguments {
                    self.infer(argument, None);
                }
                self.report(Diagnostic::error(
                    codes::UNSUPPORTED,
                    expression.span,
                    format!("`{}` is not supported yet", builtin.text()),
                ));
                Type::Unknown
            }
        }
    }

    /// `\values(array, low, high)`
    fn values(&mut self, array: &'tree Expression, low: &'tree Expression, high: &'tree Expression) -> Type {
        let ty = self.infer(array, None);
        self.check(low, &Type::Int);
        self.check(high, &Type::Int);
        match ty {
            Type::Array(element) => Type::Seq(element),
            other => {
                self.unexpected(array, &other, "an array");
                Type::Unknown
            }
        }
    }

    /// The type of a value that is put into an option or an either: the wished one, if it fits.
    fn wrapped(&mut self, value: &'tree Expression, wished: Option<&Arc<Type>>) -> Arc<Type> {
        let found = self.infer(value, wished.map(|wished| &**wished));
        let target = match wished {
            Some(wished) if found.fits(wished) => wished.clone(),
            _ => Arc::new(found.clone()),
        };
        self.convert(value, &found, &target);
        target
    }

    /// `Left(value)` or `Right(value)`
    fn side(&mut self, builtin: Builtin, value: &'tree Expression, wish: Option<&Type>) -> Type {
        let (left, right) = match wish {
            Some(Type::Either(left, right)) => (Some(left), Some(right)),
            _ => (None, None),
        };
        let other = |side: Option<&Arc<Type>>| side.cloned().unwrap_or_else(|| Arc::new(Type::Nothing));
        match builtin {
            Builtin::Left => Type::Either(self.wrapped(value, left), other(right)),
            _ => Type::Either(other(left), self.wrapped(value, right)),
        }
    }

    /// An array with so many dimensions.
    fn array(&mut self, expression: &'tree Expression, dimensions: usize) {
        let ty = self.infer(expression, None);
        let mut inner = &ty;
        for _ in 0..dimensions {
            match inner {
                Type::Array(element) => inner = element,
                Type::Unknown => return,
                _ => {
                    let needed = if dimensions == 1 { "an array" } else { "an array of arrays" };
                    self.unexpected(expression, &ty, needed);
                    return;
                }
            }
        }
    }

    fn pointer(&mut self, expression: &'tree Expression) {
        let ty = self.infer(expression, None);
        if !matches!(ty, Type::Pointer(_)) {
            self.unexpected(expression, &ty, "a pointer");
        }
    }

    /// Anything that has a lock.
    pub(super) fn object(&mut self, expression: &'tree Expression) -> Type {
        let ty = self.infer(expression, None);
        if !matches!(ty, Type::Class(..) | Type::Ref | Type::Null) {
            self.unexpected(expression, &ty, "an object");
        }
        ty
    }

    /// An object with a thread of its own.
    pub(super) fn runnable(&mut self, expression: &Expression, ty: &Type) {
        match ty {
            Type::Class(class, _) => {
                if !self.names.runs.contains_key(class) {
                    let message = format!("the class `{}` has no `run`", self.show(ty));
                    self.error(
                        codes::NO_RUN,
                        expression.span,
                        message,
                        "declare what its thread does with `run { … }`",
                    );
                }
            }
            _ => self.unexpected(expression, ty, "an object"),
        }
    }
}
