//! Prints a parse tree so that parsing the text gives the same tree, and printing that the same text.
//!
//! Comments and layout are not kept: one statement or clause per line, four blanks per level, parentheses only
//! where precedence asks for them.

mod expressions;
mod statements;

use super::tree::{
    Adt, Annotation, Binding, Define, DefineBody, Domain, Expression, Function, Import, Member, MemberKind,
    Method, Name, Predicate, Program, Type, TypeKind,
};

/// The text of a program.
pub fn print(program: &Program) -> String {
    crate::with_large_stack(|| print_here(program))
}

/// The text of an expression.
pub fn print_expression(expression: &Expression) -> String {
    crate::with_large_stack(|| {
        let mut printer = Printer { text: String::new(), indent: 0 };
        printer.expression(expression);
        printer.text
    })
}

/// The text of a type.
pub fn print_type(ty: &Type) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    printer.ty(ty);
    printer.text
}

fn print_here(program: &Program) -> String {
    let mut printer = Printer { text: String::new(), indent: 0 };
    let mut previous_was_field = true;
    for member in &program.members {
        let is_field =
            matches!(member.kind, MemberKind::Fields(_) | MemberKind::Import(_) | MemberKind::Define(_));
        let joins_previous = is_field && previous_was_field;
        if !joins_previous && !printer.text.is_empty() {
            printer.text.push('\n');
        }
        printer.member(member);
        previous_was_field = is_field;
    }
    printer.text
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Ends the line and starts the next one at the current level.
    fn line(&mut self) {
        self.text.push('\n');
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
    }

    fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    fn member(&mut self, member: &Member) {
        self.annotations(&member.annotations);
        match &member.kind {
            MemberKind::Import(import) => self.import(import),
            MemberKind::Define(define) => self.define(define),
            MemberKind::Fields(bindings) => {
                self.push("field ");
                self.bindings(bindings);
            }
            MemberKind::Method(method) => self.method(method),
            MemberKind::Function(function) => self.function(function),
            MemberKind::Predicate(predicate) => self.predicate(predicate),
            MemberKind::Domain(domain) => self.domain(domain),
            MemberKind::Adt(adt) => self.adt(adt),
        }
        self.push("\n");
    }

    /// Each annotation on a line of its own.
    fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.annotation(annotation);
            self.line();
        }
    }

    fn annotation(&mut self, annotation: &Annotation) {
        self.push("@");
        self.push(&annotation.key);
        self.push("(");
        self.separated(&annotation.values, |printer, value| printer.quoted(value));
        self.push(")");
    }

    fn quoted(&mut self, value: &str) {
        self.push("\"");
        self.push(value);
        self.push("\"");
    }

    fn import(&mut self, import: &Import) {
        self.push("import ");
        if import.local {
            self.quoted(&import.path);
        } else {
            self.push("<");
            self.push(&import.path);
            self.push(">");
        }
    }

    fn define(&mut self, define: &Define) {
        self.push("define ");
        self.push(&define.name.text);
        if let Some(parameters) = &define.parameters {
            self.push("(");
            self.names(parameters);
            self.push(")");
        }
        self.push(" ");
        match &define.body {
            DefineBody::Statements(block) => self.block(block),
            DefineBody::Expression(expression) => self.expression(expression),
        }
    }

    fn names(&mut self, names: &[Name]) {
        self.separated(names, |printer, name| printer.push(&name.text));
    }

    fn bindings(&mut self, bindings: &[Binding]) {
        self.separated(bindings, |printer, binding| {
            printer.push(&binding.name.text);
            printer.push(": ");
            printer.ty(&binding.ty);
        });
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Int => self.push("Int"),
            TypeKind::Bool => self.push("Bool"),
            TypeKind::Perm => self.push("Perm"),
            TypeKind::Ref => self.push("Ref"),
            TypeKind::Rational => self.push("Rational"),
            TypeKind::Seq(element) => self.generic_type("Seq", &[element]),
            TypeKind::Set(element) => self.generic_type("Set", &[element]),
            TypeKind::Multiset(element) => self.generic_type("Multiset", &[element]),
            TypeKind::Map(key, value) => self.generic_type("Map", &[key, value]),
            TypeKind::Named(name, None) => self.push(&name.text),
            TypeKind::Named(name, Some(arguments)) => {
                self.push(&name.text);
                self.push("[");
                self.separated(arguments, Printer::ty);
                self.push("]");
            }
            TypeKind::Macro(name, arguments) => {
                self.push(&name.text);
                self.push("(");
                self.separated(arguments, Printer::expression);
                self.push(")");
            }
        }
    }

    fn generic_type(&mut self, name: &str, arguments: &[&Type]) {
        self.push(name);
        self.push("[");
        self.separated(arguments, |printer, argument| printer.ty(argument));
        self.push("]");
    }

    fn method(&mut self, method: &Method) {
        self.push("method ");
        self.push(&method.name.text);
        self.push("(");
        self.bindings(&method.formals);
        self.push(")");
        if !method.returns.is_empty() {
            self.push(" returns (");
            self.bindings(&method.returns);
            self.push(")");
        }
        self.specifications("requires", &method.preconditions);
        self.specifications("ensures", &method.postconditions);
        if let Some(body) = &method.body {
            self.line();
            self.block(body);
        }
    }

    fn function(&mut self, function: &Function) {
        self.push("function ");
        self.push(&function.name.text);
        self.push("(");
        self.bindings(&function.formals);
        self.push("): ");
        self.ty(&function.result);
        self.specifications("requires", &function.preconditions);
        self.specifications("ensures", &function.postconditions);
        if let Some(body) = &function.body {
            self.line();
            self.braced_expression(body);
        }
    }

    fn predicate(&mut self, predicate: &Predicate) {
        self.push("predicate ");
        self.push(&predicate.name.text);
        self.push("(");
        self.bindings(&predicate.formals);
        self.push(")");
        if let Some(body) = &predicate.body {
            self.push(" ");
            self.braced_expression(body);
        }
    }

    fn braced_expression(&mut self, body: &Expression) {
        self.push("{");
        self.indent += 1;
        self.line();
        self.expression(body);
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn type_parameters(&mut self, parameters: Option<&[Name]>) {
        if let Some(parameters) = parameters {
            self.push("[");
            self.names(parameters);
            self.push("]");
        }
    }

    fn domain(&mut self, domain: &Domain) {
        self.push("domain ");
        self.push(&domain.name.text);
        self.type_parameters(domain.parameters.as_deref());
        if let Some(interpretations) = &domain.interpretations {
            self.push(" interpretation (");
            self.separated(interpretations, |printer, (backend, name)| {
                printer.push(backend);
                printer.push(": ");
                printer.quoted(name);
            });
            self.push(")");
        }
        self.push(" {");
        self.indent += 1;
        for function in &domain.functions {
            self.line();
            self.annotations(&function.annotations);
            self.push(if function.unique { "unique function " } else { "function " });
            self.push(&function.name.text);
            self.push("(");
            self.separated(&function.formals, |printer, (name, ty)| {
                if let Some(name) = name {
                    printer.push(&name.text);
                    printer.push(": ");
                }
                printer.ty(ty);
            });
            self.push("): ");
            self.ty(&function.result);
            if let Some(interpretation) = &function.interpretation {
                self.push(" interpretation ");
                self.quoted(interpretation);
            }
        }
        for axiom in &domain.axioms {
            self.line();
            self.annotations(&axiom.annotations);
            self.push("axiom ");
            if let Some(name) = &axiom.name {
                self.push(&name.text);
                self.push(" ");
            }
            self.braced_expression(&axiom.body);
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn adt(&mut self, adt: &Adt) {
        self.push("adt ");
        self.push(&adt.name.text);
        self.type_parameters(adt.parameters.as_deref());
        self.push(" {");
        self.indent += 1;
        for constructor in &adt.constructors {
            self.line();
            self.annotations(&constructor.annotations);
            self.push(&constructor.name.text);
            self.push("(");
            self.bindings(&constructor.fields);
            self.push(")");
        }
        self.indent -= 1;
        self.line();
        self.push("}");
        let Some(derives) = &adt.derives else { return };
        self.push(" derives {");
        self.indent += 1;
        for derivation in derives {
            self.line();
            self.push(&derivation.name.text);
            if let Some(parameter) = &derivation.parameter {
                self.push("[");
                self.ty(parameter);
                self.push("]");
            }
            if !derivation.without.is_empty() {
                self.push(" without ");
                self.names(&derivation.without);
            }
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }
}
