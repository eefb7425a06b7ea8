//! A failure of Silver in terms of the PVL program: its code and place, the reason, values, and what can be done.

use pvl::lower::Role;
use source::{SourceMap, Span};
use verdict::{Counterexample, Failure, Note};

use crate::pvl_program::Translation;
use crate::pvl_reasons::{self, Subject};
use crate::pvl_values::Values;

/// What a counterexample says about a measure.
#[derive(Default)]
struct Measure {
    decreasing: Vec<(String, String)>,
    bounded: Vec<String>,
}

impl Translation {
    /// Puts failures into terms of the program.
    pub(crate) fn translate_failures(&self, failures: &mut Vec<Failure>, sources: &SourceMap) {
        failures.iter_mut().for_each(|failure| self.translate_failure(failure, sources));
        // Who cannot be called has no place that is reached.
        let is_empty = failures.iter().any(|failure| failure.code == "unsatisfiable");
        // A precondition that has no meaning is wrong for that reason.
        let is_other = |failure: &&Failure| !matches!(&*failure.code, "unsatisfiable" | "unreachable");
        let places: Vec<Span> = failures.iter().filter(is_other).map(|failure| failure.span).collect();
        let is_inside = |outer: Span, inner: &Span| {
            outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
        };
        failures.retain(|failure| {
            failure.code != "unsatisfiable" || !places.iter().any(|place| is_inside(failure.span, place))
        });
        let is_nothing = |failure: &Failure| {
            failure.code == "unreachable" && (is_empty || !self.is_reachable_place(failure.span, sources))
        };
        failures.retain(|failure| !self.smoke || !is_nothing(failure));
        for failure in failures.iter_mut().filter(|failure| failure.code == "unreachable") {
            failure.span = end_of(sources, failure.span);
        }
    }

    /// Whether a place can be asked whether it is reached: a statement, the end of a block or of a member. Parallel
    /// blocks and their like are checked in a branch of their own, which is left behind when it is done.
    fn is_reachable_place(&self, span: Span, sources: &SourceMap) -> bool {
        let text = sources.text(span);
        text.starts_with('{') || text.ends_with(';') || self.members.iter().any(|member| member.span == span)
    }

    fn translate_failure(&self, failure: &mut Failure, sources: &SourceMap) {
        let part = failure.notes.first().and_then(|note| note.span);
        let explained = self.origins.explain(&failure.code, failure.span, part);
        failure.code = explained.code;
        failure.span = explained.span;
        failure.message = explained.message;
        let mut measure = Measure::default();
        if let Some(counterexample) = &mut failure.counterexample {
            measure = self.measure(counterexample);
            self.spell_values(counterexample, &failure.code, sources.text(failure.span));
        }
        self.translate_notes(failure, explained.part, sources);
        self.add_reason(failure, &measure, sources);
    }

    fn translate_notes(&self, failure: &mut Failure, part: Option<Span>, sources: &SourceMap) {
        let mut notes = Vec::new();
        for (index, note) in failure.notes.drain(..).enumerate() {
            let origin = note.span.and_then(|span| self.origins.get(span));
            if origin.is_some_and(|origin| origin.role == Role::Hidden) {
                continue;
            }
            // Only the first note is about the place that it is shown at.
            let written = part.or(Some(failure.span)).filter(|_| index == 0);
            let written = written.map(|span| sources.text(span));
            let text = self.note_text(&note.text, &failure.code, written.filter(|text| !text.contains('\n')));
            let span = match (index, note.span) {
                (0, _) => part,
                (_, span) => span.map(|span| self.origins.place(span)),
            };
            // What a check of the language asks for is said by its code; nobody wrote it.
            let is_of_prelude = index == 0 && note.span.is_some() && span.is_none();
            if is_of_prelude && text.ends_with("this may be false") {
                continue;
            }
            notes.push(Note { span, text });
        }
        failure.notes = notes;
    }

    /// Says why in place of what the engine says about the part that fails, and what can be done.
    fn add_reason(&self, failure: &mut Failure, measure: &Measure, sources: &SourceMap) {
        let text = sources.text(failure.span);
        let before = &sources.file(failure.span.file).text[..failure.span.start as usize];
        let values = Values::new(failure.counterexample.as_ref());
        let sentence = match &*failure.code {
            "decreasesFailed" | "loopDecreasesFailed" => {
                pvl_reasons::measure(&measure.decreasing, &measure.bounded, &values)
            }
            "negativePermValue" => Some(format!("`{text}` may be negative")).filter(|_| !text.contains('\n')),
            _ => None,
        };
        let location = failure.notes.first().and_then(|note| location(&note.text)).map(str::to_string);
        let subject = Subject { code: &failure.code, text, before, values };
        let sentence = sentence.or_else(|| subject.reason());
        let help = subject.next_step(location.as_deref());
        let is_first_empty = is_said_by_code(&failure.code)
            && failure.notes.first().is_some_and(|note| !note.text.contains(" on the way"));
        if (sentence.is_some() || is_first_empty)
            && failure.notes.first().is_some_and(|note| !note.text.contains(" on the way"))
        {
            failure.notes.remove(0);
        }
        if let Some(text) = sentence {
            failure.notes.insert(0, Note { span: Some(failure.span), text });
        }
        let from_engine = |text: String| self.note_text(&text, &failure.code, None);
        // The engine knows more than the code where a contract reads what it has not asked for.
        let is_special =
            |text: &String| !text.starts_with("to read a location") && !text.starts_with("to assign to");
        let is_useful = !is_said_by_code(&failure.code);
        let engine = failure.help.take().filter(|_| is_useful);
        failure.help = match engine {
            Some(text) if is_special(&text) && is_about_reading(&failure.code) => Some(from_engine(text)),
            engine => help.or_else(|| engine.map(from_engine)),
        };
    }

    fn note_text(&self, silver: &str, code: &str, written: Option<&str>) -> String {
        let text = self.spelling.sentence(silver, written);
        let text = text.replace("write `acc(x.f) && x.f > 0`", "write `Perm(x.f, 1\\2) ** x.f > 0`");
        let text = text.replace("this might ", "this may ").replace(" values might ", " values may ");
        match code.split(':').next() {
            Some("invariantFailed" | "commitFailed") => {
                text.replace("the body of the predicate", "the lock invariant")
            }
            _ => text,
        }
    }

    /// Takes what a counterexample says about measures out of it.
    fn measure(&self, counterexample: &mut Counterexample) -> Measure {
        let mut measure = Measure::default();
        counterexample.values.retain(|(name, _)| {
            let inner = |word: &str| name.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
            if let Some(bounded) = inner("bounded") {
                measure.bounded.extend(self.spelling.expression(bounded));
                false
            } else if let Some(pair) = inner("decreasing") {
                let pair = split(pair).and_then(|(smaller, larger)| {
                    self.spelling.expression(smaller).zip(self.spelling.expression(larger))
                });
                measure.decreasing.extend(pair);
                false
            } else {
                true
            }
        });
        measure
    }

    /// Variables that nobody wrote, with those that name the same object.
    fn aliases(&self, counterexample: &Counterexample) -> Vec<(String, String)> {
        let is_plain =
            |name: &str| name.chars().all(|character| character.is_alphanumeric() || character == '_');
        let objects = || {
            let values = counterexample.values.iter();
            values.filter(|(name, value)| is_plain(name) && value.starts_with("Ref#"))
        };
        let is_shown = |name: &str| self.spelling.expression(name).is_some();
        let alias = |(hidden, object): &(String, String)| {
            let (shown, _) = objects().find(|(name, value)| value == object && is_shown(name))?;
            Some((hidden.clone(), shown.clone()))
        };
        objects().filter(|(name, _)| !is_shown(name)).filter_map(alias).collect()
    }

    /// Values of what the program speaks about; of two variables with one name the later one counts.
    fn spell_values(&self, counterexample: &mut Counterexample, code: &str, written: &str) {
        let has_result =
            code.starts_with("post") || code.starts_with("contextPost") || written.contains("\\result");
        let mut values: Vec<(String, String)> = Vec::new();
        let aliases = self.aliases(counterexample);
        let mut bound = 0;
        for (index, (name, value)) in counterexample.values.drain(..).enumerate() {
            let name = self.spelling.expression(&name).or_else(|| {
                let alias = aliases.iter().find_map(|(hidden, shown)| replaced(&name, hidden, shown));
                alias.and_then(|name| self.spelling.expression(&name))
            });
            let Some(name) = name else { continue };
            if name.contains("\\result") && !has_result {
                continue;
            }
            let is_bound = index < counterexample.bound;
            if !is_bound && values.iter().take(bound).any(|(other, _)| *other == name) {
                continue;
            }
            let Some(value) = self.spelling.value(&value) else { continue };
            values.retain(|(other, _)| *other != name);
            values.push((name, value));
            if is_bound {
                bound = values.len();
            }
        }
        // What has not changed is not worth a line.
        let now = values.clone();
        let is_same = |(name, value): &(String, String)| {
            let old = name.strip_prefix("\\old(").and_then(|name| name.strip_suffix(')'));
            old.is_some_and(|old| now.iter().any(|(name, known)| name == old && known == value))
        };
        values.retain(|value| !is_same(value));
        counterexample.values = values;
        counterexample.bound = bound;
    }
}

/// Whether the part that fails was written by nobody, so that there is nothing to say about it.
fn is_said_by_code(code: &str) -> bool {
    matches!(
        code,
        "refuteFailed"
            | "unsatisfiable"
            | "unreachable"
            | "lockNotCommitted"
            | "running"
            | "idle"
            | "invocationObjectNull"
            | "lockNull"
            | "forkNull"
            | "joinNull"
            | "decreasesFailed"
            | "loopDecreasesFailed"
            | "negativePermValue"
    )
}

fn is_about_reading(code: &str) -> bool {
    matches!(code, "perm" | "arrayPerm" | "valuesPerm" | "ptrPerm")
}

/// The closing brace of a block; other places are left as they are.
fn end_of(sources: &SourceMap, span: Span) -> Span {
    match sources.text(span).ends_with('}') {
        true => Span { start: span.end - 1, ..span },
        false => span,
    }
}

/// What a sentence about missing permission is about.
fn location(sentence: &str) -> Option<&str> {
    let (_, rest) = sentence.split_once(" permission to `")?;
    rest.split_once('`').map(|(location, _)| location)
}

/// An expression with another variable in front of a field.
fn replaced(expression: &str, hidden: &str, shown: &str) -> Option<String> {
    let at = expression.find(&format!("{hidden}."))?;
    let is_start =
        expression[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_');
    is_start.then(|| format!("{}{shown}{}", &expression[..at], &expression[at + hidden.len()..]))
}

/// The two arguments of a call.
fn split(arguments: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, character) in arguments.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return Some((arguments[..at].trim(), arguments[at + 1..].trim())),
            _ => {}
        }
    }
    None
}
