//! Addresses: `&x`, `&o.f`, `&p[i]`.
//!
//! Pointers find what they point to in a block. So a variable whose address is taken somewhere lives in a block with one
//! place, which is made where the variable is declared, and reading it needs permission as everything on the heap does.
//! A field whose address is taken lives in a block with one place that belongs to its object.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::origin::Role;
use crate::lower::prelude::{Fill, Template, Theory};
use crate::lower::scope::{Scope, Variable};
use crate::resolve::{NameTarget, Selection, Subscript, Type};
use crate::syntax::tree::{Expression, ExpressionKind, NodeId, UnaryOperator};

impl<'t> Scope<'_, 't> {
    pub(crate) fn address_of(
        &mut self,
        operand: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        self.lowering.need(Theory::Pointer);
        match &*operand.kind {
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => return self.expression(pointer),
            ExpressionKind::Index(pointer, index)
                if self.resolution.subscripts.get(&operand.id) == Some(&Subscript::Pointer) =>
            {
                let arguments = self.operands(&[pointer, index]);
                return self.at(place).call("pointer_add", arguments);
            }
            ExpressionKind::Name(_) => match self.resolution.names.get(&operand.id) {
                Some(NameTarget::Variable(id)) => return self.address_of_variable(*id, place),
                Some(NameTarget::Field(id)) => {
                    let object = self.this(place);
                    return self.address_of_field(*id, self.own_class_arguments(*id), object, place);
                }
                Some(NameTarget::StaticField(id)) => return self.address_of_static_field(*id, place),
                _ => {}
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&operand.id) {
                Some(Selection::Field(id)) => {
                    let class_arguments = self.class_arguments_of(object);
                    let object = self.expression(object);
                    return self.address_of_field(*id, class_arguments, object, place);
                }
                Some(Selection::StaticField(id)) => return self.address_of_static_field(*id, place),
                _ => {}
            },
            _ => {}
        }
        self.unsupported(place, "the address of this")
    }

    fn address_of_variable(&mut self, id: NodeId, place: Span) -> s::Expression {
        let Some(Variable::Cell { block, .. }) = self.bindings.variables.get(&id).cloned() else {
            let message = "this variable has no address here";
            let help = "parameters have an address in the body of their method, other variables where they are declared \
                        by a statement";
            self.error(crate::lower::UNSUPPORTED, place, message, help);
            return self.at(place).null();
        };
        let mut build = self.at(place);
        let block = build.variable(&block);
        let zero = build.int(0);
        build.call("pointer", vec![block, zero])
    }

    fn address_of_static_field(&mut self, field: NodeId, place: Span) -> s::Expression {
        self.lowering.need(Theory::Static);
        let object = self.at(place).call("static_object", Vec::new());
        self.address_of_field(field, Vec::new(), object, place)
    }

    fn address_of_field(
        &mut self,
        field: NodeId,
        class_arguments: Vec<Type>,
        object: s::Expression,
        place: Span,
    ) -> s::Expression {
        let word = self.addressed_field(field, class_arguments, place);
        self.at(place).call(&format!("field_pointer_{word}"), vec![object])
    }

    /// The word in the names of the functions for a field whose address is taken.
    fn addressed_field(&mut self, field: NodeId, class_arguments: Vec<Type>, place: Span) -> String {
        self.lowering.need(Theory::Pointer);
        let name = self.field(field, class_arguments);
        let fields = &mut self.lowering.addressed_fields;
        let number = fields.iter().position(|known| *known == name).unwrap_or_else(|| {
            fields.push(name.clone());
            fields.len() - 1
        });
        let number = self.at(place).natural(number as u64);
        let fills = [("name", Fill::Name(name)), ("number", Fill::Value(number))];
        let word = self.lowering.need_word_for(Template::AddressedField, &[], &fills, place).to_string();
        let written = self.lowering.declared_name(field);
        self.lowering.spelling.add_final_field(&format!("field_address_{word}").into(), written);
        word
    }

    /// Where a field is.
    pub(crate) fn field_location(
        &mut self,
        field: NodeId,
        class_arguments: Vec<Type>,
        object: s::Expression,
        role: Role,
        place: Span,
    ) -> s::Expression {
        if !self.resolution.addressed.contains(&field) {
            let name = self.field(field, class_arguments);
            return self.at(place).field(role, object, &name);
        }
        let ty = self.lowering.field_type(&self.lowering.field_instance(field, class_arguments.clone()));
        let name = self.pointer_field(&ty, place);
        let word = self.addressed_field(field, class_arguments, place);
        let mut build = self.at(place);
        let reference = build.call(&format!("field_address_{word}"), vec![object]);
        build.field(role, reference, &name)
    }

    /// All of the fields of `this` whose addresses are taken.
    pub(crate) fn addressed_fields(
        &mut self,
        fields: &[NodeId],
        class_arguments: &[Type],
        place: Span,
    ) -> Vec<s::Expression> {
        let mut result = Vec::new();
        for field in fields {
            let this = self.this(place);
            let location = self.field_location(*field, class_arguments.to_vec(), this, Role::Plain, place);
            let mut build = self.at(place);
            let write = build.write();
            result.push(build.access(location, write));
        }
        result
    }

    /// Declares a variable whose address is taken.
    pub(crate) fn declare_cell(&mut self, id: NodeId, name: &str, value: Option<s::Expression>, place: Span) {
        let ty = self.variable_type(id);
        let field = self.pointer_field(&ty, place);
        let method = self.lowering.need_for(
            Template::PointerCell,
            &[("T", &ty)],
            &[("field", Fill::Name(field.clone()))],
            place,
        );
        let block = self.block_type(place);
        let block = self.local(&format!("{name}_block"), block, None, place);
        self.lowering.spelling.add_variable(&block, name);
        let mut build = self.at(place);
        let made = build.call(&method, Vec::new());
        let target = build.variable(&block);
        self.assign(target, made, place);
        let location = self.cell_location(&block, &field, place);
        self.bindings.variables.insert(id, Variable::Cell { block, field });
        match value {
            Some(value) => self.assign(location, value, place),
            None => {
                if let Some(fact) = self.type_fact(&location, &ty, place) {
                    self.inhale(fact, place);
                }
            }
        }
    }

    fn block_type(&mut self, place: Span) -> s::Type {
        let mut build = self.at(place);
        let block = build.name_of("Block");
        build.ty(s::TypeKind::Named(block, None))
    }

    /// The block of a variable as a parameter.
    pub(crate) fn cell_formal(
        &mut self,
        id: NodeId,
        block: &Arc<str>,
        field: &Arc<str>,
        place: Span,
    ) -> s::Binding {
        let name = self.member.names.fresh(block);
        self.bindings.variables.insert(id, Variable::Cell { block: name.clone(), field: field.clone() });
        let ty = self.block_type(place);
        self.at(place).binding(&name, ty)
    }

    /// Where a variable is whose address is taken.
    pub(crate) fn cell_location(&mut self, block: &Arc<str>, field: &Arc<str>, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let block = build.variable(block);
        let zero = build.int(0);
        let reference = build.call("block_location", vec![block, zero]);
        build.field(Role::Location("ptrPerm"), reference, field)
    }
}
