//! Units: what may stand at the top of a model.

use parse::{Expected, Reader};
use source::Diagnostic;

use super::super::token::{Punct, Token, TokenKind};
use super::super::tree::{Active, Name, Process, ProcessKind, Typedef, Unit};
use super::{Parser, Previous, is_keyword};

impl Parser {
    pub(super) fn units(&mut self) {
        while !self.at_end() {
            let before = self.position();
            self.parens = 0;
            self.in_sequence = false;
            if self.unit().is_none() {
                self.recover_unit(self.position() == before);
            }
        }
        self.deferred_formulas();
    }

    fn unit(&mut self) -> Option<()> {
        if self.eat(Punct::Semicolon) || self.eat(Punct::Arrow) {
            return Some(());
        }
        match self.word() {
            Some("active" | "proctype" | "D_proctype") => self.proctype(),
            Some("init") => self.init(),
            Some("never") => self.never(),
            Some("trace") => self.trace(ProcessKind::Trace),
            Some("notrace") => self.trace(ProcessKind::NoTrace),
            Some("ltl") => self.ltl(),
            Some("typedef") => self.typedef(),
            Some("inline") => self.inline_definition(),
            Some("c_code" | "c_decl" | "c_expr" | "c_state" | "c_track") => {
                self.embedded_c();
                Some(())
            }
            _ if self.at_declaration() => {
                if self.at_mtype_list() {
                    let list = self.mtype_list()?;
                    self.module.units.push(Unit::Mtype(list));
                } else {
                    let declaration = self.variables(true)?;
                    self.module.units.push(Unit::Variables(declaration));
                }
                Some(())
            }
            _ => self.unexpected("a proctype, init, declaration or another unit"),
        }
    }

    /// Skips to where a unit may start again.
    fn recover_unit(&mut self, force: bool) {
        if force {
            self.bump();
        }
        while !self.at_end() {
            let token = self.token();
            let starts = matches!(
                token.name().map(|name| &**name),
                Some(
                    "active"
                        | "proctype"
                        | "D_proctype"
                        | "init"
                        | "never"
                        | "trace"
                        | "notrace"
                        | "ltl"
                        | "typedef"
                        | "inline"
                )
            );
            if starts && (token.newline || self.previous == Previous::Brace) {
                break;
            }
            self.bump();
        }
    }

    fn proctype(&mut self) -> Option<()> {
        let active = if self.eat_word("active") {
            if self.eat(Punct::LeftBracket) {
                let count = self.expression()?;
                self.expect(Punct::RightBracket)?;
                Active::Count(count)
            } else {
                Active::One
            }
        } else {
            Active::No
        };
        let deterministic = self.at_word("D_proctype");
        if !deterministic && !self.at_word("proctype") {
            return self.unexpected(Expected::word("proctype"));
        }
        self.bump();
        let name = self.new_name("the name of the proctype")?;
        self.names.processes.insert(name.text.clone());
        self.open_paren()?;
        let mut parameters = Vec::new();
        if !self.at(Punct::RightParen) {
            loop {
                parameters.push(self.variables(false)?);
                if !self.eat(Punct::Semicolon) {
                    break;
                }
            }
        }
        self.close_paren()?;
        let priority = self.opt_priority()?;
        let mut provided = None;
        if self.eat_word("provided") {
            self.open_paren()?;
            provided = Some(self.expression()?);
            self.close_paren()?;
        }
        let body = self.body()?;
        self.module.units.push(Unit::Process(Box::new(Process {
            kind: ProcessKind::Proctype,
            name,
            deterministic,
            active,
            parameters,
            priority,
            provided,
            body,
        })));
        Some(())
    }

    fn init(&mut self) -> Option<()> {
        let name = Name { text: ":init:".into(), span: self.span() };
        self.bump();
        let priority = self.opt_priority()?;
        self.nameless(ProcessKind::Init, name, Active::One, priority)
    }

    fn never(&mut self) -> Option<()> {
        let span = self.span();
        self.bump();
        let name = if self.word().is_some_and(|word| !is_keyword(word)) {
            self.name("the name of the claim")?
        } else {
            let count = self.module.units.iter().filter(|unit| is_never(unit)).count();
            Name { text: format!("never_{count}").into(), span }
        };
        self.nameless(ProcessKind::Never, name, Active::No, None)
    }

    fn trace(&mut self, kind: ProcessKind) -> Option<()> {
        let text = if kind == ProcessKind::Trace { ":trace:" } else { ":notrace:" };
        let name = Name { text: text.into(), span: self.span() };
        self.bump();
        self.in_trace = true;
        let result = self.nameless(kind, name, Active::No, None);
        self.in_trace = false;
        result
    }

    fn nameless(
        &mut self,
        kind: ProcessKind,
        name: Name,
        active: Active,
        priority: Option<super::super::tree::Expr>,
    ) -> Option<()> {
        let body = self.body()?;
        let process = Process {
            kind,
            name,
            deterministic: false,
            active,
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
        };
        self.module.units.push(Unit::Process(Box::new(process)));
        Some(())
    }

    fn typedef(&mut self) -> Option<()> {
        self.bump();
        let name = self.new_name("the name of the type")?;
        self.expect(Punct::LeftBrace)?;
        self.in_sequence = true;
        let mut fields = Vec::new();
        while !self.at(Punct::RightBrace) {
            fields.push(self.variables(true)?);
            if !self.eat(Punct::Semicolon) {
                break;
            }
            while self.eat(Punct::Semicolon) {}
        }
        self.in_sequence = false;
        self.expect(Punct::RightBrace)?;
        if fields.is_empty() {
            self.report(
                Diagnostic::error("type.empty", name.span, format!("type `{}` has no field", name.text))
                    .help("declare at least one"),
            );
        }
        self.names.types.insert(name.text.clone());
        self.module.units.push(Unit::Typedef(Typedef { name, fields }));
        Some(())
    }

    fn ltl(&mut self) -> Option<()> {
        let span = self.span();
        self.bump();
        let name = if self.word().is_some_and(|word| !is_keyword(word)) {
            self.name("the name of the formula")?
        } else {
            self.nameless_formulas += 1;
            Name { text: format!("ltl_{}", self.nameless_formulas - 1).into(), span }
        };
        if !self.at(Punct::LeftBrace) {
            return self.unexpected(Punct::LeftBrace);
        }
        let tokens = self.braced_tokens()?;
        self.deferred.push((name, tokens));
        Some(())
    }

    /// The tokens of a balanced group in braces, both braces included.
    pub(super) fn braced_tokens(&mut self) -> Option<Vec<Token>> {
        let open = self.span();
        let mut tokens = Vec::new();
        let mut depth = 0u32;
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::End => {
                    self.report(
                        Diagnostic::error("parse.brace.unterminated", open, "this brace is not closed")
                            .help("add the missing `}`"),
                    );
                    return None;
                }
                TokenKind::Punct(Punct::LeftBrace) => depth += 1,
                TokenKind::Punct(Punct::RightBrace) => depth -= 1,
                _ => {}
            }
            tokens.push(token);
            self.skip_token();
            if depth == 0 {
                self.previous = Previous::Brace;
                return Some(tokens);
            }
        }
    }

    /// Passes a token without looking for inserted semicolons.
    pub(super) fn skip_token(&mut self) {
        self.previous = Previous::Other;
        self.reading.cursor.advance();
    }

    /// Reports embedded C and skips it.
    pub(super) fn embedded_c(&mut self) {
        let span = self.span();
        let word = self.word().unwrap_or("c_code").to_string();
        self.report(
            Diagnostic::error("embedded.c", span, format!("`{word}` is C code, which is not supported"))
                .help("express it in Promela; embedded C is never compiled or run here"),
        );
        self.skip_token();
        if matches!(&*word, "c_state" | "c_track") {
            while matches!(self.token().kind, TokenKind::Text(_)) {
                self.skip_token();
            }
            return;
        }
        if self.token().is(Punct::LeftBracket) {
            let mut depth = 0u32;
            while self.token().kind != TokenKind::End {
                match self.token().kind {
                    TokenKind::Punct(Punct::LeftBracket) => depth += 1,
                    TokenKind::Punct(Punct::RightBracket) => depth -= 1,
                    _ => {}
                }
                self.skip_token();
                if depth == 0 {
                    break;
                }
            }
        }
        if self.token().is(Punct::LeftBrace) {
            self.braced_tokens();
        }
    }
}

fn is_never(unit: &Unit) -> bool {
    matches!(unit, Unit::Process(process) if process.kind == ProcessKind::Never)
}
