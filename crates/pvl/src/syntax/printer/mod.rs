//! Prints a tree as text that parses into the same tree.
//!
//! The text is in the new dialect, whatever the program was written in; where the old one has no counterpart the text
//! says what is meant. Expected failures are places rather than nodes and are not printed.

mod declarations;
mod expressions;
mod formulas;
mod statements;

use super::tree::{Dialect, Name, Parameter, Program, Type, TypeKind, TypeParameter};
use super::words;

/// The whole program.
pub fn print(program: &Program) -> String {
    silver::with_large_stack(|| {
        let mut printer = Printer::default();
        for (index, declaration) in program.declarations.iter().enumerate() {
            if index > 0 {
                printer.text.push('\n');
            }
            printer.declaration(declaration);
        }
        printer.text
    })
}

/// One formula, for messages.
pub fn print_formula(formula: &super::tree::Formula) -> String {
    silver::with_large_stack(|| {
        let mut printer = Printer::default();
        printer.formula(formula);
        printer.text
    })
}

/// One expression, for messages.
pub fn print_expression(expression: &super::tree::Expression) -> String {
    silver::with_large_stack(|| {
        let mut printer = Printer::default();
        printer.expression(expression);
        printer.text
    })
}

/// The types of parameters in parentheses, for messages.
pub fn print_parameter_types(parameters: &[Parameter]) -> String {
    silver::with_large_stack(|| {
        let mut printer = Printer::default();
        printer.push("(");
        for (index, parameter) in parameters.iter().enumerate() {
            if index > 0 {
                printer.push(", ");
            }
            printer.ty(&parameter.ty);
        }
        printer.push(")");
        printer.text
    })
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Starts a line.
    fn line(&mut self) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    fn end_line(&mut self) {
        self.text.push('\n');
    }

    fn name(&mut self, name: &Name) {
        self.name_text(&name.text);
    }

    fn name_text(&mut self, text: &str) {
        let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !words::is_reserved(text, Dialect::New);
        if plain {
            self.push(text);
        } else {
            self.text.push('`');
            self.push(text);
            self.text.push('`');
        }
    }

    fn separated<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        for (index, it) in items.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            item(self, it);
        }
    }

    fn names(&mut self, names: &[Name]) {
        self.separated(names, |printer, name| printer.name(name));
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.ty(&parameter.ty);
        self.text.push(' ');
        self.name(&parameter.name);
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        self.text.push('(');
        self.separated(parameters, Printer::parameter);
        self.text.push(')');
    }

    fn type_parameters(&mut self, parameters: &[TypeParameter]) {
        if parameters.is_empty() {
            return;
        }
        self.text.push('<');
        self.separated(parameters, |printer, parameter| printer.name(&parameter.name));
        self.text.push('>');
    }

    fn type_arguments(&mut self, arguments: &[Type]) {
        if arguments.is_empty() {
            return;
        }
        self.text.push('<');
        self.separated(arguments, Printer::ty);
        self.text.push('>');
    }

    fn ty(&mut self, ty: &Type) {
        let simple = match &ty.kind {
            TypeKind::Int => "int",
            TypeKind::Boolean => "boolean",
            TypeKind::Char => "char",
            TypeKind::String => "string",
            TypeKind::Void => "void",
            TypeKind::Float32 => "float32",
            TypeKind::Float64 => "float64",
            TypeKind::Fraction => "frac",
            TypeKind::ZeroFraction => "zfrac",
            TypeKind::Rational => "rational",
            TypeKind::Resource => "resource",
            TypeKind::Process => "process",
            TypeKind::Ref => "ref",
            TypeKind::Any => "any",
            TypeKind::Nothing => "nothing",
            TypeKind::Seq(inner) => return self.generic("seq", &[inner]),
            TypeKind::Set(inner) => return self.generic("set", &[inner]),
            TypeKind::Bag(inner) => return self.generic("bag", &[inner]),
            TypeKind::Option(inner) => return self.generic("option", &[inner]),
            TypeKind::Pointer(inner) => return self.generic("pointer", &[inner]),
            TypeKind::TypeValue(inner) => return self.generic("type", &[inner]),
            TypeKind::Map(a, b) => return self.generic("map", &[a, b]),
            TypeKind::Tuple(a, b) => return self.generic("tuple", &[a, b]),
            TypeKind::Either(a, b) => return self.generic("either", &[a, b]),
            TypeKind::Vector(inner, length) => {
                self.push("vector<");
                self.ty(inner);
                self.push(", ");
                self.push(length);
                self.text.push('>');
                return;
            }
            TypeKind::Array(inner) => {
                self.ty(inner);
                self.push("[]");
                return;
            }
            TypeKind::Named(name, arguments) => {
                self.name(name);
                self.type_arguments(arguments);
                return;
            }
        };
        self.push(simple);
    }

    fn generic(&mut self, name: &str, arguments: &[&Type]) {
        self.push(name);
        self.text.push('<');
        self.separated(arguments, |printer, ty| printer.ty(ty));
        self.text.push('>');
    }
}
