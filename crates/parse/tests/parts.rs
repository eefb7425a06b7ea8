//! Each part on a language of digits, commas and parentheses.

use parse::{Cursor, Expected, Failing, Messages, Reader, Reading, Spelled, Token, text_at};
use source::{Diagnostic, FileId, Span};

parse::symbols! {
    enum Sign {
        Open "(",
        Close ")",
        Comma ",",
        Semicolon ";",
    }
}

/// A sign, a number, or neither: the end.
#[derive(Clone, Copy, Debug)]
struct Piece {
    sign: Option<Sign>,
    number: Option<u32>,
    span: Span,
}

impl Token for Piece {
    type Symbol = Sign;

    fn span(&self) -> Span {
        self.span
    }

    fn symbol(&self) -> Option<Sign> {
        self.sign
    }

    fn is_end(&self) -> bool {
        self.sign.is_none() && self.number.is_none()
    }

    fn end_at(span: Span) -> Piece {
        Piece { sign: None, number: None, span }
    }
}

fn place(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start, end)
}

fn pieces(text: &str) -> Vec<Piece> {
    let signs = [Sign::Open, Sign::Close, Sign::Comma, Sign::Semicolon];
    text.char_indices()
        .filter(|(_, character)| *character != ' ')
        .map(|(at, character)| Piece {
            sign: signs.into_iter().find(|sign| sign.spelling() == character.to_string()),
            number: character.to_digit(10),
            span: place(at, at + 1),
        })
        .collect()
}

struct Sums {
    reading: Reading<Piece>,
}

impl Sums {
    fn new(text: &str, nesting: usize) -> Sums {
        Sums { reading: Reading::new(Cursor::new(pieces(text), place(0, 0)), nesting, 10) }
    }

    /// A number, or the sum of a list of items.
    fn item(&mut self) -> Result<u32, String> {
        if let Some(number) = self.token().number {
            self.advance();
            return Ok(number);
        }
        if !self.at(Sign::Open) {
            return self.fail(Expected::from("a number").or(Sign::Open));
        }
        self.within(
            |sums| Ok(sums.list(Sign::Open, Sign::Close, Sums::item)?.into_iter().sum()),
            |sums| Err(format!("too deep at {}", sums.start())),
        )
    }
}

impl Reader for Sums {
    type Token = Piece;

    fn reading(&self) -> &Reading<Piece> {
        &self.reading
    }

    fn reading_mut(&mut self) -> &mut Reading<Piece> {
        &mut self.reading
    }
}

impl Failing for Sums {
    type Failure = String;

    const COMMA: Sign = Sign::Comma;

    fn fail<R>(&self, expected: impl Into<Expected>) -> Result<R, String> {
        Err(format!("expected {} at {}", expected.into(), self.start()))
    }
}

#[test]
fn lists_are_read_and_their_faults_named() {
    assert_eq!(Sums::new("(1, (2, 3), ())", 9).item(), Ok(6));
    assert_eq!(Sums::new("(1 2)", 9).item(), Err("expected `,` or `)` at 3".to_string()));
    assert_eq!(Sums::new("(1, ;)", 9).item(), Err("expected a number or `(` at 4".to_string()));
    assert_eq!(Sums::new("(1", 9).item(), Err("expected `,` or `)` at 1".to_string()));
}

#[test]
fn nesting_is_bounded_and_left_again() {
    assert_eq!(Sums::new("(((1)))", 3).item(), Ok(1));
    assert_eq!(Sums::new("(((1)))", 2).item(), Err("too deep at 2".to_string()));
    assert_eq!(Sums::new("((1), (2), (3))", 2).item(), Ok(6));
}

#[test]
fn the_end_is_never_passed() {
    let mut sums = Sums::new("", 1);
    assert!(sums.at_end());
    sums.advance();
    sums.skip(5);
    sums.reset(7);
    assert!(sums.at_end());
    assert!(sums.peek(3).is_end());
    assert_eq!(sums.span_from(0), place(0, 0));
}

#[test]
fn spans_reach_to_the_last_token_read() {
    let mut sums = Sums::new("1 ,  2", 1);
    let start = sums.start();
    assert_eq!(sums.span_from(start), place(0, 0));
    sums.skip(2);
    assert_eq!(sums.span_from(start), place(0, 3));
    assert_eq!(sums.behind(), place(3, 3));
    // Nothing was read since the current token.
    assert_eq!(sums.span_from(sums.start()), place(5, 5));
    assert_eq!(text_at("1 ,  2", sums.span()), "2");
    assert_eq!(text_at("1", place(0, 9)), "");
}

#[test]
fn a_token_is_split_in_its_place() {
    let mut sums = Sums::new("1,2", 1);
    sums.advance();
    let comma = sums.token();
    let open = Piece { sign: Some(Sign::Open), ..comma };
    sums.reading.cursor.split(open, Piece { sign: Some(Sign::Close), ..comma });
    assert!(sums.eat(Sign::Open) && sums.eat(Sign::Close));
    assert_eq!(sums.token().number, Some(2));
}

#[test]
fn warnings_take_no_place_from_errors() {
    let mut messages = Messages::new(3);
    for at in 0..10 {
        messages.report(Diagnostic::warning("w", place(at, at), "odd"));
    }
    assert!(!messages.given_up() && !messages.has_errors());
    for at in 0..10 {
        messages.report(Diagnostic::error("e", place(at, at), "wrong"));
    }
    assert!(messages.given_up());
    let codes: Vec<&str> = messages.into_list().iter().map(|message| message.code).collect();
    assert_eq!(codes, ["w", "w", "w", "e", "e", "e"]);
}

#[test]
fn nothing_is_said_twice_and_what_is_read_again_is_forgotten() {
    let mut messages = Messages::new(3);
    let error = Diagnostic::error("e", place(0, 1), "wrong");
    messages.report(error.clone());
    messages.report(error.clone());
    let mark = messages.mark();
    messages.report(Diagnostic::error("e", place(1, 2), "wrong"));
    assert!(messages.said("e", Some(place(1, 2))));
    messages.forget_since(mark);
    assert!(!messages.said("e", Some(place(1, 2))));
    assert_eq!(messages.into_list(), [error]);
}

#[test]
fn who_gives_up_has_an_error() {
    let mut messages = Messages::new(3);
    messages.stop(Diagnostic::error("e", place(0, 1), "too deep"));
    messages.report(Diagnostic::error("e", place(1, 2), "wrong"));
    assert!(messages.given_up() && messages.has_errors());
    assert_eq!(messages.into_list().len(), 1);
}

#[test]
fn expected_things_are_read_as_a_sentence() {
    let set = |expected: Expected| expected.to_string();
    assert_eq!(set([Sign::Comma, Sign::Semicolon, Sign::Close].into()), "`,`, `;` or `)`");
    assert_eq!(set(Expected::from("a statement").or(Sign::Close)), "a statement or `)`");
    let body = Expected::from(Sign::Open).with("and the body");
    assert_eq!(set(body.clone()), "`(` and the body");
    assert_eq!(set(body.clone().or(Sign::Semicolon)), "`(` and the body, or `;`");
    assert_eq!(set(Expected::words(["a", "b"]).with("and text")), "`a` or `b` and text");
    assert!(body.has("(") && !body.has(")") && !body.has_name());
    assert!(Expected::name("a name").has_name() && Expected::from("a type").describes("a type"));
}
