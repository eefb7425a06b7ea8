//! Declarations of variables, channels and symbolic constants.

use parse::{Expected, Reader};
use source::{Diagnostic, Span};

use super::super::token::{Punct, TokenKind};
use super::super::tree::{
    Declarator, Expr, ExprKind, Initial, MtypeDecl, Name, TypeName, TypeNameKind, VarDecl, Visibility,
};
use super::{Parser, is_keyword};

impl Parser {
    pub(super) fn at_declaration(&self) -> bool {
        match self.word() {
            Some(
                "hidden" | "show" | "local" | "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned"
                | "mtype" | "chan",
            ) => true,
            Some(word) if is_keyword(word) => false,
            Some(word) if self.names.types.contains(word) => true,
            // Two names in a row: a type that is not declared.
            Some(word) if !self.inlines.contains_key(word) => {
                let next = self.ahead(1);
                let joined = !(self.in_sequence && self.parens == 0 && next.newline);
                joined && next.name().is_some_and(|name| !is_keyword(name)) && !next.is_name("in")
            }
            _ => false,
        }
    }

    /// `mtype = {`, `mtype {` and `mtype : name = {`, with whatever stands before `mtype`.
    pub(super) fn at_mtype_list(&self) -> bool {
        let mut at = 0;
        while self.ahead(at).name().is_some_and(|name| matches!(&**name, "hidden" | "show" | "local")) {
            at += 1;
        }
        if !self.ahead(at).is_name("mtype") {
            return false;
        }
        at += 1;
        if self.ahead(at).is(Punct::Colon) {
            at += 2;
        }
        self.ahead(at).is(Punct::Assign) || self.ahead(at).is(Punct::LeftBrace)
    }

    #[inline(never)]
    pub(super) fn mtype_list(&mut self) -> Option<MtypeDecl> {
        let start = self.span();
        while let Some(word @ ("hidden" | "show" | "local")) = self.word() {
            let diagnostic = Diagnostic::error(
                "type.mtype.visibility",
                self.span(),
                format!("symbolic constants cannot be `{word}`"),
            )
            .help("remove the word");
            self.report(diagnostic);
            self.bump();
        }
        self.bump();
        let subtype = if self.eat(Punct::Colon) { Some(self.name("the name of the subtype")?) } else { None };
        self.eat(Punct::Assign);
        self.expect(Punct::LeftBrace)?;
        let mut names = Vec::new();
        loop {
            if self.at(Punct::RightBrace) && !names.is_empty() {
                break;
            }
            if !names.is_empty() && self.eat(Punct::Comma) {
                continue;
            }
            names.push(self.new_name("a symbolic name")?);
        }
        self.expect(Punct::RightBrace)?;
        for name in &names {
            self.names.constants.insert(name.text.clone());
        }
        Some(MtypeDecl { subtype, names, span: self.since(start) })
    }

    /// One type with its variables; a parameter list has no initialisers.
    #[inline(never)]
    pub(super) fn variables(&mut self, initialisers: bool) -> Option<VarDecl> {
        let mut visibility = None;
        let span = self.span();
        let found = match self.word() {
            Some("hidden") => Some(Visibility::Hidden),
            Some("show") => Some(Visibility::Show),
            Some("local") => Some(Visibility::Local),
            _ => None,
        };
        if let Some(found) = found {
            self.bump();
            visibility = Some((found, span));
        }
        let ty = self.type_name()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator(initialisers)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Some(VarDecl { visibility, ty, variables })
    }

    /// A type where a message field or a variable is declared.
    fn type_name(&mut self) -> Option<TypeName> {
        let start = self.span();
        let kind = match self.word() {
            Some("bit") => TypeNameKind::Bit,
            Some("bool") => TypeNameKind::Bool,
            Some("byte") => TypeNameKind::Byte,
            Some("pid") => TypeNameKind::Pid,
            Some("short") => TypeNameKind::Short,
            Some("int") => TypeNameKind::Int,
            Some("unsigned") => TypeNameKind::Unsigned,
            Some("chan") => TypeNameKind::Chan,
            Some("mtype") => {
                self.bump();
                let subtype =
                    if self.eat(Punct::Colon) { Some(self.name("the name of the subtype")?) } else { None };
                return Some(TypeName { kind: TypeNameKind::Mtype(subtype), span: self.since(start) });
            }
            Some(word) if !is_keyword(word) => {
                let name = self.name("a type")?;
                return Some(TypeName { kind: TypeNameKind::User(name), span: start });
            }
            _ => return self.unexpected("a type"),
        };
        self.bump();
        if self.at(Punct::Colon) && !matches!(kind, TypeNameKind::Mtype(_)) {
            self.report(
                Diagnostic::error("parse.type.subtype", start, "only `mtype` has subtypes")
                    .help("a width belongs after the name: `unsigned x : 5`"),
            );
            return None;
        }
        Some(TypeName { kind, span: start })
    }

    #[inline(never)]
    fn declarator(&mut self, initialisers: bool) -> Option<Declarator> {
        let name = self.new_name("the name of a variable")?;
        let mut width = None;
        let mut length = None;
        if self.eat(Punct::Colon) {
            let start = self.span();
            width = Some((self.number("a width")?, start));
        } else if self.eat(Punct::LeftBracket) {
            length = Some(self.expression()?);
            self.expect(Punct::RightBracket)?;
        }
        let mut initial = None;
        if self.at(Punct::Assign) {
            let start = self.span();
            self.bump();
            initial = Some(self.initial()?);
            if !initialisers {
                self.report(
                    Diagnostic::error("process.parameter.initial", start, "a parameter has no initial value")
                        .help("the value comes from `run`"),
                );
            }
        }
        Some(Declarator { name, width, length, initial })
    }

    #[inline(never)]
    fn initial(&mut self) -> Option<Initial> {
        let start = self.span();
        if self.eat(Punct::LeftBrace) {
            let mut values = Vec::new();
            loop {
                values.push(self.literal("a constant")?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RightBrace)?;
            return Some(Initial::List(values, self.since(start)));
        }
        if self.eat(Punct::LeftBracket) {
            let capacity = self.expression()?;
            self.expect(Punct::RightBracket)?;
            if !self.eat_word("of") {
                return self.unexpected(Expected::word("of"));
            }
            self.expect(Punct::LeftBrace)?;
            let mut fields = Vec::new();
            loop {
                fields.push(self.type_name()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RightBrace)?;
            return Some(Initial::Channel { capacity, fields, span: self.since(start) });
        }
        Some(Initial::Value(self.expression()?))
    }

    /// A number, `true`, `false`, `skip` or a character.
    #[inline(never)]
    pub(super) fn number(&mut self, what: &'static str) -> Option<i32> {
        let span = self.span();
        let value = match self.peek() {
            TokenKind::Number(text) => {
                let text = text.clone();
                self.number_value(&text, span)?
            }
            TokenKind::Character(value) => *value,
            TokenKind::Name(word) => match &**word {
                "true" | "skip" => 1,
                "false" => 0,
                _ => return self.unexpected(what),
            },
            _ => return self.unexpected(what),
        };
        self.bump();
        Some(value)
    }

    /// A number or a symbolic constant.
    #[inline(never)]
    pub(super) fn literal(&mut self, what: &'static str) -> Option<Expr> {
        let span = self.span();
        if let TokenKind::Name(text) = self.peek()
            && self.names.constants.contains(text)
        {
            let name = Name { text: text.clone(), span };
            let checked = !self.token().argument;
            self.bump();
            return Some(Expr::new(ExprKind::Constant { name, checked }, span));
        }
        let value = self.number(what)?;
        Some(Expr::new(ExprKind::Number(value), span))
    }

    /// SPIN reads decimal digits into a C `int`.
    fn number_value(&mut self, text: &str, span: Span) -> Option<i32> {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            self.report(
                Diagnostic::error("scan.number", span, format!("`{text}` is no number"))
                    .help("Promela has decimal numbers only"),
            );
            self.bump();
            return None;
        }
        let value = text.parse::<i64>().unwrap_or(i64::MAX);
        if i32::try_from(value).is_err() {
            let read = value as i32;
            self.report(
                Diagnostic::warning("scan.number.range", span, format!("`{text}` is read as {read}"))
                    .help("numbers have 32 bits: at most 2147483647"),
            );
        }
        Some(value as i32)
    }

    /// `priority 5`
    #[expect(clippy::option_option, reason = "none is an error, some none is no priority")]
    pub(super) fn opt_priority(&mut self) -> Option<Option<Expr>> {
        if !self.eat_word("priority") {
            return Some(None);
        }
        Some(Some(self.literal("a priority")?))
    }
}
