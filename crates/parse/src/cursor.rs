//! A place in a list of tokens, and the spans between places.

use source::Span;

use crate::Spelled;

/// What the cursor needs to know of a language's tokens.
pub trait Token {
    /// Symbols and operators: the tokens that are told by their kind alone.
    type Symbol: Copy + PartialEq + Spelled;

    fn span(&self) -> Span;

    /// Which symbol the token is, if it is one.
    fn symbol(&self) -> Option<Self::Symbol>;

    /// Whether it stands for the end of the text.
    fn is_end(&self) -> bool;

    /// The end of a text, at a place.
    fn end_at(span: Span) -> Self;
}

/// Tokens and the current one among them. The last token is the end; it is never passed.
#[derive(Clone, Debug)]
pub struct Cursor<T> {
    tokens: Vec<T>,
    position: usize,
    /// What counts as read before the first token.
    before: Span,
}

impl<T: Token> Cursor<T> {
    /// At the first token. Where the end is missing it is added.
    pub fn new(mut tokens: Vec<T>, before: Span) -> Cursor<T> {
        if !tokens.last().is_some_and(Token::is_end) {
            let place = tokens.last().map_or(before, Token::span);
            tokens.push(T::end_at(place));
        }
        Cursor { tokens, position: 0, before }
    }

    #[inline]
    pub fn token(&self) -> &T {
        // The end is never passed, and `reset` stays in front of it.
        &self.tokens[self.position]
    }

    /// The token that is so many behind the current one, or the end.
    #[inline]
    pub fn ahead(&self, distance: usize) -> &T {
        &self.tokens[(self.position + distance).min(self.tokens.len() - 1)]
    }

    /// The token before the current one.
    pub fn previous(&self) -> Option<&T> {
        self.tokens.get(self.position.checked_sub(1)?)
    }

    /// The place of the token before the current one, or what counts as read before the first.
    #[inline]
    pub fn previous_span(&self) -> Span {
        self.previous().map_or(self.before, Token::span)
    }

    /// Goes one token on, if the current one is not the end.
    #[inline]
    pub fn advance(&mut self) {
        self.skip(1);
    }

    /// Goes some tokens on, at most to the end.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.reset(self.position + count);
    }

    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Goes to a position, at most to the end.
    #[inline]
    pub fn reset(&mut self, position: usize) {
        self.position = position.min(self.tokens.len() - 1);
    }

    /// All tokens, with the end.
    #[inline]
    pub fn tokens(&self) -> &[T] {
        &self.tokens
    }

    /// From a start to the end of the token before the current one; empty where nothing was read since.
    #[inline]
    pub fn span_from(&self, start: u32) -> Span {
        let previous = self.previous_span();
        Span { file: previous.file, start, end: previous.end.max(start) }
    }

    /// The place just behind the token before the current one.
    pub fn behind(&self) -> Span {
        let span = self.previous_span();
        Span { start: span.end, ..span }
    }

    /// Puts two tokens in the place of the current one, as where `||` is two bars.
    pub fn split(&mut self, first: T, second: T) {
        self.tokens.splice(self.position..=self.position, [first, second]);
    }
}
