//! The text of facts: parenthesised expressions.

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expression {
    Word(String),
    List(Vec<Expression>),
}

impl Expression {
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Expression::Word(word) => Some(word),
            Expression::List(_) => None,
        }
    }

    /// The first word of a list, and the rest.
    pub(crate) fn call(&self) -> Option<(&str, &[Expression])> {
        match self {
            Expression::List(parts) => Some((parts.first()?.word()?, &parts[1..])),
            Expression::Word(_) => None,
        }
    }
}

/// All expressions of a text; a semicolon starts a comment.
pub(crate) fn read(text: &str) -> Result<Vec<Expression>, String> {
    let mut open: Vec<Vec<Expression>> = vec![Vec::new()];
    for (number, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        for token in spaced.split_whitespace() {
            let finished = match token {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" if open.len() > 1 => Expression::List(open.pop().unwrap_or_default()),
                ")" => return Err(format!("line {}: nothing to close", number + 1)),
                word => Expression::Word(word.to_owned()),
            };
            if let Some(list) = open.last_mut() {
                list.push(finished);
            }
        }
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        _ => Err("a parenthesis is not closed".to_owned()),
    }
}
