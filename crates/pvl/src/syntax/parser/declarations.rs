//! Declarations of a program.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Adt, AdtAxiom, AdtFunction, Class, ClassMember, ClassMemberKind, Clause, ClauseKind, Contract,
    Declaration, DeclarationKind, Enum, EnumConstant, Modifiers, PredicateKind, ProverFunction,
    ProverInterpretation, ProverLanguage, ProverType, RewriteRule,
};
use super::{Parsed, Parser, unsupported};
use crate::codes;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.at_end() && !self.given_up() {
            self.unwinding = false;
            let from = self.position();
            if self.at(Symbol::RightBrace) {
                let span = self.span();
                let error = Diagnostic::error(codes::PARSE, span, "this `}` closes nothing")
                    .help("remove it, or look for a `{` that is missing above");
                self.report(error);
                self.advance();
                continue;
            }
            match self.declaration() {
                Ok(declaration) => declarations.extend(declaration),
                Err(failure) => {
                    self.report_failure(failure);
                    self.skip_member(from);
                    if self.position() == from {
                        self.advance();
                    }
                }
            }
        }
        declarations
    }

    /// One declaration; nothing for one that is not supported and was reported.
    fn declaration(&mut self) -> Parsed<Option<Declaration>> {
        let start = self.start();
        let mut ghost = self.eat_word("ghost");
        let kind = match self.word() {
            "enum" => DeclarationKind::Enum(self.enumeration()?),
            "adt" if self.is_name(self.peek(1)) => DeclarationKind::Adt(self.adt()?),
            "model" if self.is_name(self.peek(1)) => DeclarationKind::Model(self.model()?),
            "axiom" if self.is_name(self.peek(1)) => DeclarationKind::RewriteRule(self.rewrite_rule()?),
            "prover_type" => DeclarationKind::ProverType(self.prover_type()?),
            "prover_function" => DeclarationKind::ProverFunction(self.prover_function()?),
            "vesuv_entry" => return self.skip_unsupported("`vesuv_entry` is"),
            "kernel" if self.is_old() && self.is_name(self.peek(1)) => {
                return self.skip_unsupported("kernels are");
            }
            "import" | "package" if self.is_name(self.peek(1)) => {
                return self.error(
                    self.span(),
                    format!("there is no `{}` in PVL", self.word()),
                    "give all files of the program on the command line; they form one program",
                );
            }
            _ => {
                let contract = self.contract();
                ghost |= self.eat_word("ghost");
                match self.word() {
                    "class" => match self.class(contract)? {
                        Some(kind) => kind,
                        None => return Ok(None),
                    },
                    // The second was its keyword for some time.
                    "seq_program" if self.is_name(self.peek(1)) => {
                        return self.skip_unsupported("choreographies are");
                    }
                    "choreography" => return self.skip_unsupported("choreographies are"),
                    _ => self.global_member(contract)?,
                }
            }
        };
        let span = self.span_from(start);
        Ok(Some(Declaration { id: self.id(), ghost, kind, span }))
    }

    /// Reports a construct by its keyword and name, and skips its body.
    fn skip_unsupported(&mut self, construct: &str) -> Parsed<Option<Declaration>> {
        let keyword = self.advance();
        let mut span = keyword.span;
        if self.at_name() {
            span = span.to(self.span());
        }
        self.report(unsupported(span, construct));
        while !self.at_end() && !self.at(Symbol::LeftBrace) && !self.at(Symbol::Semicolon) {
            self.advance();
        }
        if !self.eat(Symbol::Semicolon) {
            self.skip_block();
        }
        Ok(None)
    }

    /// A method, function, predicate or lemma outside of classes.
    fn global_member(&mut self, contract: Contract) -> Parsed<DeclarationKind> {
        let start = self.start();
        let kind = match self.member(contract)? {
            Some(ClassMemberKind::Method(method)) => DeclarationKind::Method(method),
            Some(ClassMemberKind::Function(function)) => DeclarationKind::Function(function),
            Some(ClassMemberKind::Predicate(predicate)) => DeclarationKind::Predicate(predicate),
            Some(ClassMemberKind::Lemma(lemma)) => DeclarationKind::Lemma(lemma),
            Some(ClassMemberKind::Fields(_)) => {
                let span = self.span_from(start);
                return self.error(
                    span,
                    "variables cannot be declared outside of classes",
                    "make it a field of a class",
                );
            }
            Some(ClassMemberKind::Constructor(_) | ClassMemberKind::Run(_)) => {
                let span = self.span_from(start);
                return self.error(span, "this belongs into a class", "move it into a class");
            }
            None => return self.fail("a declaration"),
        };
        Ok(kind)
    }

    /// A class; in the old dialect also a model, by its name.
    fn class(&mut self, mut contract: Contract) -> Parsed<Option<DeclarationKind>> {
        self.advance();
        let name = self.name_for("the name of the class")?;
        if self.is_old() && matches!(&*name.text, "Future" | "History") {
            return self.old_model(name).map(|model| Some(DeclarationKind::Model(model)));
        }
        let type_parameters = self.type_parameters()?;
        if matches!(self.word(), "extends" | "implements") {
            return self.error(
                self.span(),
                "classes of PVL have no superclasses and interfaces",
                "remove this; share code by calling functions and methods",
            );
        }
        let opening = self.token();
        if !self.at(Symbol::LeftBrace) {
            return self.fail(Expected::from(Symbol::LeftBrace).with("and the members of the class"));
        }
        self.advance();
        let around = self.class_name.replace(name.text.clone());
        let members = self.members();
        self.class_name = around;
        if self.at(Symbol::RightBrace) {
            self.advance();
        } else if !self.given_up() {
            let span = self.span();
            let error = Diagnostic::error(codes::PARSE, span, "expected `}` before this")
                .label(opening.span, format!("the class `{}` is not closed", name.text))
                .help("close the class with `}`");
            self.report(error);
        }
        let members = if self.is_old() { self.move_lock_invariant(&mut contract, members) } else { members };
        Ok(Some(DeclarationKind::Class(Class { contract, name, type_parameters, members })))
    }

    /// The old dialect declares the resource of an object's lock as a predicate.
    fn move_lock_invariant(
        &mut self,
        contract: &mut Contract,
        members: Vec<ClassMember>,
    ) -> Vec<ClassMember> {
        let mut kept = Vec::with_capacity(members.len());
        for member in members {
            match member.kind {
                ClassMemberKind::Predicate(predicate)
                    if &*predicate.name.text == "lock_invariant"
                        && predicate.kind == PredicateKind::Resource
                        && predicate.parameters.is_empty() =>
                {
                    if let Some(body) = predicate.body {
                        let kind = ClauseKind::LockInvariant(body);
                        contract.clauses.push(Clause { id: member.id, kind, span: member.span });
                    }
                }
                kind => kept.push(ClassMember { kind, ..member }),
            }
        }
        kept
    }

    fn enumeration(&mut self) -> Parsed<Enum> {
        self.advance();
        let name = self.name_for("the name of the enum")?;
        self.expect(Symbol::LeftBrace)?;
        let mut constants = Vec::new();
        while self.at_name() {
            constants.push(EnumConstant { id: self.id(), name: self.name()? });
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        if constants.is_empty() && self.at(Symbol::RightBrace) {
            let error = Diagnostic::error(
                codes::PARSE,
                name.span,
                format!("the enum `{}` has no constants", name.text),
            )
            .help("an enum needs at least one constant");
            self.report(error);
        }
        if !self.at(Symbol::RightBrace) {
            return self.fail([Symbol::Comma, Symbol::RightBrace]);
        }
        self.advance();
        Ok(Enum { name, constants })
    }

    fn adt(&mut self) -> Parsed<Adt> {
        self.advance();
        let name = self.name_for("the name of the data type")?;
        let type_parameters = self.type_parameters()?;
        self.expect(Symbol::LeftBrace)?;
        let mut functions = Vec::new();
        let mut axioms = Vec::new();
        while !self.eat(Symbol::RightBrace) {
            let start = self.start();
            if self.eat_word("axiom") {
                let body = self.expression()?;
                self.semicolon()?;
                axioms.push(AdtAxiom { id: self.id(), body, span: self.span_from(start) });
            } else if self.eat_word("pure") {
                let result = self.ty()?;
                let name = self.name_for("the name of a function")?;
                let parameters = self.parameters()?;
                self.semicolon()?;
                let span = self.span_from(start);
                functions.push(AdtFunction { id: self.id(), result, name, parameters, span });
            } else {
                return self.fail(
                    Expected::word("pure")
                        .with("and a function")
                        .or(Expected::word("axiom").with("and a fact"))
                        .or(Symbol::RightBrace),
                );
            }
        }
        Ok(Adt { name, type_parameters, functions, axioms })
    }

    /// `axiom n { l == r }`
    fn rewrite_rule(&mut self) -> Parsed<RewriteRule> {
        self.advance();
        let name = self.name()?;
        self.expect(Symbol::LeftBrace)?;
        let body = self.expression()?;
        self.expect(Symbol::RightBrace)?;
        Ok(RewriteRule { name, body })
    }

    fn prover_type(&mut self) -> Parsed<ProverType> {
        self.advance();
        let name = self.name_for("the name of the type")?;
        Ok(ProverType { name, interpretations: self.interpretations()? })
    }

    fn prover_function(&mut self) -> Parsed<ProverFunction> {
        self.advance();
        let result = self.ty()?;
        let name = self.name_for("the name of the function")?;
        let parameters = self.parameters()?;
        Ok(ProverFunction { result, name, parameters, interpretations: self.interpretations()? })
    }

    /// `` \smtlib `text` \boogie `text`; ``
    fn interpretations(&mut self) -> Parsed<Vec<ProverInterpretation>> {
        let mut interpretations = Vec::new();
        loop {
            let start = self.start();
            let language = match self.command() {
                "smtlib" => ProverLanguage::SmtLib,
                "boogie" => ProverLanguage::Boogie,
                _ => break,
            };
            self.advance();
            if !matches!(self.token().kind, TokenKind::Escaped | TokenKind::Word) {
                return self.fail("text between back-ticks");
            }
            let text = self.advance();
            let text = self.text_of(text).trim_matches('`').into();
            interpretations.push(ProverInterpretation { language, text, span: self.span_from(start) });
        }
        if interpretations.is_empty() {
            return self.fail(Expected::words(["\\smtlib", "\\boogie"]).with("and text between back-ticks"));
        }
        self.semicolon()?;
        Ok(interpretations)
    }

    /// Whether a word is a modifier that can stand beside `opaque`, which is a name elsewhere.
    pub(super) fn is_modifier(&self, token: super::Token) -> bool {
        matches!(self.word_of(token), "pure" | "inline" | "thread_local" | "static" | "final")
    }

    /// Modifiers in any order.
    pub(super) fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        loop {
            let token = self.token();
            let span = token.span;
            match self.word() {
                "pure" => modifiers.pure = Some(span),
                "inline" => modifiers.inline = Some(span),
                "opaque" if self.is_modifier(self.peek(1)) => modifiers.opaque = Some(span),
                "thread_local" => modifiers.thread_local = Some(span),
                "static" => modifiers.is_static = Some(span),
                "final" if !(self.is_old() && self.peek_at(1, Symbol::LeftParen)) => {
                    modifiers.is_final = Some(span);
                }
                word @ ("public" | "private" | "protected" | "abstract" | "synchronized")
                    if self.scan_type(self.position() + 1, 0).is_some() && !self.peek(1).first_of_line =>
                {
                    let error = Diagnostic::error(codes::PARSE, span, format!("there is no `{word}` in PVL"))
                        .help("remove it; all members can be used everywhere");
                    self.report(error);
                }
                _ => return modifiers,
            }
            self.advance();
        }
    }
}
