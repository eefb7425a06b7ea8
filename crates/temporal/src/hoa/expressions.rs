//! The two expression languages inside the HOA format: acceptance conditions and labels.

use super::acceptance::Condition;
use super::lexer::Kind;
use super::reader::Reader;
use crate::bdd::Bdd;
use crate::limits;

impl Reader {
    fn too_nested(&mut self, nesting: u32) -> bool {
        let nested = nesting > limits::HOA_NESTING;
        if nested {
            let span = self.span();
            let help = "use fewer parentheses";
            self.error("hoa.too-deep", span, "this expression is nested too deeply", help);
            self.at = self.tokens.len() - 1;
        }
        nested
    }

    pub(super) fn condition(&mut self, nesting: u32) -> Condition {
        let mut parts = vec![self.conjunction(nesting)];
        while self.take_symbol('|') {
            parts.push(self.conjunction(nesting));
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) }
    }

    fn conjunction(&mut self, nesting: u32) -> Condition {
        let mut parts = vec![self.primary_condition(nesting)];
        while self.take_symbol('&') {
            parts.push(self.primary_condition(nesting));
        }
        if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) }
    }

    fn primary_condition(&mut self, nesting: u32) -> Condition {
        if self.too_nested(nesting) {
            return Condition::Constant(true);
        }
        if self.take_symbol('(') {
            let inner = self.condition(nesting + 1);
            self.expect_symbol(')');
            return inner;
        }
        let Kind::Word(word) = self.kind().clone() else {
            let span = self.span();
            let help = "a condition is made of t, f, Inf(i), Fin(i), & and |";
            self.error("hoa.syntax", span, "an acceptance condition is expected here", help);
            return Condition::Constant(true);
        };
        self.advance();
        match word.as_str() {
            "t" => Condition::Constant(true),
            "f" => Condition::Constant(false),
            _ => {
                self.expect_symbol('(');
                let complemented = self.take_symbol('!');
                let set =
                    self.expect_number("the number of an acceptance set").min(u64::from(u32::MAX)) as u32;
                self.expect_symbol(')');
                if word == "Inf" { Condition::Inf { set, complemented } } else { Condition::Fin }
            }
        }
    }

    pub(super) fn label(&mut self, nesting: u32) -> Bdd {
        let mut union = self.label_conjunction(nesting);
        while self.take_symbol('|') {
            let part = self.label_conjunction(nesting);
            union = self.manager.or(union, part);
        }
        union
    }

    fn label_conjunction(&mut self, nesting: u32) -> Bdd {
        let mut all = self.label_literal(nesting);
        while self.take_symbol('&') {
            let part = self.label_literal(nesting);
            all = self.manager.and(all, part);
        }
        all
    }

    fn label_literal(&mut self, nesting: u32) -> Bdd {
        if self.too_nested(nesting) {
            return Bdd::TRUE;
        }
        let mut negated = false;
        while self.take_symbol('!') {
            negated = !negated;
        }
        let span = self.span();
        let bdd = match self.kind().clone() {
            Kind::Symbol('(') => {
                self.advance();
                let inner = self.label(nesting + 1);
                self.expect_symbol(')');
                inner
            }
            Kind::Number(proposition) => {
                self.advance();
                let known = self.header.propositions.as_ref().map_or(0, Vec::len) as u64;
                if proposition < known {
                    self.manager.variable(proposition as u32)
                } else {
                    let message = format!("there is no proposition {proposition}");
                    let help = format!("{known} propositions are announced, counted from 0");
                    self.error("hoa.unknown-proposition", span, message, help);
                    Bdd::TRUE
                }
            }
            Kind::Word(word) if word == "t" || word == "f" => {
                self.advance();
                if word == "t" { Bdd::TRUE } else { Bdd::FALSE }
            }
            Kind::Alias(alias) => {
                self.advance();
                match self.header.aliases.get(&alias) {
                    Some(label) => *label,
                    None => {
                        let message = format!("the alias @{alias} is not defined");
                        self.error(
                            "hoa.unknown-alias",
                            span,
                            message,
                            "define it with `Alias:` in the header",
                        );
                        Bdd::TRUE
                    }
                }
            }
            _ => {
                let help = "a label is made of t, f, numbers of propositions, aliases, !, & and |";
                self.error("hoa.syntax", span, "a label is expected here", help);
                self.advance();
                Bdd::TRUE
            }
        };
        if negated { self.manager.not(bdd) } else { bdd }
    }
}
