//! Members of a program and the recovery between them.

use std::sync::Arc;

use parse::{Expected, Failing, Reader};
use source::Span;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Adt, Annotation, Axiom, Constructor, Derivation, Domain, DomainFunction, Function, Import, Member,
    MemberKind, Method, Name, Predicate,
};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// All members. Behind an error the next place is searched where a member can be read.
    pub(super) fn members(&mut self) -> Vec<Member> {
        let mut members = Vec::new();
        let mut report_failure = true;
        while !self.at_end() && !self.reading.messages.given_up() {
            let position = self.position();
            match self.member() {
                Ok(member) => {
                    members.push(member);
                    report_failure = true;
                }
                Err(failure) => {
                    // Every member that was begun has a message; text that is skipped has one message in all.
                    let begun = self.position() > position;
                    if begun || report_failure {
                        self.report(failure);
                    }
                    report_failure = false;
                    if !begun {
                        self.advance();
                    }
                }
            }
        }
        members
    }

    fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.at(Symbol::At) {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.start();
        let annotations = self.annotations()?;
        let mut head = None;
        let kind = match self.word() {
            "import" => MemberKind::Import(self.import()?),
            "define" => MemberKind::Define(self.define()?),
            "field" => {
                self.advance();
                let bindings = self.bindings()?;
                let span = self.span_from(start);
                self.eat(Symbol::Semicolon);
                return Ok(Member { annotations, kind: MemberKind::Fields(bindings), span, head: span });
            }
            "method" => MemberKind::Method(self.method(start, &mut head)?),
            "function" => MemberKind::Function(self.function(start, &mut head)?),
            "predicate" => MemberKind::Predicate(self.predicate(start, &mut head)?),
            "domain" => MemberKind::Domain(self.domain()?),
            "adt" => MemberKind::Adt(self.adt()?),
            _ => {
                return self
                    .fail("a member (method, function, predicate, field, domain, adt, define or import)");
            }
        };
        let span = self.span_from(start);
        Ok(Member { annotations, kind, span, head: head.unwrap_or(span) })
    }

    fn import(&mut self) -> Parsed<Import> {
        self.advance();
        if self.token().kind == TokenKind::Text {
            return Ok(Import { path: self.string()?, local: true });
        }
        if !self.at(Symbol::Less) {
            return self.fail(Expected::word("\"").or(Symbol::Less));
        }
        // Between the angles stands a path, not tokens.
        let from = self.span().end as usize;
        let line = self.text[from..].split('\n').next().unwrap_or("");
        let Some(length) = line.find('>') else { return self.fail("a path in `<…>`") };
        let to = from + length + 1;
        while !self.at_end() && (self.start() as usize) < to {
            self.advance();
        }
        Ok(Import { path: self.text[from..to - 1].trim().into(), local: false })
    }

    fn method(&mut self, start: u32, head: &mut Option<Span>) -> Parsed<Method> {
        self.advance();
        let name = self.name()?;
        let formals = self.parens(Parser::binding)?;
        let returns = if self.eat_word("returns") { self.parens(Parser::binding)? } else { Vec::new() };
        *head = Some(self.span_from(start));
        let preconditions = self.specifications("requires")?;
        let postconditions = self.specifications("ensures")?;
        let body = if self.at(Symbol::LeftBrace) { Some(self.block(true)?) } else { None };
        Ok(Method { name, formals, returns, preconditions, postconditions, body })
    }

    fn function(&mut self, start: u32, head: &mut Option<Span>) -> Parsed<Function> {
        self.advance();
        let name = self.name()?;
        let formals = self.parens(Parser::binding)?;
        self.expect(Symbol::Colon)?;
        let result = self.ty()?;
        *head = Some(self.span_from(start));
        let preconditions = self.specifications("requires")?;
        let postconditions = self.specifications("ensures")?;
        let body = self.opt_braced_expression()?;
        Ok(Function { name, formals, result, preconditions, postconditions, body })
    }

    fn predicate(&mut self, start: u32, head: &mut Option<Span>) -> Parsed<Predicate> {
        self.advance();
        let name = self.name()?;
        let formals = self.parens(Parser::binding)?;
        *head = Some(self.span_from(start));
        Ok(Predicate { name, formals, body: self.opt_braced_expression()? })
    }

    fn opt_braced_expression(&mut self) -> Parsed<Option<super::super::tree::Expression>> {
        if !self.eat(Symbol::LeftBrace) {
            return Ok(None);
        }
        let body = self.expression()?;
        self.expect(Symbol::RightBrace)?;
        Ok(Some(body))
    }

    fn opt_type_parameters(&mut self) -> Parsed<Option<Vec<Name>>> {
        if !self.at(Symbol::LeftBracket) {
            return Ok(None);
        }
        self.list(Symbol::LeftBracket, Symbol::RightBracket, Parser::name).map(Some)
    }

    fn domain(&mut self) -> Parsed<Domain> {
        self.advance();
        let name = self.name()?;
        let parameters = self.opt_type_parameters()?;
        let mut interpretations = None;
        if self.eat_word("interpretation") {
            interpretations = Some(self.parens(|parser| {
                let backend = parser.name()?;
                parser.expect(Symbol::Colon)?;
                Ok((backend.text, parser.string()?))
            })?);
        }
        self.expect(Symbol::LeftBrace)?;
        let mut functions = Vec::new();
        let mut axioms = Vec::new();
        while !self.at(Symbol::RightBrace) {
            let start = self.start();
            let annotations = self.annotations()?;
            match self.word() {
                "axiom" => axioms.push(self.axiom(start, annotations)?),
                "unique" | "function" => functions.push(self.domain_function(start, annotations)?),
                _ => {
                    return self
                        .fail(Expected::words(["function", "unique", "axiom"]).or(Symbol::RightBrace));
                }
            }
            self.eat(Symbol::Semicolon);
        }
        self.advance();
        Ok(Domain { name, parameters, interpretations, functions, axioms })
    }

    fn axiom(&mut self, start: u32, annotations: Vec<Annotation>) -> Parsed<Axiom> {
        self.advance();
        let name = if self.at_name() { Some(self.name()?) } else { None };
        self.expect(Symbol::LeftBrace)?;
        let body = self.expression()?;
        self.expect(Symbol::RightBrace)?;
        Ok(Axiom { annotations, name, body, span: self.span_from(start) })
    }

    fn domain_function(&mut self, start: u32, annotations: Vec<Annotation>) -> Parsed<DomainFunction> {
        let unique = self.eat_word("unique");
        self.expect_word("function")?;
        let name = self.name()?;
        let formals = self.parens(|parser| {
            let is_named = parser.at_name() && parser.peek(1).kind == TokenKind::Symbol(Symbol::Colon);
            if is_named {
                let binding = parser.binding()?;
                Ok((Some(binding.name), binding.ty))
            } else {
                Ok((None, parser.ty()?))
            }
        })?;
        self.expect(Symbol::Colon)?;
        let result = self.ty()?;
        let interpretation: Option<Arc<str>> =
            if self.eat_word("interpretation") { Some(self.string()?) } else { None };
        let span = self.span_from(start);
        Ok(DomainFunction { annotations, unique, name, formals, result, interpretation, span })
    }

    fn adt(&mut self) -> Parsed<Adt> {
        self.advance();
        let name = self.name()?;
        let parameters = self.opt_type_parameters()?;
        self.expect(Symbol::LeftBrace)?;
        let mut constructors = Vec::new();
        while !self.at(Symbol::RightBrace) {
            let start = self.start();
            let annotations = self.annotations()?;
            let name = self.name()?;
            let fields = self.parens(Parser::binding)?;
            constructors.push(Constructor { annotations, name, fields, span: self.span_from(start) });
            self.eat(Symbol::Semicolon);
        }
        self.advance();
        let derives = if self.eat_word("derives") { Some(self.derivations()?) } else { None };
        Ok(Adt { name, parameters, constructors, derives })
    }

    fn derivations(&mut self) -> Parsed<Vec<Derivation>> {
        self.expect(Symbol::LeftBrace)?;
        let mut derivations = Vec::new();
        while !self.at(Symbol::RightBrace) {
            let start = self.start();
            let name = self.name()?;
            let parameter = if self.at(Symbol::LeftBracket) { Some(self.bracketed_type()?) } else { None };
            let mut without = Vec::new();
            if self.eat_word("without") {
                without.push(self.name()?);
                while self.eat(Symbol::Comma) {
                    without.push(self.name()?);
                }
            }
            derivations.push(Derivation { name, parameter, without, span: self.span_from(start) });
            self.eat(Symbol::Semicolon);
        }
        self.advance();
        Ok(derivations)
    }
}
