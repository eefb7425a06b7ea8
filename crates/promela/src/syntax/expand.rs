//! Macro expansion: arguments, `#`, `##`, and the rule that a macro does not expand inside itself.
//!
//! A macro is disabled while its own expansion is being read; a name met then is painted and never
//! expanded later (C99 6.10.3.4). Arguments are expanded on their own before they are put in.

use std::sync::Arc;

use source::{Diagnostic, Span};

use super::macros::Macro;
use super::preprocess::{Frame, Preprocessor};
use super::scan::scan;
use super::token::{Punct, Token, TokenKind};
use crate::limits;

impl Preprocessor<'_> {
    /// Reads and expands everything on the frames.
    pub(super) fn expand_to_end(&mut self) -> Vec<Token> {
        let mut output = Vec::new();
        while let Some(token) = self.next() {
            if let Some(token) = self.expand_token(token) {
                output.push(token);
                if output.len() > limits::TOKENS {
                    let span = output.last().map_or(Span::new(source::FileId(0), 0, 0), |token| token.span);
                    self.spend(usize::MAX, span);
                }
            }
        }
        output
    }

    /// Expands a list on its own, as an argument is.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let Some(span) = tokens.first().map(|token| token.span) else { return tokens };
        if self.depth >= limits::MACRO_CALL_DEPTH {
            if self.depth == limits::MACRO_CALL_DEPTH {
                self.report(
                    Diagnostic::error(
                        "preprocess.macro.nesting",
                        span,
                        format!("macro calls are nested {} levels deep", limits::MACRO_CALL_DEPTH),
                    )
                    .help("name a part of the expression with a macro or an inline of its own"),
                );
                self.depth += 1;
            }
            return tokens;
        }
        let outer =
            std::mem::replace(&mut self.frames, vec![Frame::Expansion { tokens, pos: 0, name: None }]);
        self.depth += 1;
        let output = self.expand_to_end();
        self.depth = self.depth.saturating_sub(1).min(limits::MACRO_CALL_DEPTH);
        // Out of budget: the frames were cleared to stop everything, and must stay so.
        if self.spend(1, span) {
            self.frames = outer;
        }
        output
    }

    /// The token itself where it does not start a macro call; a call puts its expansion on the frames.
    fn expand_token(&mut self, mut token: Token) -> Option<Token> {
        let Some(name) = token.name().cloned() else { return Some(token) };
        if token.painted {
            return Some(token);
        }
        let Some(definition) = self.macros.get(&name) else { return Some(self.builtin(token)) };
        if self.disabled.contains(&name) {
            token.painted = true;
            return Some(token);
        }
        let Some(parameters) = &definition.parameters else {
            let body = self.substitute(&definition, &[], token.span);
            self.push_expansion(name, body, &token);
            return None;
        };
        if !self.at_call() {
            return Some(token);
        }
        let (arguments, span) = self.arguments(&token)?;
        let expected = parameters.len();
        let arguments = fit(arguments, expected, definition.variadic);
        let Some(arguments) = arguments else {
            let mut diagnostic = Diagnostic::error(
                "preprocess.macro.arguments",
                span,
                format!("macro `{name}` takes {expected} argument{}", if expected == 1 { "" } else { "s" }),
            )
            .help("a comma inside an argument must stand between parentheses");
            if let Some(place) = definition.span {
                diagnostic = diagnostic.label(place, "defined here");
            }
            self.report(diagnostic);
            return Some(token);
        };
        let body = self.substitute(&definition, &arguments, span);
        self.push_expansion(name, body, &token);
        None
    }

    fn builtin(&self, mut token: Token) -> Token {
        if token.is_name("__LINE__") {
            // Rare enough to count line breaks on demand.
            token.kind = TokenKind::Number(self.line_of(token.span).to_string().into());
        } else if token.is_name("__FILE__") {
            token.kind = TokenKind::Text(self.file_name(token.span).into());
        }
        token
    }

    fn push_expansion(&mut self, name: Arc<str>, mut body: Vec<Token>, call: &Token) {
        if !self.spend(body.len() + 1, call.span) {
            return;
        }
        if let Some(first) = body.first_mut() {
            first.newline = call.newline;
            first.soft_newline = call.soft_newline;
            first.spaced = call.spaced;
        } else if call.newline {
            self.carry_newline();
        }
        self.disabled.push(name.clone());
        self.frames.push(Frame::Expansion { tokens: body, pos: 0, name: Some(name) });
    }

    /// A macro that expands to nothing at the start of a line leaves the line break behind.
    fn carry_newline(&mut self) {
        if let Some(Frame::Expansion { tokens, pos, .. }) = self.frames.last_mut() {
            if let Some(token) = tokens.get_mut(*pos) {
                token.newline = true;
            }
        } else if let Some(Frame::File(frame)) = self.frames.last_mut() {
            let Some(token) = frame.tokens.get(frame.pos) else { return };
            if !token.newline && !matches!(token.kind, TokenKind::LineEnd | TokenKind::End) {
                let mut token = token.clone();
                token.newline = true;
                frame.pos += 1;
                self.frames.push(Frame::Expansion { tokens: vec![token], pos: 0, name: None });
            }
        }
    }

    /// Whether the next token, across line ends and ends of expansions, opens a call.
    fn at_call(&self) -> bool {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Expansion { tokens, pos, .. } => {
                    if let Some(token) = tokens.get(*pos) {
                        return token.is(Punct::LeftParen);
                    }
                }
                Frame::File(frame) => {
                    let rest = frame.tokens.get(frame.pos..).unwrap_or(&[]);
                    let next = rest.iter().find(|token| token.kind != TokenKind::LineEnd);
                    return next.is_some_and(|token| token.is(Punct::LeftParen));
                }
            }
        }
        false
    }

    /// The arguments of a call whose name has been read, and the span of the whole call.
    fn arguments(&mut self, name: &Token) -> Option<(Vec<Vec<Token>>, Span)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let Some(mut token) = self.next() else {
                self.report(
                    Diagnostic::error(
                        "preprocess.macro.unterminated",
                        name.span,
                        format!("the arguments of macro `{}` do not end", name.kind.spelling()),
                    )
                    .help("close the parenthesis"),
                );
                return None;
            };
            if token.newline {
                token.newline = false;
                token.spaced = true;
            }
            token.soft_newline = false;
            match token.kind {
                TokenKind::Punct(Punct::LeftParen) => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::Punct(Punct::RightParen) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some((arguments, name.span.to(token.span)));
                    }
                }
                TokenKind::Punct(Punct::Comma) if depth == 1 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
    }

    /// The body with arguments put in and pasted, all at the place of the call.
    fn substitute(&mut self, definition: &Macro, arguments: &[Vec<Token>], span: Span) -> Vec<Token> {
        let parameter_of = |token: &Token| {
            let name = token.name()?;
            definition.parameters.as_ref()?.iter().position(|parameter| parameter == name)
        };
        let body = &definition.body;
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut output: Vec<Token> = Vec::new();
        let mut at = 0;
        let mut paste = false;
        while let Some(token) = body.get(at) {
            at += 1;
            if token.kind == TokenKind::HashHash && at > 1 {
                paste = true;
                continue;
            }
            let pasted_next = body.get(at).is_some_and(|next| next.kind == TokenKind::HashHash);
            let mut piece: Vec<Token>;
            let stringified = body.get(at).filter(|_| token.kind == TokenKind::Hash);
            if let Some(index) =
                stringified.and_then(parameter_of).filter(|_| definition.parameters.is_some())
            {
                at += 1;
                let text = spell(arguments.get(index).map_or(&[], Vec::as_slice));
                let text = text.replace('\\', "\\\\").replace('"', "\\\"");
                piece = vec![Token::new(TokenKind::Text(text.into()), span)];
            } else if let Some(index) = parameter_of(token) {
                let raw = arguments.get(index).map_or(&[][..], Vec::as_slice);
                piece = if paste || pasted_next {
                    raw.to_vec()
                } else {
                    let list = match expanded.get(index).cloned().flatten() {
                        Some(list) => list,
                        None => {
                            let list = self.expand_list(raw.to_vec());
                            if let Some(slot) = expanded.get_mut(index) {
                                *slot = Some(list.clone());
                            }
                            list
                        }
                    };
                    if !self.spend(list.len(), span) {
                        return Vec::new();
                    }
                    list
                };
            } else {
                let mut copy = token.clone();
                copy.span = span;
                piece = vec![copy];
            }
            if let Some(first) = piece.first_mut() {
                first.spaced = token.spaced;
            }
            if paste {
                paste = false;
                self.paste(&mut output, piece, span);
            } else {
                output.append(&mut piece);
            }
            if output.len() > limits::TOKENS {
                self.spend(usize::MAX, span);
                return Vec::new();
            }
        }
        output
    }

    /// `##`: the last token so far and the first of the piece become one.
    fn paste(&mut self, output: &mut Vec<Token>, piece: Vec<Token>, span: Span) {
        let mut piece = piece.into_iter();
        let Some(right) = piece.next() else { return };
        let Some(left) = output.pop() else {
            output.push(right);
            output.extend(piece);
            return;
        };
        let text = left.kind.spelling() + &right.kind.spelling();
        let (tokens, _) = scan(span.file, &text);
        match tokens.first() {
            Some(token) if tokens.len() == 3 && !matches!(token.kind, TokenKind::Bad(_)) => {
                let mut token = Token::new(token.kind.clone(), span);
                token.spaced = left.spaced;
                output.push(token);
            }
            _ => {
                self.report(
                    Diagnostic::error("preprocess.paste", span, format!("`{text}` is not one token"))
                        .help("`##` must join two pieces into a single name, number or operator"),
                );
                output.push(left);
                output.push(right);
            }
        }
        output.extend(piece);
    }
}

/// Arguments brought to the number of parameters, none where that cannot be done.
fn fit(mut arguments: Vec<Vec<Token>>, expected: usize, variadic: bool) -> Option<Vec<Vec<Token>>> {
    if expected == 0 && arguments.len() == 1 && arguments[0].is_empty() {
        return Some(Vec::new());
    }
    if variadic {
        if arguments.len() + 1 == expected {
            arguments.push(Vec::new());
        }
        while arguments.len() > expected && expected > 0 {
            let tail = arguments.remove(expected);
            let rest = &mut arguments[expected - 1];
            if let Some(span) = tail.first().or(rest.last()).map(|token| token.span) {
                rest.push(Token::new(TokenKind::Punct(Punct::Comma), span));
            }
            rest.extend(tail);
        }
    }
    (arguments.len() == expected).then_some(arguments)
}

fn spell(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        if index > 0 && token.spaced {
            text.push(' ');
        }
        text.push_str(&token.kind.spelling());
    }
    text
}
