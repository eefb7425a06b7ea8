//! What a rule wanted to see where it stopped.

use std::fmt;

/// A symbol of a language, which is written one way only. The macro [`symbols`](crate::symbols) makes such a type.
pub trait Spelled: Copy + 'static {
    /// All symbols of the language.
    const ALL: &'static [Self];

    fn spelling(&self) -> &'static str;

    /// The symbol that a text starts with: the first of those in [`Spelled::ALL`] that fit.
    fn at_start_of(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|symbol| text.starts_with(symbol.spelling()))
    }
}

/// Makes the type of the symbols of a language from their names and spellings. Where one is a prefix of another and the
/// lexer takes them by [`Spelled::at_start_of`], the longer one comes first.
#[macro_export]
macro_rules! symbols {
    ($visibility:vis enum $symbol:ident { $($name:ident $text:literal,)* }) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $visibility enum $symbol {
            $($name,)*
        }

        impl $crate::Spelled for $symbol {
            const ALL: &'static [$symbol] = &[$($symbol::$name,)*];

            fn spelling(&self) -> &'static str {
                match self {
                    $($symbol::$name => $text,)*
                }
            }
        }
    };
}

/// A set of things one of which was expected, in the order a person should read them.
///
/// It is data first, so that a hint can ask whether a token was among them, and words last: two symbols and a
/// description read `` `,`, `;` or a statement``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    items: Vec<Item>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Item {
    /// A token as it is written; none where there is only a description.
    token: Option<&'static str>,
    /// The description, or what follows the token.
    words: &'static str,
    /// A name of the program was wanted.
    is_name: bool,
}

impl Expected {
    /// A token that is told by its text, as a keyword.
    pub fn word(word: &'static str) -> Expected {
        Expected { items: vec![Item { token: Some(word), words: "", is_name: false }] }
    }

    /// One of some words.
    pub fn words<const N: usize>(words: [&'static str; N]) -> Expected {
        Expected { items: words.map(|word| Item { token: Some(word), words: "", is_name: false }).into() }
    }

    /// A name that the program chooses, described.
    pub fn name(words: &'static str) -> Expected {
        Expected { items: vec![Item { token: None, words, is_name: true }] }
    }

    /// Another thing that would have done.
    pub fn or(mut self, other: impl Into<Expected>) -> Expected {
        self.items.extend(other.into().items);
        self
    }

    /// What comes with the last of the things: `` `=` and a range``.
    pub fn with(mut self, words: &'static str) -> Expected {
        if let Some(last) = self.items.last_mut() {
            last.words = words;
        }
        self
    }

    /// Whether a token that is written like this was expected.
    pub fn has(&self, token: &str) -> bool {
        self.items.iter().any(|item| item.token == Some(token))
    }

    /// Whether a name was expected.
    pub fn has_name(&self) -> bool {
        self.items.iter().any(|item| item.is_name)
    }

    /// Whether this description was expected.
    pub fn describes(&self, words: &str) -> bool {
        self.items.iter().any(|item| item.token.is_none() && item.words == words)
    }
}

impl<S: Spelled> From<S> for Expected {
    fn from(symbol: S) -> Expected {
        Expected::word(symbol.spelling())
    }
}

impl<S: Spelled, const N: usize> From<[S; N]> for Expected {
    fn from(symbols: [S; N]) -> Expected {
        Expected::words(symbols.map(|symbol| symbol.spelling()))
    }
}

impl From<&'static str> for Expected {
    /// A description in words.
    fn from(words: &'static str) -> Expected {
        Expected { items: vec![Item { token: None, words, is_name: false }] }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.items.len().saturating_sub(1);
        // `a and b or c` would leave open what belongs together.
        let parted = self.items.iter().take(last).any(Item::has_company);
        for (index, item) in self.items.iter().enumerate() {
            if index > 0 {
                let parting = if index < last || parted { ", " } else { " " };
                f.write_str(parting)?;
                if index == last {
                    f.write_str("or ")?;
                }
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

impl Item {
    fn has_company(&self) -> bool {
        self.token.is_some() && !self.words.is_empty()
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.token {
            Some(token) if self.words.is_empty() => write!(f, "`{token}`"),
            Some(token) => write!(f, "`{token}` {}", self.words),
            None => f.write_str(self.words),
        }
    }
}
