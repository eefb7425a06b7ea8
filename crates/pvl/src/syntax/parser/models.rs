//! Models: fields, actions, processes and formulas.

use parse::{Failing, Reader};

use super::super::token::Symbol;
use super::super::tree::{
    ClassMemberKind, Contract, Model, ModelKind, ModelMember, ModelMemberKind, Modifiers, Name, Process,
};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `model M { … }`
    pub(super) fn model(&mut self) -> Parsed<Model> {
        self.advance();
        let name = self.name_for("the name of the model")?;
        let members = self.model_members()?;
        Ok(Model { kind: ModelKind::Future, name, members })
    }

    /// The members of a class that is a model by its name.
    pub(super) fn old_model(&mut self, name: Name) -> Parsed<Model> {
        let kind = if &*name.text == "History" { ModelKind::History } else { ModelKind::Future };
        let members = self.model_members()?;
        Ok(Model { kind, name, members })
    }

    fn model_members(&mut self) -> Parsed<Vec<ModelMember>> {
        self.expect(Symbol::LeftBrace)?;
        let mut members = Vec::new();
        while !self.at(Symbol::RightBrace) && !self.at_end() && !self.given_up() {
            let from = self.position();
            let start = self.start();
            match self.model_member() {
                Ok(kind) => {
                    let span = self.span_from(start);
                    members.push(ModelMember { id: self.id(), kind, span });
                }
                Err(failure) => {
                    self.report_failure(failure);
                    self.skip_member(from);
                    if self.position() == from {
                        self.advance();
                    }
                }
            }
        }
        self.expect(Symbol::RightBrace)?;
        Ok(members)
    }

    fn model_member(&mut self) -> Parsed<ModelMemberKind> {
        if self.at_word("ltl") && self.is_name(self.peek(1)) && self.peek_at(2, Symbol::LeftBrace) {
            return Ok(ModelMemberKind::Formula(self.named_formula()?));
        }
        let contract = self.contract();
        if self.at_word("action") && self.is_name(self.peek(1)) {
            self.advance();
            let process = self.process(contract)?;
            if process.body.is_some() {
                return self.error(
                    process.name.span,
                    format!("the action `{}` has a body", process.name.text),
                    "an action is atomic and has only a contract; with a body it is a `process`",
                );
            }
            return Ok(ModelMemberKind::Action(process));
        }
        if self.at_word("process") && self.is_name(self.peek(1)) && self.peek_at(2, Symbol::LeftParen) {
            self.advance();
            let process = self.process(contract)?;
            if process.body.is_some() {
                return Ok(ModelMemberKind::Process(process));
            }
            if self.is_old() {
                return Ok(ModelMemberKind::Action(process));
            }
            return self.error(
                process.name.span,
                format!("the process `{}` has no body", process.name.text),
                "an atomic step without a body is an `action`; VerCors 1.x wrote it like this (`--dialect 1`)",
            );
        }
        if !self.is_old() {
            let ty = self.ty()?;
            let name = self.name_for("the name of a field")?;
            return match self.fields(contract, Modifiers::default(), ty, name)? {
                ClassMemberKind::Fields(fields) => Ok(ModelMemberKind::Fields(fields)),
                _ => self.fail("a field"),
            };
        }
        match self.member(contract)? {
            Some(ClassMemberKind::Fields(fields)) => Ok(ModelMemberKind::Fields(fields)),
            Some(ClassMemberKind::Method(method)) => Ok(ModelMemberKind::Method(method)),
            Some(ClassMemberKind::Function(function)) => Ok(ModelMemberKind::Function(function)),
            _ => self.fail("a field, an action or a process"),
        }
    }

    /// The name, parameters and body of an action or process.
    fn process(&mut self, contract: Contract) -> Parsed<Process> {
        let name = self.name_for("a name")?;
        let parameters = self.parameters()?;
        let body = if self.eat(Symbol::Assign) { Some(self.expression()?) } else { None };
        self.semicolon()?;
        Ok(Process { contract, name, parameters, body })
    }
}
