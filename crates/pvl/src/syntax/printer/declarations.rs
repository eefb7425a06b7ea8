//! Declarations and members.

use super::super::tree::{
    Block, Class, ClassMember, ClassMemberKind, Declaration, DeclarationKind, Expression, Fields, Function,
    Lemma, Method, Model, ModelMemberKind, Modifiers, Operator, Predicate, PredicateKind, Process,
    ProverInterpretation, ProverLanguage, RoutineName,
};
use super::Printer;

impl Printer {
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        if declaration.ghost {
            self.push("ghost\n");
        }
        match &declaration.kind {
            DeclarationKind::Class(class) => self.class(class),
            DeclarationKind::Method(method) => self.method(method),
            DeclarationKind::Function(function) => self.function(function),
            DeclarationKind::Predicate(predicate) => self.predicate(predicate),
            DeclarationKind::Lemma(lemma) => self.lemma(lemma),
            DeclarationKind::Enum(it) => {
                self.push("enum ");
                self.name(&it.name);
                self.push(" { ");
                self.separated(&it.constants, |printer, constant| printer.name(&constant.name));
                self.push(" }\n");
            }
            DeclarationKind::Adt(adt) => {
                self.push("adt ");
                self.name(&adt.name);
                self.type_parameters(&adt.type_parameters);
                self.push(" {\n");
                for function in &adt.functions {
                    self.push("    pure ");
                    self.ty(&function.result);
                    self.text.push(' ');
                    self.name(&function.name);
                    self.parameters(&function.parameters);
                    self.push(";\n");
                }
                for axiom in &adt.axioms {
                    self.push("    axiom ");
                    self.expression(&axiom.body);
                    self.push(";\n");
                }
                self.push("}\n");
            }
            DeclarationKind::Model(model) => self.model(model),
            DeclarationKind::RewriteRule(rule) => {
                self.push("axiom ");
                self.name(&rule.name);
                self.push(" { ");
                self.expression(&rule.body);
                self.push(" }\n");
            }
            DeclarationKind::ProverType(it) => {
                self.push("prover_type ");
                self.name(&it.name);
                self.interpretations(&it.interpretations);
            }
            DeclarationKind::ProverFunction(it) => {
                self.push("prover_function ");
                self.ty(&it.result);
                self.text.push(' ');
                self.name(&it.name);
                self.parameters(&it.parameters);
                self.interpretations(&it.interpretations);
            }
        }
    }

    fn interpretations(&mut self, interpretations: &[ProverInterpretation]) {
        for interpretation in interpretations {
            self.push(match interpretation.language {
                ProverLanguage::SmtLib => " \\smtlib `",
                ProverLanguage::Boogie => " \\boogie `",
            });
            self.push(&interpretation.text);
            self.text.push('`');
        }
        self.push(";\n");
    }

    fn class(&mut self, class: &Class) {
        self.contract(&class.contract);
        self.push("class ");
        self.name(&class.name);
        self.type_parameters(&class.type_parameters);
        self.push(" {\n");
        self.indent += 1;
        for (index, member) in class.members.iter().enumerate() {
            if index > 0 && !matches!(member.kind, ClassMemberKind::Fields(_)) {
                self.end_line();
            }
            self.member(member);
        }
        self.indent -= 1;
        self.push("}\n");
    }

    fn member(&mut self, member: &ClassMember) {
        if member.ghost {
            self.line();
            self.push("ghost\n");
        }
        match &member.kind {
            ClassMemberKind::Fields(fields) => self.fields(fields),
            ClassMemberKind::Constructor(constructor) => {
                self.contract(&constructor.contract);
                self.line();
                self.push("constructor");
                self.type_parameters(&constructor.type_parameters);
                self.parameters(&constructor.parameters);
                self.method_body(constructor.body.as_ref());
            }
            ClassMemberKind::Run(run) => {
                self.contract(&run.contract);
                self.line();
                self.push("run");
                self.method_body(run.body.as_ref());
            }
            ClassMemberKind::Method(method) => self.method(method),
            ClassMemberKind::Function(function) => self.function(function),
            ClassMemberKind::Predicate(predicate) => self.predicate(predicate),
            ClassMemberKind::Lemma(lemma) => self.lemma(lemma),
        }
    }

    fn fields(&mut self, fields: &Fields) {
        self.line();
        self.modifiers(&fields.modifiers);
        self.ty(&fields.ty);
        self.text.push(' ');
        self.separated(&fields.names, |printer, (_, name)| printer.name(name));
        self.push(";\n");
    }

    fn modifiers(&mut self, modifiers: &Modifiers) {
        let all = [
            (modifiers.is_static, "static "),
            (modifiers.is_final, "final "),
            (modifiers.inline, "inline "),
            (modifiers.opaque, "opaque "),
            (modifiers.thread_local, "thread_local "),
            (modifiers.pure, "pure "),
        ];
        for (_, text) in all.iter().filter(|(span, _)| span.is_some()) {
            self.push(text);
        }
    }

    fn routine_name(&mut self, name: &RoutineName) {
        match name.operator {
            Some(Operator::Plus) => self.push("+"),
            Some(Operator::RightPlus) => self.push("right+"),
            None => self.name(&name.name),
        }
    }

    fn method(&mut self, method: &Method) {
        self.contract(&method.contract);
        self.line();
        self.modifiers(&method.modifiers);
        self.ty(&method.result);
        self.text.push(' ');
        self.routine_name(&method.name);
        self.type_parameters(&method.type_parameters);
        self.parameters(&method.parameters);
        self.method_body(method.body.as_ref());
    }

    fn method_body(&mut self, body: Option<&Block>) {
        match body {
            Some(body) => {
                self.text.push(' ');
                self.block(body);
                self.end_line();
            }
            None => self.push(";\n"),
        }
    }

    fn function(&mut self, function: &Function) {
        self.contract(&function.contract);
        self.line();
        self.modifiers(&function.modifiers);
        if function.modifiers.pure.is_none() {
            self.push("pure ");
        }
        self.ty(&function.result);
        self.text.push(' ');
        self.routine_name(&function.name);
        self.type_parameters(&function.type_parameters);
        self.parameters(&function.parameters);
        self.pure_body(function.body.as_ref());
    }

    fn pure_body(&mut self, body: Option<&Expression>) {
        if let Some(body) = body {
            self.push(" = ");
            self.expression(body);
        }
        self.push(";\n");
    }

    fn predicate(&mut self, predicate: &Predicate) {
        self.line();
        self.modifiers(&predicate.modifiers);
        self.push(match predicate.kind {
            PredicateKind::Resource => "resource ",
            PredicateKind::Fact => "predicate ",
        });
        self.name(&predicate.name);
        self.parameters(&predicate.parameters);
        self.pure_body(predicate.body.as_ref());
    }

    fn lemma(&mut self, lemma: &Lemma) {
        self.contract(&lemma.contract);
        self.line();
        self.modifiers(&lemma.modifiers);
        self.push("lemma ");
        self.name(&lemma.name);
        self.type_parameters(&lemma.type_parameters);
        self.parameters(&lemma.parameters);
        self.method_body(lemma.body.as_ref());
    }

    fn model(&mut self, model: &Model) {
        self.push("model ");
        self.name(&model.name);
        self.push(" {\n");
        self.indent += 1;
        for member in &model.members {
            match &member.kind {
                ModelMemberKind::Fields(fields) => self.fields(fields),
                ModelMemberKind::Process(process) => self.process("process ", process),
                ModelMemberKind::Action(process) => self.process("action ", process),
                ModelMemberKind::Method(method) => self.method(method),
                ModelMemberKind::Function(function) => self.function(function),
                ModelMemberKind::Formula(named) => {
                    self.line();
                    self.push("ltl ");
                    self.name(&named.name);
                    self.push(" { ");
                    self.formula(&named.formula);
                    self.push(" }\n");
                }
            }
        }
        self.indent -= 1;
        self.push("}\n");
    }

    fn process(&mut self, keyword: &str, process: &Process) {
        self.contract(&process.contract);
        self.line();
        self.push(keyword);
        self.name(&process.name);
        self.parameters(&process.parameters);
        self.pure_body(process.body.as_ref());
    }
}
