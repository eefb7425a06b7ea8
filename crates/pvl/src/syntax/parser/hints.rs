//! Messages for what does not parse, with a hint where the slip is a usual one.

use parse::{Expected, Failing, Reader};
use source::Diagnostic;

use super::super::token::{COMMANDS, Symbol, TokenKind};
use super::super::words;
use super::{Failure, Parsed, Parser};
use crate::codes;

impl Parser<'_> {
    /// An error at the current token.
    pub(super) fn failure<T>(&self, expected: &Expected) -> Parsed<T> {
        let token = self.token();
        let found = self.describe();
        let message = format!("expected {expected}, found {found}");
        let mut error = Diagnostic::error(codes::PARSE, token.span, message);
        if let Some(hint) = self.hint(expected) {
            error = error.help(hint);
        }
        Err(Failure(Box::new(error)))
    }

    fn describe(&self) -> String {
        let token = self.token();
        let text = self.text_of(token);
        match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Unknown if text.starts_with("/*") => "a comment without end".to_string(),
            TokenKind::Unknown if text == "\"" => "a string without end".to_string(),
            TokenKind::Unknown if text == "'" => "a character literal that is not one".to_string(),
            TokenKind::Unknown if text == "`" => "an escaped name without end".to_string(),
            TokenKind::Word if words::is_reserved(text, self.dialect) => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    /// Whether the symbol at `ahead` touches the token before it.
    pub(super) fn touches(&self, ahead: usize, symbol: Symbol) -> bool {
        ahead > 0
            && self.peek_at(ahead, symbol)
            && self.peek(ahead).span.start == self.peek(ahead - 1).span.end
    }

    fn hint(&self, expected: &Expected) -> Option<String> {
        let token = self.token();
        let text = self.text_of(token);
        let previous = self.text_of(self.previous());
        if let Some(hint) = self.old_statement_hint(expected) {
            return Some(hint);
        }
        let wants = |token: &str| expected.has(token);
        let hint = match token.kind {
            TokenKind::Symbol(Symbol::Assign) => match previous {
                ":" => "assignment is written `=`",
                "+" | "-" | "*" | "/" | "%" => {
                    return Some(format!(
                        "there is no `{previous}=`; write the assignment out, as in `x = x {previous} 1`"
                    ));
                }
                "=" | "==" | "!=" => "equality is written `==`, inequality `!=`",
                _ if wants(")") || wants(";") => "`=` assigns; to compare, write `==`",
                _ => return None,
            },
            TokenKind::Symbol(Symbol::Equal) if wants("=") => "`==` compares; here `=` is needed",
            TokenKind::Symbol(Symbol::Backslash) => {
                if previous == "/" {
                    "conjunction is written `&&` or, for permissions, `**`"
                } else {
                    let word = self.peek_word(1);
                    if word.is_empty() {
                        "`\\` divides two numbers into a fraction; a number must come first"
                    } else if let Some(meant) = words::closest(word, COMMANDS.iter().copied()) {
                        return Some(format!("there is no `\\{word}`; did you mean `\\{meant}`?"));
                    } else {
                        return Some(format!("there is no `\\{word}`"));
                    }
                }
            }
            TokenKind::Symbol(Symbol::Slash) if previous == "\\" => "disjunction is written `||`",
            TokenKind::Symbol(Symbol::Greater) if matches!(previous, "=" | "<=" | "==") => {
                "implication is written `==>`; for equivalence write `==`"
            }
            TokenKind::Symbol(Symbol::Greater) if previous == "<" => "inequality is written `!=`",
            TokenKind::Symbol(Symbol::Implies) if previous == "<" => "for equivalence write `==`",
            TokenKind::Symbol(Symbol::Arrow) if previous == "this" => "members are selected with `.`",
            TokenKind::Symbol(Symbol::Arrow) => "implication is written `==>`; members are selected with `.`",
            TokenKind::Symbol(Symbol::Ampersand) => "conjunction is written `&&`",
            TokenKind::Symbol(Symbol::Bar) if wants(")") || wants(";") => "disjunction is written `||`",
            TokenKind::Symbol(Symbol::PlusPlus | Symbol::MinusMinus) => {
                "`++` and `--` are statements of their own; inside of expressions write `+ 1` or `- 1`"
            }
            TokenKind::Symbol(Symbol::Colon) if wants(";") || wants(")") => {
                "`:` separates the cases of `c ? a : b`; a name in front of a colon has no meaning here"
            }
            TokenKind::Symbol(Symbol::Comma) if wants(";") => {
                "a declaration or call ends with `;`; inside of parentheses arguments are separated by `,`"
            }
            TokenKind::Symbol(Symbol::RightBrace) if wants(";") => "put `;` behind the last statement",
            TokenKind::Symbol(Symbol::RightParen)
                if expected.describes("an expression") && previous == "(" =>
            {
                "there is nothing between the parentheses"
            }
            TokenKind::Symbol(Symbol::RightParen) if wants(";") => {
                "there is one closing parenthesis too many"
            }
            TokenKind::Symbol(Symbol::RightParen) if wants(",") && self.inside_permission() => {
                "a permission needs an amount: `write`, `read`, or a fraction such as `1\\2`"
            }
            TokenKind::Symbol(Symbol::Semicolon) if wants(")") => "a closing parenthesis is missing",
            TokenKind::Symbol(Symbol::Semicolon) if wants("]") => "a closing bracket is missing",
            TokenKind::Unknown => match text {
                "~" => "negation is written `!`",
                "^" => "a power is written `a ^^ b`",
                "¬" => "negation is written `!`",
                "∧" => "conjunction is written `&&` or, for permissions, `**`",
                "∨" => "disjunction is written `||`",
                "→" | "⇒" => "implication is written `==>`",
                "≤" => "write `<=`",
                "≥" => "write `>=`",
                "≠" => "write `!=`",
                "∈" => "membership is written `in`",
                "@" => "annotations with `@` belong to other languages; PVL has contracts without them",
                "#" => "text between two `#` on one line is skipped; this one is alone",
                "“" | "”" => "strings are written with straight quotes, `\"…\"`",
                _ if text.starts_with("/*") => "end the comment with `*/`",
                _ => return None,
            },
            TokenKind::End => "a closing `}` or `)` is probably missing above",
            TokenKind::Word => return self.word_hint(text, previous, expected),
            _ => return self.misspelt_keyword(),
        };
        Some(hint.to_string())
    }

    /// A misspelt keyword and a name are read as a declaration, which fails behind the name.
    fn misspelt_keyword(&self) -> Option<String> {
        let word = self.word_of(*self.tokens().get(self.position().checked_sub(2)?)?);
        let is_keyword = words::is_reserved(word, self.dialect);
        if word.is_empty() || is_keyword || !self.is_name(self.previous()) {
            return None;
        }
        let keywords = words::CLAUSES.iter().chain(words::STATEMENTS);
        let meant = words::closest(word, keywords.copied())?;
        Some(format!("did you mean `{meant}`?"))
    }

    /// Statements of the old dialect are read as a type and a name, and fail behind them.
    fn old_statement_hint(&self, expected: &Expected) -> Option<String> {
        let word = match self.text_of(self.previous()) {
            "create" | "destroy" | "use" | "qed" => self.previous(),
            _ => *self.tokens().get(self.position().checked_sub(2)?)?,
        };
        let hint = match self.text_of(word) {
            "create" if self.at(Symbol::LeftBrace) => "a wand is proved with `package A -* B { … }`",
            "use" => "a wand is used with `apply`",
            "create" | "destroy" | "split" | "merge" | "choose" => {
                "operations on models are calls: `model.create(…)`"
            }
            _ => return None,
        };
        let fits = !self.is_old() && expected.has(";");
        fits.then(|| format!("{hint}; VerCors 1.x wrote it like this (`--dialect 1`)"))
    }

    fn word_hint(&self, text: &str, previous: &str, expected: &Expected) -> Option<String> {
        let fixed = match (previous, text) {
            ("forall" | "exists" | "let" | "old", _) => {
                return Some(format!("`{previous}` is written `\\{previous}`, with a backslash"));
            }
            (_, "instanceof") => Some("write `\\typeof(e) == \\type(T)`; PVL has no `instanceof`"),
            (_, "and") => Some("conjunction is written `&&` or, for permissions, `**`"),
            (_, "or") => Some("disjunction is written `||`"),
            (_, "not") => Some("negation is written `!`"),
            (_, "implies") => Some("implication is written `==>`"),
            (_, "break" | "continue") => Some("PVL has no `break` and `continue`; use `goto` and `label`"),
            (_, "do") => Some("PVL has no `do`; write the loop with `while`"),
            _ => None,
        };
        if let Some(fixed) = fixed {
            return Some(fixed.to_string());
        }
        if expected.has_name() && words::is_reserved(text, self.dialect) {
            return Some(format!("`{text}` is a keyword; to use it as a name, write it as `` `{text}` ``"));
        }
        // A misspelt keyword is read as the start of something else, which then fails at its second word.
        let keywords = words::CLAUSES.iter().chain(words::STATEMENTS).chain(words::DECLARATIONS);
        for word in [previous, text] {
            if !words::is_reserved(word, self.dialect)
                && let Some(meant) = words::closest(word, keywords.clone().copied())
            {
                return Some(format!("did you mean `{meant}`?"));
            }
        }
        None
    }

    /// Whether the innermost open parenthesis is that of a permission.
    fn inside_permission(&self) -> bool {
        let mut open = 0_usize;
        for index in (0..self.position().min(self.tokens().len())).rev() {
            match self.tokens()[index].kind {
                TokenKind::Symbol(Symbol::RightParen) => open += 1,
                TokenKind::Symbol(Symbol::LeftParen) if open == 0 => {
                    let before =
                        index.checked_sub(1).map_or("", |before| self.text_of(self.tokens()[before]));
                    return matches!(before, "Perm" | "HPerm" | "APerm");
                }
                TokenKind::Symbol(Symbol::LeftParen) => open -= 1,
                TokenKind::Symbol(Symbol::Semicolon) => return false,
                _ => {}
            }
        }
        false
    }

    /// The end of a statement or clause. Where a line ends instead, the semicolon is reported and taken as given.
    pub(super) fn semicolon(&mut self) -> Parsed<()> {
        if self.eat(Symbol::Semicolon) {
            return Ok(());
        }
        let token = self.token();
        let can_go_on = token.first_of_line
            && matches!(token.kind, TokenKind::Word | TokenKind::Escaped | TokenKind::Command)
            || self.at(Symbol::RightBrace)
            || self.starts_clause_or_statement();
        // A line that goes on with an operator is not the end of a statement.
        if can_go_on && token.kind != TokenKind::End {
            let error = Diagnostic::error(codes::PARSE, self.behind(), "expected `;` here")
                .label(token.span, "before this")
                .help("every statement, clause and declaration without a block ends with `;`");
            self.report(error);
            return Ok(());
        }
        self.fail(Symbol::Semicolon)
    }

    fn starts_clause_or_statement(&self) -> bool {
        let word = self.word();
        words::CLAUSES.contains(&word) && words::is_reserved(word, self.dialect)
            || words::STATEMENTS.contains(&word) && words::is_reserved(word, self.dialect)
    }
}
