//! From a formula to text in either dialect, with as few parentheses as reading it back safely allows.
//!
//! Operators that SPIN lacks are written by their definitions: `a M b` as `(a U (a && b))` with sides fit, and
//! `xor` as a negated equivalence; all others survive a round trip unchanged.

use std::fmt::{self, Write};

use super::Dialect;
use super::lexer::{Kind, kind_of_name};
use crate::formula::{Formula, FormulaStore, Node};
use crate::limits;

/// A formula that can be written with `{}`.
pub struct DisplayFormula<'s> {
    store: &'s FormulaStore,
    formula: Formula,
    dialect: Dialect,
    /// Whether names that are no words stand in parentheses.
    in_parentheses: bool,
}

pub fn display(store: &FormulaStore, formula: Formula, dialect: Dialect) -> DisplayFormula<'_> {
    DisplayFormula { store, formula, dialect, in_parentheses: false }
}

enum Piece<'a> {
    Text(&'a str),
    Formula(Formula),
    /// An operand: put in parentheses unless it is a leaf or begins with a unary operator.
    Operand(Formula),
    Name(&'a str),
}

impl fmt::Display for DisplayFormula<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spin = self.dialect == Dialect::Spin;
        let (and, or) = if spin { (" && ", " || ") } else { (" & ", " | ") };
        let mut work = vec![Piece::Formula(self.formula)];
        let mut pieces = 0;
        while let Some(piece) = work.pop() {
            pieces += 1;
            if pieces > limits::PRINTED_PIECES {
                return out.write_str("…");
            }
            let formula = match piece {
                Piece::Text(text) => {
                    out.write_str(text)?;
                    continue;
                }
                Piece::Name(name) => {
                    self.write_name(out, name)?;
                    continue;
                }
                Piece::Operand(formula) if self.is_compound(formula) => {
                    work.extend([Piece::Text(")"), Piece::Formula(formula), Piece::Text("(")]);
                    continue;
                }
                Piece::Operand(formula) | Piece::Formula(formula) => formula,
            };
            match self.store.node(formula) {
                Node::True => out.write_str(if spin { "true" } else { "1" })?,
                Node::False => out.write_str(if spin { "false" } else { "0" })?,
                Node::Atom(atom) => work.push(Piece::Name(self.store.name(*atom))),
                Node::Not(a) => work.extend([Piece::Operand(*a), Piece::Text("!")]),
                Node::Next(a) => work.extend([Piece::Operand(*a), Piece::Text("X ")]),
                Node::Eventually(a) => {
                    work.extend([Piece::Operand(*a), Piece::Text(if spin { "<> " } else { "F " })]);
                }
                Node::Always(a) => {
                    work.extend([Piece::Operand(*a), Piece::Text(if spin { "[] " } else { "G " })]);
                }
                Node::And(list) => push_list(&mut work, list, and),
                Node::Or(list) => push_list(&mut work, list, or),
                Node::Implies(a, b) => push_list(&mut work, &[*a, *b], " -> "),
                Node::Equivalent(a, b) => push_list(&mut work, &[*a, *b], " <-> "),
                Node::Until(a, b) => push_list(&mut work, &[*a, *b], " U "),
                Node::WeakUntil(a, b) => push_list(&mut work, &[*a, *b], " W "),
                Node::Release(a, b) => push_list(&mut work, &[*a, *b], if spin { " V " } else { " R " }),
                Node::Xor(a, b) if spin => {
                    work.push(Piece::Text(")"));
                    push_list(&mut work, &[*a, *b], " <-> ");
                    work.push(Piece::Text("!("));
                }
                Node::Xor(a, b) => push_list(&mut work, &[*a, *b], " xor "),
                Node::StrongRelease(a, b) if spin => {
                    work.push(Piece::Text(")"));
                    push_list(&mut work, &[*a, *b], " && ");
                    work.extend([Piece::Text(" U ("), Piece::Operand(*b)]);
                }
                Node::StrongRelease(a, b) => push_list(&mut work, &[*a, *b], " M "),
            }
        }
        Ok(())
    }
}

fn push_list(work: &mut Vec<Piece<'_>>, operands: &[Formula], operator: &'static str) {
    for (index, operand) in operands.iter().enumerate().rev() {
        work.push(Piece::Operand(*operand));
        if index > 0 {
            work.push(Piece::Text(operator));
        }
    }
}

impl DisplayFormula<'_> {
    /// For people: conditions stand in parentheses, as the language of a model would have them, not in braces.
    #[must_use]
    pub fn with_parentheses(self) -> Self {
        DisplayFormula { in_parentheses: true, ..self }
    }

    fn is_compound(&self, formula: Formula) -> bool {
        match self.store.node(formula) {
            Node::True | Node::False | Node::Atom(_) => false,
            Node::Not(_) | Node::Next(_) | Node::Eventually(_) | Node::Always(_) => false,
            Node::Xor(..) => self.dialect == Dialect::Spot,
            _ => true,
        }
    }
}

impl DisplayFormula<'_> {
    fn write_name(&self, out: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        if kind_of_name(name, self.dialect) == Kind::Word {
            return out.write_str(name);
        }
        let plain = !name.contains(['{', '}', '"', '\\', '\n']) && name.trim() == name && !name.is_empty();
        if plain && self.dialect == Dialect::Spin {
            return if self.in_parentheses { write!(out, "({name})") } else { write!(out, "{{{name}}}") };
        }
        out.write_char('"')?;
        for character in name.chars() {
            if matches!(character, '"' | '\\') {
                out.write_str("\\")?;
            }
            write!(out, "{character}")?;
        }
        out.write_char('"')
    }
}
