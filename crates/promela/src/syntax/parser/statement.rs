//! Bodies, steps and statements.

use parse::Reader;
use source::{Diagnostic, Span};

use super::super::token::{Punct, TokenKind};
use super::super::tree::{Block, Expr, ExprKind, For, Name, Select, Step, Stmt, StmtKind};
use super::{Parser, Previous};

impl Parser {
    /// The braces of a process: line breaks inside may be semicolons.
    pub(super) fn body(&mut self) -> Option<Block> {
        if !self.at(Punct::LeftBrace) {
            return self.unexpected(Punct::LeftBrace);
        }
        self.previous = Previous::Other;
        self.in_sequence = true;
        let block = self.nested(Parser::block);
        self.in_sequence = false;
        block
    }

    #[inline(never)]
    pub(super) fn block(&mut self) -> Option<Block> {
        let start = self.span();
        self.expect(Punct::LeftBrace)?;
        let parens = std::mem::replace(&mut self.parens, 0);
        let mut steps = self.sequence()?;
        self.parens = parens;
        while !self.at(Punct::RightBrace) {
            self.report_open_brace(start);
            if self.at_end() {
                return None;
            }
            // A stray `fi`, `od` or `::`: the block goes on behind it.
            self.bump();
            self.eat(Punct::Semicolon);
            if !self.at_terminator() {
                steps.extend(self.sequence()?);
            }
        }
        // Reached without an inserted semicolon in between.
        self.bump();
        self.previous = Previous::Brace;
        Some(Block { steps, span: self.since(start) })
    }

    #[inline(never)]
    fn report_open_brace(&mut self, start: Span) {
        let found = self.peek().describe();
        let place = self.span();
        self.report(
            Diagnostic::error("parse.unexpected", place, format!("`}}` expected, found {found}"))
                .at("`}` expected")
                .label(start, "to close this brace")
                .help("is a `fi`, an `od` or a brace missing or too many?"),
        );
    }

    #[inline(never)]
    fn report_separator(&mut self) {
        let found = self.peek().describe();
        let place = self.span();
        let end = self.previous_span();
        self.report(
            Diagnostic::error("parse.separator", place, format!("`;` expected, found {found}"))
                .at("`;` expected before this")
                .label(end, "the statement ends here")
                .help("separate statements with `;` or `->`"),
        );
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            TokenKind::End | TokenKind::Punct(Punct::RightBrace | Punct::ColonColon) => true,
            TokenKind::Name(word) => matches!(&**word, "fi" | "od"),
            _ => false,
        }
    }

    fn at_separator(&self) -> bool {
        self.at(Punct::Semicolon) || self.at(Punct::Arrow)
    }

    /// Steps up to a closing brace, `::`, `fi` or `od`.
    #[inline(never)]
    pub(super) fn sequence(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        if self.at_terminator() || self.at_separator() {
            let span = self.span();
            if !self.at_end() {
                self.report(
                    Diagnostic::error("parse.sequence.empty", span, "a statement is missing here")
                        .help("write `skip` for a step that does nothing"),
                );
            }
            while self.at_separator() {
                self.bump();
            }
        }
        while !self.at_terminator() {
            let before = (self.position(), self.previous);
            match self.step() {
                Some(step) => steps.push(step),
                None => self.recover_step(before == (self.position(), self.previous)),
            }
            let mut separated = false;
            while self.at_separator() {
                self.bump();
                separated = true;
            }
            let soft = self.token().soft_newline && self.previous == Previous::Ending;
            let tolerated = separated || soft || matches!(self.previous, Previous::Brace | Previous::Else);
            if !tolerated && !self.at_terminator() {
                self.report_separator();
                if self.word().is_none() {
                    self.recover_step(true);
                    while self.at_separator() {
                        self.bump();
                    }
                }
            }
        }
        Some(steps)
    }

    /// Skips the rest of a faulty step.
    #[inline(never)]
    fn recover_step(&mut self, force: bool) {
        let mut braces = 0u32;
        let mut selections = 0u32;
        let mut force = force;
        self.parens = 0;
        while !self.at_end() {
            match self.peek() {
                TokenKind::Punct(Punct::LeftBrace) => braces += 1,
                TokenKind::Punct(Punct::RightBrace) if braces > 0 => braces -= 1,
                TokenKind::Punct(Punct::RightBrace) => return,
                TokenKind::Name(word) if matches!(&**word, "if" | "do") => selections += 1,
                TokenKind::Name(word) if matches!(&**word, "fi" | "od") => {
                    if selections == 0 {
                        return;
                    }
                    selections -= 1;
                }
                TokenKind::Punct(Punct::ColonColon) if braces == 0 && selections == 0 => return,
                TokenKind::Punct(Punct::Semicolon | Punct::Arrow)
                    if braces == 0 && selections == 0 && !force =>
                {
                    return;
                }
                _ => {}
            }
            force = false;
            self.bump();
        }
    }

    #[inline(never)]
    fn step(&mut self) -> Option<Step> {
        if let Some(receive) = match self.word() {
            Some("xr") => Some(true),
            Some("xs") => Some(false),
            _ => None,
        } {
            let start = self.span();
            self.bump();
            let mut channels = Vec::new();
            loop {
                channels.push(self.reference()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            return Some(Step::Exclusive { receive, channels, span: self.since(start) });
        }
        if self.at_declaration() {
            if self.at_mtype_list() {
                return Some(Step::Mtype(self.mtype_list()?));
            }
            return Some(Step::Declare(self.variables(true)?));
        }
        let start = self.span();
        let stmt = self.statement()?;
        if !self.eat_word("unless") {
            return Some(Step::Stmt(stmt));
        }
        let escape = self.statement()?;
        let kind = StmtKind::Unless { main: Box::new(stmt), escape: Box::new(escape) };
        Some(Step::Stmt(Stmt { kind, span: self.since(start), call: self.call() }))
    }

    fn statement(&mut self) -> Option<Stmt> {
        self.nested(Parser::statement_unbounded)
    }

    #[inline(never)]
    fn statement_unbounded(&mut self) -> Option<Stmt> {
        let start = self.span();
        if self.at_label() {
            let name = self.name("a label")?;
            self.expect(Punct::Colon)?;
            return self.labelled(name, start);
        }
        if self.at_inline_call() {
            self.event_only(start);
            return self.inline_call(start, None);
        }
        let word = match self.peek() {
            TokenKind::Name(word) => word.clone(),
            TokenKind::Punct(Punct::LeftBrace) => "{".into(),
            _ => "".into(),
        };
        let kind = match &*word {
            "if" => self.selection("if", "fi").map(StmtKind::If),
            "do" => self.selection("do", "od").map(StmtKind::Do),
            "for" => self.for_loop(),
            "select" => self.select(),
            "goto" => {
                self.bump();
                self.name("a label").map(StmtKind::Goto)
            }
            "break" => {
                self.bump();
                Some(StmtKind::Break)
            }
            "{" => {
                self.event_only(start);
                self.block().map(StmtKind::Block)
            }
            "atomic" | "d_step" => {
                self.event_only(start);
                self.bump();
                let block = self.block()?;
                Some(if &*word == "atomic" { StmtKind::Atomic(block) } else { StmtKind::DStep(block) })
            }
            "else" => {
                self.event_only(start);
                self.bump();
                Some(StmtKind::Else)
            }
            "assert" => {
                self.event_only(start);
                self.bump();
                self.expression().map(StmtKind::Assert)
            }
            "printf" | "printm" | "set_priority" => {
                self.event_only(start);
                self.built_in(&word)
            }
            "return" => {
                self.event_only(start);
                self.return_statement(start)
            }
            "c_code" | "c_decl" => {
                self.embedded_c();
                self.previous = Previous::Brace;
                Some(StmtKind::Error)
            }
            _ => self.simple_statement(start),
        }?;
        Some(Stmt { kind, span: self.since(start), call: self.call() })
    }

    /// In a trace only sends, receives and control flow may stand.
    #[inline(never)]
    pub(super) fn event_only(&mut self, span: Span) {
        if self.in_trace {
            self.report(
                Diagnostic::error("trace.event", span, "this is no event")
                    .help("a trace consists of sends `q!x`, receives `q?x` and control flow"),
            );
        }
    }

    fn at_label(&self) -> bool {
        let Some(word) = self.word() else { return false };
        let next = self.ahead(1);
        let ended = self.in_sequence && self.parens == 0 && next.newline;
        let other = super::is_keyword(word)
            || self.names.processes.contains(word)
            || self.names.constants.contains(word);
        next.is(Punct::Colon) && !ended && !other
    }

    #[inline(never)]
    fn labelled(&mut self, name: Name, start: Span) -> Option<Stmt> {
        if matches!(self.word(), Some("xr" | "xs")) || self.at_declaration() {
            self.report(
                Diagnostic::error(
                    "label.declaration",
                    name.span,
                    format!("label `{}` stands before a declaration", name.text),
                )
                .help("a label belongs to a statement; put it after the declaration"),
            );
            return None;
        }
        // A label may be the last thing in a sequence: it stands on a `skip` then.
        let stmt = if self.at_terminator() || self.at_separator() || self.at_word("unless") {
            let kind = StmtKind::Expr(Expr::new(ExprKind::Number(1), name.span));
            Stmt { kind, span: name.span, call: self.call() }
        } else {
            self.statement()?
        };
        let kind = StmtKind::Label { name, stmt: Box::new(stmt) };
        Some(Stmt { kind, span: self.since(start), call: self.call() })
    }

    #[inline(never)]
    fn selection(&mut self, open: &str, close: &str) -> Option<Vec<Block>> {
        let start = self.span();
        self.bump();
        let parens = std::mem::replace(&mut self.parens, 0);
        let mut options = Vec::new();
        while self.at(Punct::ColonColon) {
            let option = self.span();
            self.bump();
            let steps = self.sequence()?;
            options.push(Block { steps, span: self.since(option) });
        }
        self.parens = parens;
        if options.is_empty() {
            let close_follows = self.at_word(close);
            self.unexpected::<()>("`::`");
            if close_follows {
                self.bump();
            }
            return None;
        }
        if !self.at_word(close) {
            let found = self.peek().describe();
            let place = self.span();
            self.report(
                Diagnostic::error("parse.unexpected", place, format!("`{close}` expected, found {found}"))
                    .at(format!("`{close}` expected"))
                    .label(start, format!("to close this `{open}`"))
                    .help(format!("`{open}` ends with `{close}`")),
            );
            return None;
        }
        self.bump();
        Some(options)
    }

    #[inline(never)]
    fn for_loop(&mut self) -> Option<StmtKind> {
        self.bump();
        self.open_paren()?;
        let variable = self.reference()?;
        let header = if self.eat_word("in") {
            let container = self.reference()?;
            For::In { variable, container }
        } else {
            self.expect(Punct::Colon)?;
            let from = self.expression()?;
            self.expect(Punct::DotDot)?;
            let to = self.expression()?;
            For::Range { variable, from, to }
        };
        self.close_paren()?;
        self.eat(Punct::Semicolon);
        let body = self.block()?;
        Some(StmtKind::For { header: Box::new(header), body })
    }

    #[inline(never)]
    fn select(&mut self) -> Option<StmtKind> {
        let textual = self.at_textual_select();
        self.bump();
        self.open_paren()?;
        let target = self.reference()?;
        self.expect(Punct::Colon)?;
        let from = self.expression()?;
        self.expect(Punct::DotDot)?;
        let to = self.expression()?;
        self.close_paren()?;
        Some(StmtKind::Select(Box::new(Select { target, from, to, textual })))
    }

    /// SPIN's lexer expands `select (name : 1 .. 3)` where name and bounds are plain, outside inlines.
    #[inline(never)]
    fn at_textual_select(&self) -> bool {
        let part = |distance: usize| self.ahead(distance);
        let literal = |distance: usize| matches!(part(distance).kind, TokenKind::Number(_));
        self.stack.is_empty()
            && part(1).is(Punct::LeftParen)
            && part(2).name().is_some_and(|name| !name.contains('_'))
            && part(3).is(Punct::Colon)
            && literal(4)
            && part(5).is(Punct::DotDot)
            && literal(6)
            && part(7).is(Punct::RightParen)
            && (2..=7).all(|distance| !part(distance).newline)
    }

    #[inline(never)]
    fn built_in(&mut self, word: &str) -> Option<StmtKind> {
        self.bump();
        self.open_paren()?;
        let kind = match word {
            "printf" => {
                let TokenKind::Text(format) = self.peek() else { return self.unexpected("a string") };
                let format = format.clone();
                self.bump();
                let mut arguments = Vec::new();
                while self.eat(Punct::Comma) {
                    arguments.push(self.expression()?);
                }
                StmtKind::Printf { format, arguments }
            }
            "printm" => StmtKind::Printm(self.expression()?),
            _ => {
                let pid = self.expression()?;
                self.expect(Punct::Comma)?;
                StmtKind::SetPriority(Box::new((pid, self.expression()?)))
            }
        };
        self.close_paren()?;
        Some(kind)
    }

    #[inline(never)]
    fn return_statement(&mut self, start: Span) -> Option<StmtKind> {
        self.bump();
        let value = self.expression()?;
        match self.stack.last().and_then(|top| top.target.clone()) {
            Some(target) => Some(StmtKind::Return { target, value }),
            None => {
                let span = self.since(start);
                let message = if self.stack.is_empty() {
                    "`return` outside an inline"
                } else {
                    "`return` in an inline whose value is not used"
                };
                self.report(
                    Diagnostic::error("inline.return", span, message)
                        .help("a value is returned to a call of the form `x = f(…)`"),
                );
                Some(StmtKind::Error)
            }
        }
    }
}
