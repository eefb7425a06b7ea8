//! The questions that rules ask of the text in front of them.

use source::Span;

use crate::{Cursor, Expected, Messages, Nesting, Token};

/// What every parser carries with it.
#[derive(Clone, Debug)]
pub struct Reading<T> {
    pub cursor: Cursor<T>,
    pub nesting: Nesting,
    pub messages: Messages,
}

impl<T: Token> Reading<T> {
    /// At the first token, with bounds on nesting and on the number of errors.
    pub fn new(cursor: Cursor<T>, nesting: usize, errors: usize) -> Reading<T> {
        Reading { cursor, nesting: Nesting::new(nesting), messages: Messages::new(errors) }
    }
}

/// A recursive-descent parser. A language whose grammar sees other tokens than the text has, as inserted semicolons,
/// says so in [`Reader::symbol`], [`Reader::at_end`] and [`Reader::bump`]; the rest follows from these.
pub trait Reader: Sized {
    type Token: Token;

    fn reading(&self) -> &Reading<Self::Token>;
    fn reading_mut(&mut self) -> &mut Reading<Self::Token>;

    /// The symbol that the current token is.
    #[inline]
    fn symbol(&self) -> Option<<Self::Token as Token>::Symbol> {
        self.reading().cursor.token().symbol()
    }

    #[inline]
    fn at_end(&self) -> bool {
        self.reading().cursor.token().is_end()
    }

    /// Goes behind the current token.
    #[inline]
    fn bump(&mut self) {
        self.reading_mut().cursor.advance();
    }

    /// The current token.
    #[inline]
    fn token(&self) -> Self::Token
    where
        Self::Token: Copy,
    {
        *self.reading().cursor.token()
    }

    /// The token so many behind the current one.
    #[inline]
    fn peek(&self, distance: usize) -> Self::Token
    where
        Self::Token: Copy,
    {
        *self.reading().cursor.ahead(distance)
    }

    /// Goes behind the current token, and gives it.
    #[inline]
    fn advance(&mut self) -> Self::Token
    where
        Self::Token: Copy,
    {
        let token = self.token();
        self.bump();
        token
    }

    /// The number of the current token.
    #[inline]
    fn position(&self) -> usize {
        self.reading().cursor.position()
    }

    /// Goes to a token by its number.
    #[inline]
    fn reset(&mut self, position: usize) {
        self.reading_mut().cursor.reset(position);
    }

    /// Goes some tokens on.
    #[inline]
    fn skip(&mut self, count: usize) {
        self.reading_mut().cursor.skip(count);
    }

    /// Whether the current token is this symbol.
    #[inline]
    fn at(&self, symbol: <Self::Token as Token>::Symbol) -> bool {
        self.symbol() == Some(symbol)
    }

    /// Goes behind the current token if it is this symbol, and says whether it was.
    #[inline]
    fn eat(&mut self, symbol: <Self::Token as Token>::Symbol) -> bool {
        let found = self.at(symbol);
        if found {
            self.bump();
        }
        found
    }

    /// Whether the token so many behind the current one is this symbol.
    #[inline]
    fn peek_at(&self, distance: usize, symbol: <Self::Token as Token>::Symbol) -> bool {
        self.reading().cursor.ahead(distance).symbol() == Some(symbol)
    }

    /// The place of the current token.
    #[inline]
    fn span(&self) -> Span {
        self.reading().cursor.token().span()
    }

    /// All tokens, with the end.
    #[inline]
    fn tokens(&self) -> &[Self::Token] {
        self.reading().cursor.tokens()
    }

    /// The place just behind the last token that was read.
    fn behind(&self) -> Span {
        self.reading().cursor.behind()
    }

    /// Whether reading on helps nobody.
    #[inline]
    fn given_up(&self) -> bool {
        self.reading().messages.given_up()
    }

    /// Where the current token starts.
    #[inline]
    fn start(&self) -> u32 {
        self.span().start
    }

    /// From a start to the end of the last token that was read.
    #[inline]
    fn span_from(&self, start: u32) -> Span {
        self.reading().cursor.span_from(start)
    }

    /// Runs a rule one level deeper, or says that it is too deep for that.
    #[inline]
    fn within<R>(&mut self, rule: impl FnOnce(&mut Self) -> R, too_deep: impl FnOnce(&mut Self) -> R) -> R {
        if !self.reading_mut().nesting.enter() {
            return too_deep(self);
        }
        let result = rule(self);
        self.reading_mut().nesting.leave();
        result
    }
}

/// A parser whose rules stop with a failure, and leave it to who called them to report it.
pub trait Failing: Reader {
    type Failure;

    /// What parts the items of a list.
    const COMMA: <Self::Token as Token>::Symbol;

    /// Stops at the current token, which is none of these.
    fn fail<R>(&self, expected: impl Into<Expected>) -> Result<R, Self::Failure>;

    /// Goes behind a symbol that has to be here.
    #[inline]
    fn expect(&mut self, symbol: <Self::Token as Token>::Symbol) -> Result<(), Self::Failure> {
        if self.eat(symbol) { Ok(()) } else { self.fail(symbol) }
    }

    /// `open item, item close`, possibly empty.
    fn list<R>(
        &mut self,
        open: <Self::Token as Token>::Symbol,
        close: <Self::Token as Token>::Symbol,
        mut item: impl FnMut(&mut Self) -> Result<R, Self::Failure>,
    ) -> Result<Vec<R>, Self::Failure> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(Self::COMMA) {
                break;
            }
        }
        if self.eat(close) { Ok(items) } else { self.fail([Self::COMMA, close]) }
    }
}
