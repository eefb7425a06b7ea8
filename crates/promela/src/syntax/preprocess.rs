//! The preprocessor: directives, conditional groups and included files; the subset of C's that models use.
//!
//! SPIN hands a model to the C compiler's preprocessor first. This one works on tokens that know their
//! place, so that a message about an expanded macro points at the line the author wrote. Macro expansion
//! itself is in `expand`, the arithmetic of `#if` in `condition`.

use std::sync::Arc;

use parse::Messages;
use rustc_hash::FxHashMap;
use source::{Diagnostic, FileId, Loader, NoFiles, SourceMap, Span, paths};

use super::macros::{Macro, Macros};
use super::scan::{scan, too_large};
use super::token::{Punct, Token, TokenKind};
use crate::limits;

/// What the command line says to the preprocessor.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// `-D name` and `-D name=text`; a name without text is 1.
    pub defines: Vec<(String, Option<String>)>,
    /// `-U name`, after the definitions.
    pub undefines: Vec<String>,
    /// `-I folder`, in order.
    pub includes: Vec<String>,
}

/// The tokens of a model after preprocessing, ending with [`TokenKind::End`], and the macros left.
pub struct Preprocessed {
    pub tokens: Vec<Token>,
    pub macros: Macros,
}

/// Runs the preprocessor over a text that is already in the map.
pub fn preprocess(
    file: FileId,
    loader: &dyn Loader,
    options: &Options,
    map: &mut SourceMap,
) -> (Preprocessed, Vec<Diagnostic>) {
    let mut preprocessor = Preprocessor::new(loader, options, map, Macros::default());
    preprocessor.command_line_macros();
    preprocessor.open(file);
    preprocessor.run()
}

/// Expands a text given beside a model with the model's macros.
pub fn preprocess_with(file: FileId, macros: Macros, map: &mut SourceMap) -> (Vec<Token>, Vec<Diagnostic>) {
    let options = Options::default();
    let mut preprocessor = Preprocessor::new(&NoFiles, &options, map, macros);
    preprocessor.open(file);
    let (result, diagnostics) = preprocessor.run();
    (result.tokens, diagnostics)
}

pub(super) struct Preprocessor<'a> {
    loader: &'a dyn Loader,
    options: &'a Options,
    map: &'a mut SourceMap,
    pub(super) macros: Macros,
    pub(super) frames: Vec<Frame>,
    /// Macros whose expansion is being read.
    pub(super) disabled: Vec<Arc<str>>,
    /// Nesting of argument pre-expansion.
    pub(super) depth: u32,
    budget: usize,
    scanned: FxHashMap<String, (FileId, Arc<[Token]>)>,
    messages: Messages,
}

pub(super) enum Frame {
    File(FileFrame),
    Expansion { tokens: Vec<Token>, pos: usize, name: Option<Arc<str>> },
}

pub(super) struct FileFrame {
    pub(super) tokens: Arc<[Token]>,
    pub(super) pos: usize,
    conditions: Vec<Condition>,
    path: String,
}

/// An open `#if`.
struct Condition {
    /// The group being read is kept.
    active: bool,
    /// Some group of this `#if` has been kept, or none may be because it stands in a skipped one.
    done: bool,
    seen_else: bool,
    span: Span,
}

impl<'a> Preprocessor<'a> {
    fn new(
        loader: &'a dyn Loader,
        options: &'a Options,
        map: &'a mut SourceMap,
        macros: Macros,
    ) -> Preprocessor<'a> {
        Preprocessor {
            loader,
            options,
            map,
            macros,
            frames: Vec::new(),
            disabled: Vec::new(),
            depth: 0,
            budget: 2 * limits::TOKENS,
            scanned: FxHashMap::default(),
            messages: Messages::new(limits::ERRORS),
        }
    }

    fn run(mut self) -> (Preprocessed, Vec<Diagnostic>) {
        let end = self.end_span();
        let mut tokens = self.expand_to_end();
        if tokens.len() > limits::TOKENS {
            tokens.truncate(limits::TOKENS);
        }
        let mut last = Token::new(TokenKind::End, end);
        last.newline = true;
        tokens.push(last);
        (Preprocessed { tokens, macros: self.macros }, self.messages.into_list())
    }

    fn end_span(&self) -> Span {
        match self.frames.first() {
            Some(Frame::File(frame)) => frame.tokens.last().map(|token| token.span),
            _ => None,
        }
        .unwrap_or(Span::new(FileId(0), 0, 0))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.messages.report(diagnostic);
    }

    /// Counts work; false when there has been too much of it, which is reported once.
    pub(super) fn spend(&mut self, amount: usize, span: Span) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget = self.budget.saturating_sub(amount);
        if self.budget == 0 {
            self.report(too_large(span));
            self.frames.clear();
            return false;
        }
        true
    }

    fn command_line_macros(&mut self) {
        for (name, text) in &self.options.defines {
            let line = text.as_deref().unwrap_or("1");
            let file = self.map.add(format!("<-D {name}>"), line);
            let (mut body, diagnostics) = scan(file, line);
            for diagnostic in diagnostics {
                self.report(diagnostic);
            }
            body.retain(|token| !matches!(token.kind, TokenKind::LineEnd | TokenKind::End));
            let definition = Macro { parameters: None, variadic: false, body, span: None };
            self.macros.define(name.as_str().into(), definition);
        }
        for name in &self.options.undefines {
            self.macros.undefine(name);
        }
    }

    fn open(&mut self, file: FileId) {
        let source = self.map.file(file);
        let path = source.name.clone();
        let text = source.text.clone();
        let (tokens, diagnostics) = scan(file, &text);
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
        self.push_file(path, tokens.into());
    }

    fn push_file(&mut self, path: String, tokens: Arc<[Token]>) {
        self.frames.push(Frame::File(FileFrame { tokens, pos: 0, conditions: Vec::new(), path }));
    }

    /// The next token outside directives and skipped groups; none at the end of all input.
    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            match self.frames.last_mut()? {
                Frame::Expansion { tokens, pos, name } => {
                    if let Some(token) = tokens.get(*pos).cloned() {
                        *pos += 1;
                        return self.spend(1, token.span).then_some(token);
                    }
                    if name.is_some() {
                        self.disabled.pop();
                    }
                    self.frames.pop();
                }
                Frame::File(frame) => {
                    let Some(token) = frame.tokens.get(frame.pos).cloned() else {
                        self.frames.pop();
                        continue;
                    };
                    let active = frame.conditions.last().is_none_or(|condition| condition.active);
                    frame.pos += 1;
                    match token.kind {
                        TokenKind::End => self.close_file(),
                        TokenKind::LineEnd => {}
                        TokenKind::Hash if token.newline => self.directive(active),
                        _ if !active => {}
                        _ => {
                            if !self.spend(1, token.span) {
                                return None;
                            }
                            return Some(token);
                        }
                    }
                }
            }
        }
    }

    fn close_file(&mut self) {
        if let Some(Frame::File(frame)) = self.frames.pop() {
            for condition in frame.conditions {
                self.report(
                    Diagnostic::error(
                        "preprocess.if.unterminated",
                        condition.span,
                        "this condition is not closed",
                    )
                    .help("add the missing `#endif`"),
                );
            }
        }
    }

    /// The rest of the current line, without its end.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        if let Some(Frame::File(frame)) = self.frames.last_mut() {
            while let Some(token) = frame.tokens.get(frame.pos) {
                if token.kind == TokenKind::End {
                    break;
                }
                frame.pos += 1;
                if token.kind == TokenKind::LineEnd {
                    break;
                }
                line.push(token.clone());
            }
        }
        line
    }

    fn directive(&mut self, active: bool) {
        let line = self.rest_of_line();
        let Some(first) = line.first() else { return };
        let span = first.span;
        if !self.spend(line.len(), span) {
            return;
        }
        let rest = &line[1..];
        let name = match &first.kind {
            TokenKind::Name(name) => name.clone(),
            // `# 12 "file"` as compilers write it; places stay those of the text at hand.
            TokenKind::Number(_) => return,
            _ if !active => return,
            _ => return self.unknown_directive(span),
        };
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let keep = active && self.test(&name, span, rest);
                self.push_condition(Condition {
                    active: keep,
                    done: keep || !active,
                    seen_else: false,
                    span,
                });
            }
            "elif" => self.elif(span, rest),
            "else" => self.else_group(span),
            "endif" => {
                if self.current_conditions().and_then(Vec::pop).is_none() {
                    self.unbalanced(span, "endif");
                }
            }
            _ if !active => {}
            "define" => self.define(span, rest),
            "undef" => match rest.first().and_then(Token::name) {
                Some(name) => self.macros.undefine(&name.clone()),
                None => self.malformed(span, "undef", "#undef NAME"),
            },
            "include" => self.include(span, rest),
            "error" => {
                let text = self.line_text(rest);
                let text = if text.is_empty() { "#error".to_string() } else { text };
                self.report(Diagnostic::error("preprocess.error", span, text));
            }
            "warning" => {
                let text = self.line_text(rest);
                self.report(Diagnostic::warning("preprocess.warning", span, text));
            }
            "line" | "pragma" | "ident" => {}
            _ => self.unknown_directive(span),
        }
    }

    fn unknown_directive(&mut self, span: Span) {
        self.report(
            Diagnostic::error("preprocess.directive.unknown", span, "this is no preprocessor directive")
                .help("known are define, undef, if, ifdef, ifndef, elif, else, endif, include, error, warning, line and pragma"),
        );
    }

    fn malformed(&mut self, span: Span, directive: &str, usage: &str) {
        self.report(
            Diagnostic::error("preprocess.directive.malformed", span, format!("malformed `#{directive}`"))
                .help(format!("write `{usage}`")),
        );
    }

    fn unbalanced(&mut self, span: Span, directive: &str) {
        self.report(
            Diagnostic::error(
                "preprocess.if.unbalanced",
                span,
                format!("`#{directive}` without an open `#if` in this file"),
            )
            .help("remove it or add the `#if` it belongs to"),
        );
    }

    fn current_conditions(&mut self) -> Option<&mut Vec<Condition>> {
        match self.frames.last_mut() {
            Some(Frame::File(frame)) => Some(&mut frame.conditions),
            _ => None,
        }
    }

    fn push_condition(&mut self, condition: Condition) {
        if let Some(conditions) = self.current_conditions() {
            conditions.push(condition);
        }
    }

    fn test(&mut self, directive: &str, span: Span, rest: &[Token]) -> bool {
        if directive == "if" {
            return self.evaluate(span, rest);
        }
        match rest.first().and_then(Token::name) {
            Some(name) => self.macros.is_defined(name) == (directive == "ifdef"),
            None => {
                self.malformed(span, directive, &format!("#{directive} NAME"));
                false
            }
        }
    }

    fn elif(&mut self, span: Span, rest: &[Token]) {
        let Some(condition) = self.current_conditions().and_then(|conditions| conditions.last_mut()) else {
            return self.unbalanced(span, "elif");
        };
        let late = condition.seen_else;
        let done = condition.done;
        condition.active = false;
        if late {
            return self.unbalanced(span, "elif");
        }
        if !done
            && self.evaluate(span, rest)
            && let Some(condition) = self.current_conditions().and_then(|conditions| conditions.last_mut())
        {
            condition.active = true;
            condition.done = true;
        }
    }

    fn else_group(&mut self, span: Span) {
        let late = match self.current_conditions().and_then(|conditions| conditions.last_mut()) {
            Some(condition) => {
                condition.active = !condition.done;
                condition.done = true;
                std::mem::replace(&mut condition.seen_else, true)
            }
            None => true,
        };
        if late {
            self.unbalanced(span, "else");
        }
    }

    fn define(&mut self, span: Span, rest: &[Token]) {
        let Some(name) = rest.first().and_then(Token::name).cloned() else {
            return self.malformed(span, "define", "#define NAME text");
        };
        let name_span = rest[0].span;
        if &*name == "defined" {
            return self.malformed(name_span, "define", "#define NAME text, with another name");
        }
        let mut at = 1;
        let mut parameters = None;
        let mut variadic = false;
        if rest.get(1).is_some_and(|token| token.is(Punct::LeftParen) && !token.spaced) {
            let mut names: Vec<Arc<str>> = Vec::new();
            at = 2;
            loop {
                match rest.get(at).map(|token| &token.kind) {
                    Some(TokenKind::Punct(Punct::RightParen)) if names.is_empty() || variadic => break,
                    Some(TokenKind::Name(parameter)) if !variadic && !names.contains(parameter) => {
                        names.push(parameter.clone());
                        at += 1;
                    }
                    Some(TokenKind::Punct(Punct::DotDot))
                        if rest.get(at + 1).is_some_and(|token| token.is(Punct::Dot)) =>
                    {
                        variadic = true;
                        names.push("__VA_ARGS__".into());
                        at += 2;
                    }
                    _ => return self.malformed(name_span, "define", "#define NAME(parameter, …) text"),
                }
                match rest.get(at).map(|token| &token.kind) {
                    Some(TokenKind::Punct(Punct::RightParen)) => break,
                    Some(TokenKind::Punct(Punct::Comma)) if !variadic => at += 1,
                    _ => return self.malformed(name_span, "define", "#define NAME(parameter, …) text"),
                }
            }
            at += 1;
            parameters = Some(names);
        }
        let mut body = rest[at..].to_vec();
        for token in &mut body {
            token.newline = false;
            token.soft_newline = false;
        }
        if let Some(first) = body.first_mut() {
            first.spaced = false;
        }
        let ends = [body.first(), body.last()];
        if ends.iter().flatten().any(|token| token.kind == TokenKind::HashHash) {
            return self.malformed(name_span, "define", "a ## b, with a token on both sides");
        }
        let definition = Macro { parameters, variadic, body, span: Some(name_span) };
        let same = self.macros.get(&name).is_some_and(|old| old.same_as(&definition));
        if let Some(old) = self.macros.define(name.clone(), definition).filter(|_| !same) {
            let mut diagnostic = Diagnostic::warning(
                "preprocess.macro.redefined",
                name_span,
                format!("macro `{name}` gets another definition"),
            )
            .help("`#undef` it first if that is meant");
            if let Some(before) = old.span {
                diagnostic = diagnostic.label(before, "defined here before");
            }
            self.report(diagnostic);
        }
    }

    pub(super) fn line_of(&self, span: Span) -> u32 {
        self.map.place(span).line
    }

    pub(super) fn file_name(&self, span: Span) -> String {
        self.map.file(span.file).name.clone()
    }

    /// The text of a line as written.
    fn line_text(&self, line: &[Token]) -> String {
        match (line.first(), line.last()) {
            (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).trim().to_string(),
            _ => String::new(),
        }
    }

    fn include(&mut self, span: Span, rest: &[Token]) {
        let mut line = rest.to_vec();
        if line.first().is_some_and(|token| token.name().is_some()) {
            line = self.expand_list(line);
        }
        let (wanted, beside) = match line.first().map(|token| &token.kind) {
            Some(TokenKind::Text(path)) => (path.to_string(), true),
            Some(TokenKind::Punct(Punct::Less)) => {
                let end = line.iter().position(|token| token.is(Punct::Greater));
                match end {
                    Some(end) if end > 1 => (self.line_text(&line[1..end]), false),
                    _ => return self.malformed(span, "include", "#include \"file\""),
                }
            }
            _ => return self.malformed(span, "include", "#include \"file\""),
        };
        let depth = self.frames.iter().filter(|frame| matches!(frame, Frame::File(_))).count();
        if depth >= limits::INCLUDE_DEPTH as usize {
            self.report(
                Diagnostic::error(
                    "preprocess.include.depth",
                    span,
                    format!("files are included {} levels deep", limits::INCLUDE_DEPTH),
                )
                .help("does a file include itself? guard it with `#ifndef`"),
            );
            return;
        }
        let mut candidates = Vec::new();
        if paths::is_absolute(&wanted) {
            candidates.push(wanted.clone());
        } else {
            if beside {
                candidates.push(paths::beside(self.current_path(), &wanted));
            }
            candidates.extend(self.options.includes.iter().map(|folder| paths::join(folder, &wanted)));
        }
        for path in candidates {
            if let Some((_, tokens)) = self.scanned.get(&path) {
                let tokens = tokens.clone();
                return self.push_file(path, tokens);
            }
            if let Ok(text) = self.loader.load(&path) {
                let file = self.map.add(path.clone(), text);
                let (tokens, diagnostics) = scan(file, &self.map.file(file).text);
                for diagnostic in diagnostics {
                    self.report(diagnostic);
                }
                let tokens: Arc<[Token]> = tokens.into();
                self.scanned.insert(path.clone(), (file, tokens.clone()));
                return self.push_file(path, tokens);
            }
        }
        self.report(
            Diagnostic::error("preprocess.include.missing", span, format!("cannot find `{wanted}`"))
                .help("name a folder that holds it with -I"),
        );
    }

    fn current_path(&self) -> &str {
        let path = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::File(frame) => Some(frame.path.as_str()),
            Frame::Expansion { .. } => None,
        });
        path.unwrap_or_default()
    }
}
