//! The evaluator: code, variables and fields in, a word or the reason why there is none out.

use crate::expression::{Binary, Builtin, Quantifier};
use crate::limits;

use super::code::Code;
use super::words::{Table, UNKNOWN, Word};
use super::{builtins, numbers, quantifiers};

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It depends on something that is to be found out.
    Unknown,
    /// An operation is undefined; the words say which.
    Undefined(&'static str),
    /// It needs more steps, depth or room than there is.
    Budget,
    /// Only the language knows what it means.
    Foreign(u32),
    /// A function without a definition.
    NoBody(u32),
}

/// A function: its parameters and its definition.
#[derive(Clone)]
pub(crate) struct Defined {
    pub(crate) parameters: Vec<u32>,
    pub(crate) body: Option<Code>,
}

/// What is known of cells that have no word yet.
pub(crate) trait Partials {
    /// The size, element or part that an expression asks for, where it is known although the whole is not.
    fn part(&self, evaluator: &mut Evaluator<'_>, builtin: &Builtin, operands: &[Code]) -> Option<Word>;
}

/// Fields that are not given as words, but read where they are needed.
pub(crate) trait Store {
    /// The value of a field.
    fn whole(&mut self, table: &mut Table, field: u32) -> Word;

    /// The length of the sequence that a field is, where its elements can be read one by one.
    fn size(&mut self, field: u32) -> Option<usize>;

    /// An element of it.
    fn element(&mut self, field: u32, place: usize) -> Option<Word>;
}

/// What an evaluation sees.
pub(crate) struct Evaluator<'e> {
    pub(crate) table: &'e mut Table,
    pub(crate) functions: &'e [Defined],
    /// How many constants each enumeration has.
    pub(crate) enumerations: &'e [u32],
    pub(crate) variables: &'e mut [Word],
    /// Fields before.
    pub(crate) start: &'e [Word],
    /// Fields at the moment that is spoken about; those that are to be found out are unknown.
    pub(crate) now: &'e [Word],
    pub(crate) partials: Option<&'e dyn Partials>,
    /// Where fields are read, before and now, that are unknown above.
    pub(crate) store: Option<&'e mut dyn Store>,
    pub(crate) depth: u32,
    pub(crate) steps: u64,
}

impl Evaluator<'_> {
    pub(crate) fn truth(&mut self, code: &Code) -> Result<bool, Stop> {
        Ok(self.word(code)? == Word::TRUE)
    }

    /// The value of an expression.
    pub(crate) fn word(&mut self, code: &Code) -> Result<Word, Stop> {
        match code {
            Code::Constant(word) => Ok(*word),
            Code::Variable(variable) => known(self.variables[*variable as usize]),
            Code::Now(field) => self.field(self.now[*field as usize], *field),
            Code::Start(field) => self.field(self.start[*field as usize], *field),
            _ => {
                self.steps += 1;
                if self.depth >= limits::DEPTH || self.steps > limits::STEPS {
                    return Err(Stop::Budget);
                }
                self.depth += 1;
                let result = self.compound(code);
                self.depth -= 1;
                result
            }
        }
    }

    #[inline]
    fn field(&mut self, word: Word, field: u32) -> Result<Word, Stop> {
        if word != UNKNOWN {
            return Ok(word);
        }
        match &mut self.store {
            Some(store) => Ok(store.whole(self.table, field)),
            None => Err(Stop::Unknown),
        }
    }

    /// The store and the field that an expression is, where that is read from a store.
    pub(super) fn stored_field(&mut self, code: &Code) -> Option<(&mut dyn Store, u32)> {
        let (word, field) = match code {
            Code::Now(field) => (self.now[*field as usize], *field),
            Code::Start(field) => (self.start[*field as usize], *field),
            _ => return None,
        };
        match &mut self.store {
            Some(store) if word == UNKNOWN => Some((&mut **store, field)),
            _ => None,
        }
    }

    fn compound(&mut self, code: &Code) -> Result<Word, Stop> {
        match code {
            Code::Constant(_) | Code::Variable(_) | Code::Now(_) | Code::Start(_) => self.word(code),
            Code::Foreign(number) => Err(Stop::Foreign(*number)),
            Code::Not(a) => Ok(Word::boolean(!self.truth(a)?)),
            Code::Negate(a) => {
                let a = self.word(a)?;
                numbers::negate(self.table, a)
            }
            Code::Binary(operator, a, b) => self.binary(*operator, a, b),
            Code::Conditional(condition, then, otherwise) => {
                if self.truth(condition)? {
                    self.word(then)
                } else {
                    self.word(otherwise)
                }
            }
            Code::Let(variable, value, body) => {
                let value = self.word(value)?;
                self.with(*variable, value, |evaluator| evaluator.word(body))
            }
            Code::Call(function, arguments) => self.call(*function, arguments),
            Code::Builtin(builtin, operands) => {
                let result = builtins::builtin(self, builtin, operands);
                match (result, self.partials) {
                    (Err(Stop::Unknown), Some(partials)) => {
                        partials.part(self, builtin, operands).ok_or(Stop::Unknown)
                    }
                    (result, _) => result,
                }
            }
            Code::Quantified(quantifier, binders, condition, body) => {
                quantifiers::quantified(self, *quantifier, binders, condition, body)
            }
        }
    }

    /// Does something while a variable has a value.
    pub(crate) fn with<T>(&mut self, variable: u32, value: Word, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.variables[variable as usize], value);
        let result = work(self);
        self.variables[variable as usize] = before;
        result
    }

    #[inline]
    fn binary(&mut self, operator: Binary, a: &Code, b: &Code) -> Result<Word, Stop> {
        match operator {
            // Where one side decides, the other need not be known; where the left one decides it need not be defined.
            Binary::And => match self.truth(a) {
                Ok(false) => Ok(Word::FALSE),
                Ok(true) => self.word(b),
                Err(Stop::Unknown) if self.truth(b) == Ok(false) => Ok(Word::FALSE),
                Err(stop) => Err(stop),
            },
            Binary::Or => match self.truth(a) {
                Ok(true) => Ok(Word::TRUE),
                Ok(false) => self.word(b),
                Err(Stop::Unknown) if self.truth(b) == Ok(true) => Ok(Word::TRUE),
                Err(stop) => Err(stop),
            },
            Binary::Implies => match self.truth(a) {
                Ok(false) => Ok(Word::TRUE),
                Ok(true) => self.word(b),
                Err(Stop::Unknown) if self.truth(b) == Ok(true) => Ok(Word::TRUE),
                Err(stop) => Err(stop),
            },
            Binary::Equal => Ok(Word::boolean(self.word(a)? == self.word(b)?)),
            Binary::Unequal => Ok(Word::boolean(self.word(a)? != self.word(b)?)),
            _ => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                numbers::binary(self.table, operator, a, b)
            }
        }
    }

    fn call(&mut self, function: u32, arguments: &[Code]) -> Result<Word, Stop> {
        let functions = self.functions;
        let defined = functions.get(function as usize).ok_or(Stop::NoBody(function))?;
        let body = defined.body.as_ref().ok_or(Stop::NoBody(function))?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.word(argument)?);
        }
        for (parameter, value) in defined.parameters.iter().zip(&mut values) {
            std::mem::swap(&mut self.variables[*parameter as usize], value);
        }
        let result = self.word(body);
        for (parameter, value) in defined.parameters.iter().zip(&mut values) {
            std::mem::swap(&mut self.variables[*parameter as usize], value);
        }
        result
    }

    /// Whether a quantifier is decided by one of its cases.
    pub(crate) fn decides(quantifier: Quantifier, truth: bool) -> bool {
        match quantifier {
            Quantifier::All => !truth,
            Quantifier::Some => truth,
            _ => false,
        }
    }
}

#[inline]
fn known(word: Word) -> Result<Word, Stop> {
    if word == UNKNOWN { Err(Stop::Unknown) } else { Ok(word) }
}
