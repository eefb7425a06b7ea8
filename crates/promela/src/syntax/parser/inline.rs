//! Inlines: definition, and expansion of a call by putting the actual parameters' tokens into the body.
//!
//! As in SPIN an inline is text: a parameter is replaced wherever its name stands, without parentheses
//! around it, names in the body mean what they mean at the call, and the body is a block of its own.

use std::sync::Arc;

use parse::{Cursor, Reader};
use source::{Diagnostic, Span};

use super::super::token::{Punct, Token, TokenKind};
use super::super::tree::{Block, Call, Name, Reference, Stmt, StmtKind};
use super::{Expanding, Parser, Previous};
use crate::limits;

#[derive(Debug)]
pub(super) struct Inline {
    parameters: Vec<Arc<str>>,
    /// With its braces.
    body: Vec<Token>,
    span: Span,
}

impl Parser {
    pub(super) fn inline_definition(&mut self) -> Option<()> {
        self.bump();
        let name = self.name("the name of the inline")?;
        self.open_paren()?;
        let mut parameters: Vec<Arc<str>> = Vec::new();
        if !self.at(Punct::RightParen) {
            loop {
                let parameter = self.name("a parameter")?;
                // The first one of a name is found in the body, as in SPIN.
                if parameters.contains(&parameter.text) {
                    self.report(
                        Diagnostic::warning(
                            "inline.parameter",
                            parameter.span,
                            format!(
                                "two parameters are called `{}`: the body means the first",
                                parameter.text
                            ),
                        )
                        .help("rename one"),
                    );
                }
                parameters.push(parameter.text);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close_paren()?;
        if !self.token().is(Punct::LeftBrace) {
            return self.unexpected(Punct::LeftBrace);
        }
        let body = self.braced_tokens()?;
        if let Some(old) = self.inlines.get(&name.text) {
            let diagnostic = Diagnostic::error(
                "name.redeclared",
                name.span,
                format!("inline `{}` is defined twice", name.text),
            )
            .label(old.span, "defined here before")
            .help("rename one");
            self.report(diagnostic);
        }
        let taken = self.names.constants.contains(&name.text)
            || self.names.types.contains(&name.text)
            || self.names.processes.contains(&name.text);
        if taken {
            self.report(
                Diagnostic::error(
                    "name.redeclared",
                    name.span,
                    format!("`{}` already has another meaning", name.text),
                )
                .help("choose another name for the inline"),
            );
        }
        self.inlines.insert(name.text, Arc::new(Inline { parameters, body, span: name.span }));
        Some(())
    }

    pub(super) fn at_inline_call(&self) -> bool {
        self.word().is_some_and(|word| self.inlines.contains_key(word))
    }

    /// `f(a, b)`, with the place a `return` assigns to.
    #[inline(never)]
    pub(super) fn inline_call(&mut self, start: Span, target: Option<Reference>) -> Option<Stmt> {
        let name = self.name("an inline")?;
        let inline = self.inlines.get(&name.text)?.clone();
        let arguments = self.inline_arguments(&name)?;
        let span = self.since(start);
        if arguments.len() != inline.parameters.len() {
            let expected = inline.parameters.len();
            let plural = if expected == 1 { "" } else { "s" };
            self.report(
                Diagnostic::error(
                    "inline.arguments",
                    span,
                    format!(
                        "inline `{}` takes {expected} parameter{plural}, not {}",
                        name.text,
                        arguments.len()
                    ),
                )
                .label(inline.span, "defined here")
                .help("give as many as the definition names"),
            );
            return Some(Stmt { kind: StmtKind::Error, span, call: self.call() });
        }
        if self.stack.iter().any(|outer| outer.name == name.text) {
            self.report(
                Diagnostic::error("inline.cycle", span, format!("inline `{}` calls itself", name.text))
                    .label(inline.span, "defined here")
                    .help("use a proctype, or a loop"),
            );
            return Some(Stmt { kind: StmtKind::Error, span, call: self.call() });
        }
        if self.stack.len() >= limits::INLINE_DEPTH {
            self.report(
                Diagnostic::error(
                    "inline.nesting",
                    span,
                    format!("inlines are nested more than {} levels deep", limits::INLINE_DEPTH),
                )
                .help("put parts together into one inline"),
            );
            return Some(Stmt { kind: StmtKind::Error, span, call: self.call() });
        }
        let body = self.substitute(&inline, &arguments, span)?;
        let parent = self.call();
        let call = self.module.calls.len() as u32;
        self.module.calls.push(Call { name: name.clone(), span, parent });
        let block = self.expand(name, call, target, body)?;
        Some(Stmt { kind: StmtKind::Inline { call, body: block }, span, call: parent })
    }

    #[inline(never)]
    fn expand(
        &mut self,
        name: Name,
        call: u32,
        target: Option<Reference>,
        body: Vec<Token>,
    ) -> Option<Block> {
        let span = self.previous_span();
        let outside = std::mem::replace(&mut self.reading.cursor, Cursor::new(body, span));
        self.previous = Previous::Other;
        self.stack.push(Expanding { name: name.text, call, target });
        let block = self.nested(Parser::block);
        self.stack.pop();
        self.reading.cursor = outside;
        self.previous = Previous::Brace;
        // What was wrong inside has been reported and does not concern the text after the call.
        Some(block.unwrap_or(Block { steps: Vec::new(), span }))
    }

    #[inline(never)]
    fn inline_arguments(&mut self, name: &Name) -> Option<Vec<Vec<Token>>> {
        if !self.token().is(Punct::LeftParen) {
            return self.unexpected(Punct::LeftParen);
        }
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::Punct(Punct::LeftParen) => {
                    depth += 1;
                    self.skip_token();
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::Punct(Punct::RightParen) => {
                    depth -= 1;
                    self.skip_token();
                    if depth == 0 {
                        break;
                    }
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 => {
                    self.skip_token();
                    arguments.push(Vec::new());
                    continue;
                }
                TokenKind::End
                | TokenKind::Punct(
                    Punct::Semicolon | Punct::LeftBrace | Punct::RightBrace | Punct::ColonColon,
                ) => {
                    self.report(
                        Diagnostic::error(
                            "inline.arguments",
                            name.span,
                            format!("the parameters of inline `{}` do not end", name.text),
                        )
                        .help("close the parenthesis; a parameter is an expression"),
                    );
                    return None;
                }
                _ => self.skip_token(),
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if let Some(position) = arguments.iter().position(Vec::is_empty) {
            let span = self.since(name.span);
            self.report(
                Diagnostic::error("inline.arguments", span, format!("parameter {} is empty", position + 1))
                    .help("a parameter is an expression"),
            );
            return None;
        }
        Some(arguments)
    }

    #[inline(never)]
    fn substitute(&mut self, inline: &Inline, arguments: &[Vec<Token>], span: Span) -> Option<Vec<Token>> {
        let mut output: Vec<Token> = Vec::with_capacity(inline.body.len() + 1);
        for token in &inline.body {
            let index = token
                .name()
                .and_then(|name| inline.parameters.iter().position(|parameter| parameter == name));
            let Some(index) = index else {
                output.push(token.clone());
                continue;
            };
            self.spend(arguments[index].len(), span)?;
            for (place, argument) in arguments[index].iter().enumerate() {
                let mut argument = argument.clone();
                argument.newline = place == 0 && token.newline;
                argument.soft_newline = false;
                argument.spaced = if place == 0 { token.spaced } else { argument.spaced };
                argument.argument = true;
                // Messages point at the parameter; the call is a second label.
                argument.span = token.span;
                output.push(argument);
            }
        }
        self.spend(output.len(), span)?;
        output.push(Token::new(TokenKind::End, span));
        Some(output)
    }
}
