//! Members of classes, and what of them can also stand outside.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{Symbol, TokenKind};
use super::super::tree::{
    Block, ClassMember, ClassMemberKind, Constructor, Contract, Expression, Fields, Function, Lemma, Method,
    Modifiers, Name, Operator, Predicate, PredicateKind, RoutineName, Run, Type, TypeKind,
};
use super::{Parsed, Parser};
use crate::codes;

impl Parser<'_> {
    /// Members up to the brace that closes the class. Those that cannot be read are reported and left out.
    pub(super) fn members(&mut self) -> Vec<ClassMember> {
        let mut members = Vec::new();
        while !self.at(Symbol::RightBrace) && !self.at_end() && !self.given_up() {
            if self.at_word("class") {
                break;
            }
            self.unwinding = false;
            let from = self.position();
            let start = self.start();
            let mut ghost = self.eat_word("ghost");
            let reported = self.reading.messages.mark();
            let contract = self.contract();
            ghost |= self.eat_word("ghost");
            // The clauses may belong to the next class.
            if self.at_word("class") && !contract.is_empty() {
                self.reset(from);
                self.reading.messages.forget_since(reported);
                break;
            }
            match self.member(contract) {
                Ok(Some(kind)) => {
                    let span = self.span_from(start);
                    members.push(ClassMember { id: self.id(), ghost, kind, span });
                }
                Ok(None) => {
                    if let Err(failure) =
                        self.fail::<()>(Expected::from("a member of the class").or(Symbol::RightBrace))
                    {
                        self.report_failure(failure);
                    }
                    self.skip_member(from);
                }
                Err(failure) => {
                    self.report_failure(failure);
                    self.skip_member(from);
                }
            }
            if self.position() == from {
                self.advance();
            }
        }
        members
    }

    /// One member behind its contract; nothing if none starts here.
    pub(super) fn member(&mut self, contract: Contract) -> Parsed<Option<ClassMemberKind>> {
        if self.at(Symbol::RightBrace) && !contract.is_empty() {
            return self.fail("the method or function that this contract is for");
        }
        let start = self.start();
        let modifiers = self.modifiers();
        let word = self.word();
        let takes_none = match word {
            "constructor" => self.peek_at(1, Symbol::LeftParen),
            "run" => self.peek_at(1, Symbol::LeftBrace) || self.peek_at(1, Symbol::Semicolon),
            _ => self.at_old_constructor(),
        };
        if takes_none && let Some(span) = modifiers.first() {
            let what = if word == "run" { word } else { "constructor" };
            let error = Diagnostic::error(codes::MODIFIER, span, format!("a `{what}` takes no modifiers"));
            self.report(error.help("remove it"));
        }
        let kind = match word {
            "constructor" if !self.is_old() || self.peek_at(1, Symbol::LeftParen) => {
                let keyword = self.span();
                self.advance();
                ClassMemberKind::Constructor(self.constructor(contract, start, keyword)?)
            }
            "run" if self.peek_at(1, Symbol::LeftBrace) || self.peek_at(1, Symbol::Semicolon) => {
                let keyword = self.span();
                self.advance();
                let head = self.span_from(start);
                ClassMemberKind::Run(Run { head, contract, body: self.method_body()?, keyword })
            }
            "lemma" if self.is_name(self.peek(1)) => {
                self.advance();
                ClassMemberKind::Lemma(self.lemma(contract, start, modifiers)?)
            }
            "predicate" if self.is_name(self.peek(1)) && self.peek_at(2, Symbol::LeftParen) => {
                self.advance();
                ClassMemberKind::Predicate(self.predicate(
                    PredicateKind::Fact,
                    start,
                    modifiers,
                    &contract,
                )?)
            }
            "resource"
                if modifiers.pure.is_none()
                    && self.peek(1).kind == TokenKind::Word
                    && self.peek_at(2, Symbol::LeftParen) =>
            {
                self.advance();
                ClassMemberKind::Predicate(self.predicate(
                    PredicateKind::Resource,
                    start,
                    modifiers,
                    &contract,
                )?)
            }
            "choreography" | "endpoint" | "communicate" => {
                let span = self.span();
                return self.unsupported(span, "choreographies are");
            }
            _ if self.at_old_constructor() => {
                let token = self.advance();
                let keyword = token.span;
                if !self.is_old() {
                    let error =
                        Diagnostic::error(codes::PARSE, keyword, "a constructor is not named like its class")
                            .help("write `constructor(…)`; VerCors 1.x wrote it like this (`--dialect 1`)");
                    self.report(error);
                }
                ClassMemberKind::Constructor(self.constructor(contract, start, keyword)?)
            }
            _ => {
                if self.scan_type(self.position(), 0).is_none() {
                    if contract.is_empty() && modifiers.none() {
                        return Ok(None);
                    }
                    return self.fail("the type of a method, function or field");
                }
                self.typed_member(contract, start, modifiers)?
            }
        };
        Ok(Some(kind))
    }

    fn constructor(&mut self, contract: Contract, start: u32, keyword: source::Span) -> Parsed<Constructor> {
        let type_parameters = self.type_parameters()?;
        let parameters = self.parameters()?;
        let head = self.span_from(start);
        let body = self.method_body()?;
        Ok(Constructor { head, contract, type_parameters, parameters, body, keyword })
    }

    fn lemma(&mut self, contract: Contract, start: u32, modifiers: Modifiers) -> Parsed<Lemma> {
        let name = self.name_for("the name of the lemma")?;
        let type_parameters = self.type_parameters()?;
        let parameters = self.parameters()?;
        let head = self.span_from(start);
        let body = self.method_body()?;
        Ok(Lemma { head, contract, modifiers, name, type_parameters, parameters, body })
    }

    fn predicate(
        &mut self,
        kind: PredicateKind,
        start: u32,
        modifiers: Modifiers,
        contract: &Contract,
    ) -> Parsed<Predicate> {
        let token = self.token();
        // The old dialect names the resource of a lock like the new one's clause.
        let name = if self.at_word("lock_invariant") {
            self.advance();
            let span = token.span;
            if !self.is_old() {
                let error = Diagnostic::error(
                    codes::PARSE,
                    span,
                    "the resource of a lock is not a predicate",
                )
                .help(
                    "write the clause `lock_invariant e;` in front of the class; VerCors 1.x wrote it like \
                         this (`--dialect 1`)",
                );
                self.report(error);
            }
            Name { text: "lock_invariant".into(), span }
        } else {
            self.name_for("the name of the predicate")?
        };
        if let Some(clause) = contract.clauses.first() {
            let keyword = clause.kind.keyword();
            let error = Diagnostic::error(
                codes::PARSE,
                clause.span,
                format!("the predicate `{}` cannot have a contract", name.text),
            )
            .help(format!("move what `{keyword}` says into the body of the predicate"));
            self.report(error);
        }
        let parameters = self.parameters()?;
        let head = self.span_from(start);
        let body = self.pure_body()?;
        Ok(Predicate { head, kind, modifiers, name, parameters, body })
    }

    /// `;` or `= e;`
    fn pure_body(&mut self) -> Parsed<Option<Expression>> {
        if self.eat(Symbol::Assign) {
            let body = self.expression()?;
            self.semicolon()?;
            return Ok(Some(body));
        }
        if self.at(Symbol::LeftBrace) {
            return self.error(
                self.span(),
                "the body of a predicate is an expression",
                "write `= e;` instead of a block",
            );
        }
        self.semicolon()?;
        Ok(None)
    }

    /// `;` or `{ … }`
    fn method_body(&mut self) -> Parsed<Option<Block>> {
        if self.eat(Symbol::Semicolon) {
            return Ok(None);
        }
        if self.at(Symbol::LeftBrace) {
            let block = self.block()?;
            // Habit from declarations; there is nothing it could end.
            self.eat(Symbol::Semicolon);
            return Ok(Some(block));
        }
        self.fail(Expected::from(Symbol::LeftBrace).with("and the body").or(Symbol::Semicolon))
    }

    /// What starts with a type: fields, a method, a function or an operator.
    fn typed_member(
        &mut self,
        contract: Contract,
        head_start: u32,
        modifiers: Modifiers,
    ) -> Parsed<ClassMemberKind> {
        let start = self.start();
        let ty = self.ty()?;
        let name = self.routine_name()?;
        let is_routine = name.operator.is_some() || self.at(Symbol::LeftParen) || self.at(Symbol::Less);
        if !is_routine {
            return self.fields(contract, modifiers, ty, name.name);
        }
        let type_parameters = self.type_parameters()?;
        let parameters = self.parameters()?;
        let head = self.span_from(head_start);
        let is_run = &*name.name.text == "run" && parameters.is_empty();
        if is_run && matches!(ty.kind, TypeKind::Void) {
            let keyword = name.name.span;
            return Ok(ClassMemberKind::Run(Run { head, contract, body: self.method_body()?, keyword }));
        }
        if self.at(Symbol::Assign) {
            self.advance();
            let body = self.expression()?;
            self.semicolon()?;
            if modifiers.pure.is_none() && !self.is_old() {
                let span = self.span_from(start);
                let error = Diagnostic::error(
                    codes::PARSE,
                    name.name.span,
                    format!("the function `{}` is not marked `pure`", name.name.text),
                )
                .label(span, "a body that is an expression makes it a function")
                .help("write `pure` in front of its type; VerCors 1.x allowed this (`--dialect 1`)");
                self.report(error);
            }
            let function = Function {
                head,
                contract,
                modifiers,
                result: ty,
                name,
                type_parameters,
                parameters,
                body: Some(body),
            };
            return Ok(ClassMemberKind::Function(function));
        }
        if modifiers.pure.is_some() && self.at(Symbol::Semicolon) {
            self.advance();
            let function = Function {
                head,
                contract,
                modifiers,
                result: ty,
                name,
                type_parameters,
                parameters,
                body: None,
            };
            return Ok(ClassMemberKind::Function(function));
        }
        let body = match self.token().kind {
            TokenKind::Symbol(Symbol::LeftBrace | Symbol::Semicolon) => self.method_body()?,
            // The colon of clauses behind the header in other languages.
            TokenKind::Word if self.at_clause() => {
                let span = self.span();
                let error =
                    Diagnostic::error(codes::PARSE, span, "the contract stands in front of the method")
                        .help("move these clauses above the type of the method");
                self.report(error);
                self.contract();
                if self.eat(Symbol::Assign) {
                    self.expression()?;
                    self.semicolon()?;
                    None
                } else {
                    self.method_body()?
                }
            }
            _ => {
                return self.fail(
                    Expected::from(Symbol::LeftBrace).with("and the body").or("`= e;`").or(Symbol::Semicolon),
                );
            }
        };
        let method =
            Method { head, contract, modifiers, result: ty, name, type_parameters, parameters, body };
        Ok(ClassMemberKind::Method(method))
    }

    /// A name, `+` or `right+`.
    fn routine_name(&mut self) -> Parsed<RoutineName> {
        let token = self.token();
        if self.at(Symbol::Plus) {
            self.advance();
            let name = Name { text: "+".into(), span: token.span };
            return Ok(RoutineName { name, operator: Some(Operator::Plus) });
        }
        if self.at_name() && self.peek_at(1, Symbol::Plus) {
            let span = token.span.to(self.peek(1).span);
            if self.text_of(token) != "right" {
                return self.error(
                    span,
                    format!("there is no operator `{}+`", self.text_of(token)),
                    "operators are `+` and `right+`",
                );
            }
            self.skip(2);
            let name = Name { text: "right+".into(), span };
            return Ok(RoutineName { name, operator: Some(Operator::RightPlus) });
        }
        if self.at(Symbol::LeftParen) {
            return self.error(
                self.previous().span,
                "a type or a name is missing in front of the parameters",
                "a method is written `type name(parameters)`, a constructor `constructor(parameters)`",
            );
        }
        // The old dialect calls it like a method.
        if self.is_old() && self.at_word("run") || self.at_word("run") && self.peek_at(1, Symbol::LeftParen) {
            self.advance();
            let span = token.span;
            if !self.is_old() {
                let error = Diagnostic::error(codes::PARSE, span, "`run` has no type and no parameters")
                    .help("write `run { … }`; VerCors 1.x wrote it like this (`--dialect 1`)");
                self.report(error);
            }
            return Ok(RoutineName { name: Name { text: "run".into(), span }, operator: None });
        }
        Ok(RoutineName { name: self.name_for("a name")?, operator: None })
    }

    pub(super) fn fields(
        &mut self,
        contract: Contract,
        modifiers: Modifiers,
        ty: Type,
        first: Name,
    ) -> Parsed<ClassMemberKind> {
        if let Some(clause) = contract.clauses.first() {
            let error = Diagnostic::error(codes::PARSE, clause.span, "a field cannot have a contract")
                .label(first.span, "this is a field")
                .help("a contract belongs in front of a method or function");
            self.report(error);
        }
        let mut names = vec![(self.id(), first)];
        while self.eat(Symbol::Comma) {
            let name = self.name_for("the name of a field")?;
            names.push((self.id(), name));
        }
        if self.at(Symbol::Assign) {
            return self.error(
                self.span(),
                "a field cannot be given a value where it is declared",
                "assign it in the constructor",
            );
        }
        self.semicolon()?;
        Ok(ClassMemberKind::Fields(Fields { modifiers, ty, names }))
    }
}
