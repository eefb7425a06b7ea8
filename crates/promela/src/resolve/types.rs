//! Types, symbolic constants, structures, and the constants that declarations need.

use source::Span;

use super::Resolver;
use super::program::{Field, Initial, Mtype, MtypeId, Scalar, Structure, StructureId, Type};
use crate::limits;
use crate::syntax::tree::{self, BinaryOp, ExprKind, TypeNameKind, UnaryOp};

impl Resolver {
    pub(super) fn mtype_list(&mut self, list: &tree::MtypeDecl) {
        let id = match &list.subtype {
            None => MtypeId(0),
            Some(name) => self.subtype(name),
        };
        // SPIN numbers a list from its end and a second list after the first.
        for name in list.names.iter().rev() {
            let names = &mut self.mtypes[id.0 as usize].names;
            names.push(name.text.to_string());
            let value = names.len() as i32;
            if value == 256 {
                self.error(
                    "type.mtype.many",
                    list.span,
                    "more than 255 symbolic constants in one list",
                    "a symbolic constant is stored in a byte; use subtypes or numbers",
                );
            }
            self.constants.entry(name.text.clone()).or_insert((id, value));
        }
    }

    fn subtype(&mut self, name: &tree::Name) -> MtypeId {
        if let Some(id) = self.subtypes.get(&name.text) {
            return *id;
        }
        let id = MtypeId(self.mtypes.len() as u32);
        self.mtypes.push(Mtype { name: Some(name.text.to_string()), names: Vec::new() });
        self.subtypes.insert(name.text.clone(), id);
        id
    }

    /// The type of a variable or field; `width` is what was written after a colon.
    pub(super) fn type_of(&mut self, ty: &tree::TypeName, width: Option<(i32, Span)>, span: Span) -> Type {
        if let (Some((_, place)), false) = (width, matches!(ty.kind, TypeNameKind::Unsigned)) {
            self.error(
                "type.width",
                place,
                "only `unsigned` has a width",
                "remove it, or declare the variable unsigned",
            );
        }
        Type::Scalar(match &ty.kind {
            TypeNameKind::Bit => Scalar::Bit,
            TypeNameKind::Bool => Scalar::Bool,
            TypeNameKind::Byte => Scalar::Byte,
            TypeNameKind::Pid => Scalar::Pid,
            TypeNameKind::Short => Scalar::Short,
            TypeNameKind::Int | TypeNameKind::Error => Scalar::Int,
            TypeNameKind::Chan => Scalar::Chan,
            TypeNameKind::Mtype(None) => Scalar::Mtype(MtypeId(0)),
            TypeNameKind::Mtype(Some(name)) => Scalar::Mtype(self.subtype(name)),
            TypeNameKind::Unsigned => match width {
                Some((width @ 1..=31, _)) => Scalar::Unsigned(width as u8),
                Some((_, place)) => {
                    self.error(
                        "type.width",
                        place,
                        "the width must be between 1 and 31",
                        "use `int` for 32 bits",
                    );
                    Scalar::Unsigned(16)
                }
                None => {
                    self.error(
                        "type.width",
                        span,
                        "`unsigned` needs a width",
                        "write `unsigned name : width`",
                    );
                    Scalar::Unsigned(16)
                }
            },
            TypeNameKind::User(name) => match self.types.get(&name.text) {
                Some(id) => return Type::Structure(*id),
                None => {
                    self.error(
                        "name.type.unknown",
                        name.span,
                        format!("no type `{}` is defined before this place", name.text),
                        "define it with `typedef`",
                    );
                    Scalar::Int
                }
            },
        })
    }

    pub(super) fn typedef(&mut self, typedef: &tree::Typedef) {
        let mut fields: Vec<Field> = Vec::new();
        for declaration in &typedef.fields {
            if let Some((_, span)) = declaration.visibility {
                self.error(
                    "type.field.visibility",
                    span,
                    "a field has no visibility of its own",
                    "put the word before the variable",
                );
            }
            for declarator in &declaration.variables {
                if fields.iter().any(|field| *field.name == *declarator.name.text) {
                    self.error(
                        "name.redeclared",
                        declarator.name.span,
                        format!("two fields are called `{}`", declarator.name.text),
                        "rename one",
                    );
                    continue;
                }
                let ty = self.type_of(&declaration.ty, declarator.width, declarator.name.span);
                let length = self.array_length(declarator);
                let initial = self.initial(declarator, ty, length);
                let field = Field {
                    name: declarator.name.text.to_string(),
                    span: declarator.name.span,
                    ty,
                    length,
                    initial,
                };
                fields.push(field);
            }
        }
        let id = StructureId(self.structures.len() as u32);
        let name = &typedef.name;
        self.measure(&mut fields, name.span);
        self.structures.push(Structure { name: name.text.to_string(), span: name.span, fields });
        self.types.entry(name.text.clone()).or_insert(id);
    }

    /// Number of scalars in a value of a type, saturating.
    fn size(&self, ty: Type, length: Option<u32>) -> u64 {
        let one = match ty {
            Type::Scalar(_) => 1,
            Type::Structure(id) => self.structure_sizes.get(id.0 as usize).map_or(1, |(size, _)| *size),
        };
        one.saturating_mul(u64::from(length.unwrap_or(1)))
    }

    /// Records how large and how deep a structure is; an impossible one becomes small.
    fn measure(&mut self, fields: &mut Vec<Field>, span: Span) {
        let mut size = 0u64;
        let mut depth = 0;
        for field in fields.iter() {
            size = size.saturating_add(self.size(field.ty, field.length));
            if let Type::Structure(id) = field.ty {
                depth = depth.max(self.structure_sizes.get(id.0 as usize).map_or(0, |(_, depth)| depth + 1));
            }
        }
        if size > limits::VARIABLE_SLOTS || depth > limits::TYPE_DEPTH {
            self.error(
                "type.size",
                span,
                "this structure is too large",
                "the state of a model must stay small",
            );
            fields.clear();
            // Not nothing, or a tree of nothings could grow without bound.
            (size, depth) = (1, 0);
        }
        self.structure_sizes.push((size, depth));
    }

    /// Whether a structure may be taken apart into single fields.
    pub(super) fn may_flatten(&mut self, id: StructureId, span: Span) -> bool {
        let fits = self.size(Type::Structure(id), None) <= limits::TYPE_FIELDS;
        if !fits {
            self.error(
                "type.message.size",
                span,
                format!("more than {} fields in one message or parameter list", limits::TYPE_FIELDS),
                "send parts of it",
            );
        }
        fits
    }

    pub(super) fn check_size(&mut self, ty: Type, length: Option<u32>, span: Span) {
        if self.size(ty, length) > limits::VARIABLE_SLOTS {
            self.error(
                "type.size",
                span,
                format!("more than {} values in one variable", limits::VARIABLE_SLOTS),
                "the state of a model must stay small",
            );
        }
    }

    /// The number of elements where a declaration has brackets.
    pub(super) fn array_length(&mut self, declarator: &tree::Declarator) -> Option<u32> {
        let expr = declarator.length.as_ref()?;
        let length = match self.initial_of_name(expr) {
            Some(value) => {
                let length = value.filter(|value| *value > 0).unwrap_or(1);
                let name = &declarator.name.text;
                self.warn(
                    "constant.variable",
                    expr.span,
                    format!("`{name}` gets {length} elements, the initial value of the variable"),
                    "write the number, or a macro",
                );
                length
            }
            None => self.constant(expr).unwrap_or(1),
        };
        if length <= 0 {
            self.error(
                "type.array.size",
                expr.span,
                format!("an array of {length} elements"),
                "an array has at least one element",
            );
            return Some(1);
        }
        let length = length as u32;
        if u64::from(length) > limits::VARIABLE_SLOTS {
            self.error(
                "type.size",
                expr.span,
                "the array is too long",
                "the state of a model must stay small",
            );
            return Some(1);
        }
        Some(length)
    }

    /// A variable where a constant is wanted: SPIN takes its initial value. Some(none) if that is unknown.
    #[expect(clippy::option_option, reason = "no variable, a variable without and one with a value differ")]
    pub(super) fn initial_of_name(&self, expr: &tree::Expr) -> Option<Option<i32>> {
        let ExprKind::Reference(reference) = &expr.kind else { return None };
        let [part] = &reference.parts[..] else { return None };
        let id = self.lookup(&part.name.text).filter(|_| part.index.is_none())?;
        Some(match &self.variables[id.0 as usize].initial {
            Initial::Value(value) => match value.kind {
                super::program::ExprKind::Constant(value) | super::program::ExprKind::Mtype(_, value) => {
                    Some(value)
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The value of an expression that must be constant; a fault is reported.
    pub(super) fn constant(&mut self, expr: &tree::Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Constant { name, .. } => self.constants.get(&name.text).map(|(_, value)| *value),
            ExprKind::Unary(UnaryOp::Negate, inner) => self.constant(inner).map(i32::wrapping_neg),
            ExprKind::Binary(operator, left, right) => {
                let left_value = self.constant(left)?;
                let right_value = self.constant(right)?;
                match operator {
                    BinaryOp::Add => Some(left_value.wrapping_add(right_value)),
                    BinaryOp::Subtract => Some(left_value.wrapping_sub(right_value)),
                    BinaryOp::Multiply => Some(left_value.wrapping_mul(right_value)),
                    BinaryOp::Divide | BinaryOp::Remainder if right_value == 0 => {
                        self.error(
                            "constant.zero",
                            right.span,
                            "division by zero",
                            "the divisor must not be 0",
                        );
                        None
                    }
                    BinaryOp::Divide => Some(left_value.wrapping_div(right_value)),
                    BinaryOp::Remainder => Some(left_value.wrapping_rem(right_value)),
                    _ => self.not_constant(expr),
                }
            }
            ExprKind::Error => None,
            _ => self.not_constant(expr),
        }
    }

    fn not_constant(&mut self, expr: &tree::Expr) -> Option<i32> {
        self.error(
            "constant.expected",
            expr.span,
            "a constant is wanted here",
            "use numbers, symbolic constants, + - * / % and parentheses",
        );
        None
    }
}
