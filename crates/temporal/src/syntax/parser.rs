//! From text to a formula, by precedence climbing, with recovery so that one run reports several mistakes.
//!
//! SPIN: `-> <->` bind weaker than `||`, that weaker than `&&`, that weaker than `U V W`, and unary operators
//! strongest; all to the left (`spin.y`). Spot: `-> <->` (right), `^`, `|`, `&`, `U R W M` (right), unary.
//! Nesting is bounded by [`limits::DEPTH`], so recursion is too.

use source::{Diagnostic, FileId, Span};

use super::Dialect;
use super::lexer::{Kind, Token, tokenise};
use crate::formula::{Formula, FormulaStore};
use crate::limits;

/// Reads one formula. It is meaningful only if no diagnostic is an error.
pub fn parse(
    store: &mut FormulaStore,
    file: FileId,
    text: &str,
    dialect: Dialect,
) -> (Formula, Vec<Diagnostic>) {
    let (tokens, diagnostics) = tokenise(file, text, dialect);
    let mut parser = Parser {
        store,
        file,
        text,
        dialect,
        closing: matching_parentheses(&tokens),
        logical: logical_prefix(&tokens),
        tokens,
        at: 0,
        nesting: 0,
        too_deep: false,
        diagnostics,
    };
    let formula = parser.formula();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().map(|span| span.start));
    (formula, parse::bounded(diagnostics, limits::MESSAGES))
}

/// For every opening parenthesis or bracket the index of the token that closes it.
fn matching_parentheses(tokens: &[Token]) -> Vec<usize> {
    let mut closing = vec![usize::MAX; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::OpenParenthesis | Kind::OpenBracket => open.push(index),
            Kind::CloseParenthesis | Kind::CloseBracket => {
                if let Some(start) = open.pop() {
                    closing[start] = index;
                }
            }
            _ => {}
        }
    }
    closing
}

/// How many tokens before an index belong to the logic and not to an expression of the modelling language.
fn logical_prefix(tokens: &[Token]) -> Vec<u32> {
    let mut count = 0;
    let mut prefix = vec![0];
    for token in tokens {
        count += !matches!(
            token.kind,
            Kind::OpenParenthesis
                | Kind::CloseParenthesis
                | Kind::OpenBracket
                | Kind::CloseBracket
                | Kind::Word
                | Kind::Number
                | Kind::Connector
                | Kind::Suffix
        ) as u32;
        prefix.push(count);
    }
    prefix
}

struct Parser<'s, 't> {
    store: &'s mut FormulaStore,
    file: FileId,
    text: &'t str,
    dialect: Dialect,
    tokens: Vec<Token>,
    closing: Vec<usize>,
    logical: Vec<u32>,
    at: usize,
    nesting: u32,
    too_deep: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Parser<'_, '_> {
    fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn kind_at(&self, index: usize) -> &Kind {
        self.tokens.get(index).map_or(&Kind::End, |token| &token.kind)
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn span(&self) -> Span {
        let token = &self.tokens[self.at];
        Span::new(self.file, token.start, token.end)
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    fn formula(&mut self) -> Formula {
        let mut formula = self.expression(0);
        while *self.kind() != Kind::End {
            self.trailing();
            // Skip to something that can continue, so that mistakes further right are reported too.
            while *self.kind() != Kind::End && self.binding().is_none() {
                self.advance();
            }
            if *self.kind() != Kind::End {
                formula = self.continue_expression(formula, 0);
            }
        }
        formula
    }

    fn trailing(&mut self) {
        let span = self.span();
        if *self.kind() == Kind::CloseParenthesis {
            let help = "remove it or add the `(` it belongs to";
            return self.error("ltl.unmatched-parenthesis", span, "this `)` closes nothing", help);
        }
        let written = self.spelling(self.at);
        let before = if self.at == 0 { "" } else { self.spelling(self.at - 1) };
        let help = match (self.dialect, before) {
            (Dialect::Spin, "F" | "G" | "R" | "M" | "GF" | "FG") => {
                "SPIN writes `<>` for F, `[]` for G and `V` for R; or read the formula in Spot's dialect"
            }
            _ => "join two formulas with an operator such as `&&`, `||`, `->` or `U`",
        };
        self.error("ltl.missing-operator", span, format!("an operator is missing before `{written}`"), help);
    }

    fn spelling(&self, index: usize) -> &str {
        self.tokens.get(index).and_then(|token| self.text.get(token.start..token.end)).unwrap_or("")
    }

    /// The strength of the binary operator at the current token and whether it associates to the right.
    fn binding(&self) -> Option<(u8, bool)> {
        let right = self.dialect == Dialect::Spot;
        Some(match self.kind() {
            Kind::Implies | Kind::Equivalent => (1, right),
            Kind::Xor => (2, false),
            Kind::Or => (3, false),
            Kind::And => (4, false),
            Kind::Until | Kind::Release | Kind::WeakUntil | Kind::StrongRelease => (5, right),
            _ => return None,
        })
    }

    fn expression(&mut self, minimum: u8) -> Formula {
        if self.nesting >= limits::DEPTH {
            self.report_depth();
            // Nothing below can be read in order any more.
            self.at = self.tokens.len() - 1;
            return self.store.verum();
        }
        self.nesting += 1;
        let left = self.unary();
        let formula = self.continue_expression(left, minimum);
        self.nesting -= 1;
        formula
    }

    fn continue_expression(&mut self, mut left: Formula, minimum: u8) -> Formula {
        while let Some((strength, right_associative)) = self.binding() {
            if strength < minimum {
                break;
            }
            let operator = self.kind().clone();
            self.advance();
            let right = self.expression(strength + !right_associative as u8);
            left = match operator {
                Kind::Implies => self.store.implies(left, right),
                Kind::Equivalent => self.store.equivalent(left, right),
                Kind::Xor => self.store.xor(left, right),
                Kind::Or => self.store.or([left, right]),
                Kind::And => self.store.and([left, right]),
                Kind::Until => self.store.until(left, right),
                Kind::Release => self.store.release(left, right),
                Kind::WeakUntil => self.store.weak_until(left, right),
                _ => self.store.strong_release(left, right),
            };
            left = self.within_depth(left);
        }
        left
    }

    fn within_depth(&mut self, formula: Formula) -> Formula {
        if self.store.depth(formula) <= limits::DEPTH {
            return formula;
        }
        self.report_depth();
        self.store.verum()
    }

    fn report_depth(&mut self) {
        if !self.too_deep {
            self.too_deep = true;
            let span = self.span();
            let message = format!("the formula is nested more than {} levels deep", limits::DEPTH);
            self.error("ltl.too-deep", span, message, "split the property into several smaller ones");
        }
    }

    fn unary(&mut self) -> Formula {
        // Prefix operators are collected in a list, so that a long row of them needs no stack.
        let mut prefixes = Vec::new();
        while matches!(self.kind(), Kind::Not | Kind::Next | Kind::Eventually | Kind::Always) {
            let operator = self.kind().clone();
            self.advance();
            let bounds = if self.dialect == Dialect::Spot { self.bounds(&operator) } else { Bounds::None };
            prefixes.push((operator, bounds));
        }
        let operand_start = self.at;
        let mut formula = self.primary();
        if self.dialect == Dialect::Spin && !prefixes.is_empty() {
            self.warn_about_connectors(operand_start);
        }
        for (operator, bounds) in prefixes.into_iter().rev() {
            formula = match (operator, bounds) {
                (Kind::Not, _) => self.store.not(formula),
                (Kind::Next, Bounds::Range(times, _)) => self.store.next_times(times, formula),
                (Kind::Next, _) => self.store.next(formula),
                (operator, Bounds::None) => self.unbounded(&operator, formula),
                (operator, Bounds::Range(from, to)) => self.bounded(&operator, formula, from, to),
            };
            formula = self.within_depth(formula);
        }
        formula
    }

    fn unbounded(&mut self, operator: &Kind, formula: Formula) -> Formula {
        if *operator == Kind::Eventually {
            self.store.eventually(formula)
        } else {
            self.store.always(formula)
        }
    }

    /// `F[i..j] f` is `X^i (f | X (f | … ))`, and `G` dually; without an upper bound the rest is unbounded.
    fn bounded(&mut self, operator: &Kind, formula: Formula, from: u32, to: Option<u32>) -> Formula {
        let Some(to) = to else {
            let inner = self.unbounded(operator, formula);
            return self.store.next_times(from, inner);
        };
        let (from, to) = (from.min(to), from.max(to));
        let mut result = formula;
        for _ in from..to {
            let later = self.store.next(result);
            let both = [formula, later];
            result = if *operator == Kind::Eventually { self.store.or(both) } else { self.store.and(both) };
        }
        self.store.next_times(from, result)
    }

    fn bounds(&mut self, operator: &Kind) -> Bounds {
        if *self.kind() != Kind::OpenBracket || *operator == Kind::Not {
            return Bounds::None;
        }
        let open = self.at;
        let close = self.closing[open];
        let start = self.tokens[open].start;
        let end = if close == usize::MAX { self.tokens[open].end } else { self.tokens[close].end };
        let content =
            self.text.get(start + 1..end.max(start + 2) - 1).unwrap_or("").replace(char::is_whitespace, "");
        let span = Span::new(self.file, start, end);
        self.at = if close == usize::MAX { open + 1 } else { close + 1 };
        if *operator == Kind::Next && content == "!" {
            return Bounds::None;
        }
        let parsed = parse_range(&content);
        let largest = parsed.map_or(0, |(from, to)| from.max(to.flatten().unwrap_or(0)));
        if largest > limits::DEPTH / 2 {
            let message = format!("bounds go up to {}", limits::DEPTH / 2);
            self.error("ltl.bad-bounds", span, message, "use the unbounded operator or a smaller bound");
            return Bounds::None;
        }
        match (operator, parsed) {
            (Kind::Next, Some((times, None))) => Bounds::Range(times, None),
            (Kind::Eventually | Kind::Always, Some((from, Some(to)))) => Bounds::Range(from, to),
            _ => {
                let help = "write X[2], F[1..3], F[2..], G[0..4]";
                self.error("ltl.bad-bounds", span, "these bounds have no meaning here", help);
                Bounds::None
            }
        }
    }

    fn warn_about_connectors(&mut self, operand_start: usize) {
        let first = &self.tokens[operand_start].kind;
        let glued = (operand_start..self.at).any(|index| *self.kind_at(index) == Kind::Connector);
        if glued && matches!(first, Kind::Word | Kind::Number | Kind::Connector) {
            let end = self.tokens[self.at - 1].end;
            let span = Span::new(self.file, self.tokens[operand_start].start, end);
            let message = "the unary operator is applied to this whole expression";
            let diagnostic = Diagnostic::warning("ltl.unary-before-expression", span, message);
            self.diagnostics.push(diagnostic.help("put parentheses around the expression to say so"));
        }
    }

    fn primary(&mut self) -> Formula {
        let span = self.span();
        match self.kind().clone() {
            Kind::True => {
                self.advance();
                self.store.verum()
            }
            Kind::False => {
                self.advance();
                self.store.falsum()
            }
            Kind::Quoted(name) if name.is_empty() => {
                self.advance();
                self.error(
                    "ltl.empty-operand",
                    span,
                    "this operand is empty",
                    "write a name or an expression",
                );
                self.store.verum()
            }
            Kind::Quoted(name) => {
                self.advance();
                let atom = self.store.named(&name);
                self.with_value(atom)
            }
            Kind::OpenParenthesis if !self.begins_expression() => self.parenthesised(),
            Kind::Word | Kind::Number | Kind::Connector | Kind::OpenParenthesis
                if self.dialect == Dialect::Spin =>
            {
                self.promela_operand()
            }
            Kind::Word => {
                let name = self.spelling(self.at).to_owned();
                self.advance();
                let atom = self.store.named(&name);
                self.with_value(atom)
            }
            Kind::Number if matches!(self.spelling(self.at), "0" | "1") => {
                let value = self.spelling(self.at) == "1";
                self.advance();
                self.store.constant(value)
            }
            _ => self.missing_operand(),
        }
    }

    /// Spot also reads `a=1` for `a` and `a=0` for `!a`.
    fn with_value(&mut self, atom: Formula) -> Formula {
        if self.dialect == Dialect::Spin || *self.kind() != Kind::Connector {
            return atom;
        }
        let value = match self.spelling(self.at + 1) {
            "0" => false,
            "1" => true,
            _ => return atom,
        };
        self.advance();
        self.advance();
        if value { atom } else { self.store.not(atom) }
    }

    fn missing_operand(&mut self) -> Formula {
        let span = self.span();
        let found = match self.kind() {
            Kind::End => "the end".to_owned(),
            _ => format!("`{}`", self.spelling(self.at)),
        };
        let message = format!("a formula is missing before {found}");
        let help =
            "an operand is a name, `true`, `false`, a formula in parentheses or an expression in braces";
        self.error("ltl.missing-operand", span, message, help);
        if self.binding().is_none() && !matches!(self.kind(), Kind::CloseParenthesis | Kind::End) {
            self.advance();
        }
        self.store.verum()
    }

    fn parenthesised(&mut self) -> Formula {
        let open = self.span();
        self.advance();
        let mut formula = self.expression(0);
        while !matches!(self.kind(), Kind::CloseParenthesis | Kind::End) {
            self.trailing();
            while !matches!(self.kind(), Kind::CloseParenthesis | Kind::End) && self.binding().is_none() {
                self.advance();
            }
            if self.binding().is_some() {
                formula = self.continue_expression(formula, 0);
            }
        }
        if *self.kind() == Kind::CloseParenthesis {
            self.advance();
        } else if !self.too_deep {
            let help = "add the missing `)`";
            self.error("ltl.unmatched-parenthesis", open, "this `(` is never closed", help);
        }
        formula
    }

    /// Whether the parenthesis here is part of an arithmetic expression, as in `(x + 1) == 2`.
    fn begins_expression(&self) -> bool {
        let close = self.closing[self.at];
        if self.dialect != Dialect::Spin || close == usize::MAX {
            return false;
        }
        let follows = matches!(self.kind_at(close + 1), Kind::Connector | Kind::Suffix);
        follows && self.logical[self.at] == self.logical[close + 1]
    }

    /// An expression of the modelling language without its own logical operators; its text is the proposition.
    fn promela_operand(&mut self) -> Formula {
        let first = self.at;
        loop {
            while *self.kind() == Kind::Connector && matches!(self.spelling(self.at), "-" | "~") {
                self.advance();
            }
            match self.kind() {
                Kind::Word | Kind::Number => self.advance(),
                Kind::OpenParenthesis if self.skippable() => self.skip_group(),
                _ => return self.missing_operand(),
            }
            loop {
                match self.kind() {
                    Kind::OpenBracket | Kind::OpenParenthesis if self.skippable() => self.skip_group(),
                    Kind::Suffix => {
                        self.advance();
                        if matches!(self.kind(), Kind::Word | Kind::Number) {
                            self.advance();
                        }
                    }
                    _ => break,
                }
            }
            if *self.kind() != Kind::Connector {
                break;
            }
            self.advance();
        }
        let start = self.tokens[first].start;
        let end = self.tokens[self.at - 1].end;
        let text = self.text.get(start..end).unwrap_or("");
        if self.at == first + 1 && self.tokens[first].kind == Kind::Number {
            let value = text.bytes().any(|digit| digit != b'0');
            return self.store.constant(value);
        }
        let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.store.named(&name)
    }

    fn skippable(&self) -> bool {
        let close = self.closing[self.at];
        close != usize::MAX && self.logical[self.at] == self.logical[close + 1]
    }

    fn skip_group(&mut self) {
        self.at = self.closing[self.at] + 1;
    }
}

#[derive(Clone, Copy)]
enum Bounds {
    None,
    /// From, and up to if there is an upper bound.
    Range(u32, Option<u32>),
}

/// `3`, `1..3`, `1..` or `1:3`: the first number and, if it is a range, its end.
fn parse_range(content: &str) -> Option<(u32, Option<Option<u32>>)> {
    let Some((from, to)) = content.split_once("..").or_else(|| content.split_once(':')) else {
        return content.parse().ok().map(|times| (times, None));
    };
    let from = if from.is_empty() { 0 } else { from.parse().ok()? };
    let to = if to.is_empty() || to == "$" { None } else { Some(to.parse().ok()?) };
    Some((from, Some(to)))
}
