//! Token games: a toy language of models that shows how one is added.
//!
//! Tokens lie on named places. A step takes one token from each place on its left (a place may be named twice) and puts
//! one on each place on its right. A run may end where one of the `end` conditions holds.
//!
//! ```text
//! # Two workers share a printer.
//! tokens idle 2, printer 1, busy
//! step start: idle printer -> busy
//! step stop: busy -> idle printer
//! check alone: [] {busy <= 1}
//! ```
#![forbid(unsafe_code)]

use model::explored::{Explored, ExploredModel, Step};
use model::{AtomId, Contents, FormulaId, LoadOptions, LoadedModel, Ltl, ModelLanguage, Vocabulary};
use source::{Diagnostic, Loader, SourceMap, Span};

/// The language.
pub struct Tokens;

impl ModelLanguage for Tokens {
    fn load(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &LoadOptions,
        map: &mut SourceMap,
    ) -> (Option<Box<dyn LoadedModel>>, Vec<Diagnostic>) {
        let text = loader.load(name);
        let file = map.add(name, text.clone().unwrap_or_default());
        let (mut game, mut errors) = (Game::default(), Vec::new());
        let whole = Span::new(file, 0, 0);
        if let Err(reason) = &text {
            let message = format!("cannot read `{name}`: {reason}");
            errors.push(Diagnostic::error("tokens.missing", whole, message));
        }
        if *options != LoadOptions::default() {
            let message = "token games have neither macros nor channels that lose messages";
            errors.push(Diagnostic::error("tokens.option", whole, message));
        }
        let mut start = 0;
        for line in map.file(file).text.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            let place = Span::new(file, start, start + code.trim_end().len());
            errors.extend(game.line(Text { text: code, place }.trim()));
            start += line.len();
        }
        let model = errors.is_empty().then(|| Box::new(ExploredModel::new(game)) as Box<dyn LoadedModel>);
        (model, errors)
    }
}

/// A piece of text and where it stands.
#[derive(Clone, Copy)]
struct Text<'t> {
    text: &'t str,
    place: Span,
}

impl<'t> Text<'t> {
    /// A part that begins after so many bytes.
    fn part(self, begin: usize, text: &'t str) -> Text<'t> {
        let start = self.place.start as usize + begin;
        Text { text, place: Span::new(self.place.file, start, start + text.len()) }
    }

    fn trim(self) -> Text<'t> {
        let begin = self.text.len() - self.text.trim_start().len();
        self.part(begin, self.text.trim())
    }

    fn split(self, separator: &str) -> Option<(Text<'t>, Text<'t>)> {
        let at = self.text.find(separator)?;
        let behind = at + separator.len();
        Some((self.part(0, &self.text[..at]).trim(), self.part(behind, &self.text[behind..]).trim()))
    }

    fn words(self) -> Vec<Text<'t>> {
        let begin = |word: &'t str| word.as_ptr() as usize - self.text.as_ptr() as usize;
        self.text.split_whitespace().map(|word| self.part(begin(word), word)).collect()
    }

    fn error(self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.place, message)
    }
}

/// A condition on the number of tokens on a place.
#[derive(Clone, PartialEq)]
struct Condition {
    place: usize,
    /// Which of the comparisons.
    comparison: usize,
    number: u32,
}

struct Rule {
    text: String,
    span: Span,
    takes: Vec<u32>,
    gives: Vec<u32>,
}

#[derive(Default)]
struct Game {
    places: Vec<String>,
    initial: Vec<u32>,
    rules: Vec<Rule>,
    ends: Vec<Condition>,
    /// The names of the formulas that stand in the game; they are the first.
    names: Vec<String>,
    formulas: Vec<Ltl>,
    atoms: Vec<Condition>,
}

type Compares = fn(&u32, &u32) -> bool;
const COMPARISONS: [(&str, Compares); 6] =
    [("==", u32::eq), ("!=", u32::ne), ("<=", u32::le), (">=", u32::ge), ("<", u32::lt), (">", u32::gt)];

impl Game {
    fn line(&mut self, line: Text<'_>) -> Vec<Diagnostic> {
        let result = match line.split(" ").unwrap_or((line, line.part(line.text.len(), ""))) {
            (word, _) if word.text.is_empty() => Ok(()),
            (word, rest) if word.text == "tokens" => self.tokens(rest),
            (word, rest) if word.text == "step" => self.step(rest),
            (word, rest) if word.text == "end" => self.condition(rest).map(|end| self.ends.push(end)),
            (word, rest) if word.text == "check" => return self.check(rest),
            (word, _) => {
                Err(word.error("tokens.line", "lines begin with `tokens`, `step`, `end` or `check`"))
            }
        };
        result.err().into_iter().collect()
    }

    fn tokens(&mut self, mut rest: Text<'_>) -> Result<(), Diagnostic> {
        while let Some((first, others)) = rest.split(",") {
            self.place(first)?;
            rest = others;
        }
        self.place(rest)
    }

    fn place(&mut self, text: Text<'_>) -> Result<(), Diagnostic> {
        let (name, count) = text.split(" ").map_or((text, "0"), |(name, count)| (name, count.text));
        if name.text.is_empty() || !name.text.chars().all(|it| it.is_alphanumeric() || it == '_') {
            return Err(text.error("tokens.name", "a place is a name and how many tokens lie there"));
        }
        if self.places.iter().any(|place| place == name.text) {
            return Err(name.error("tokens.twice", format!("there is a place `{}` already", name.text)));
        }
        let count =
            count.parse().map_err(|_| text.error("tokens.number", "a number of tokens, such as 2"))?;
        self.places.push(name.text.to_string());
        self.initial.push(count);
        Ok(())
    }

    fn step(&mut self, rest: Text<'_>) -> Result<(), Diagnostic> {
        let form = || rest.error("tokens.step", "a step is `NAME: PLACES -> PLACES`");
        let (_, moves) = rest.split(":").ok_or_else(form)?;
        let (left, right) = moves.split("->").ok_or_else(form)?;
        let (takes, gives) = (self.counts(left)?, self.counts(right)?);
        self.rules.push(Rule { text: rest.text.to_string(), span: rest.place, takes, gives });
        Ok(())
    }

    /// How often each place is named.
    fn counts(&self, text: Text<'_>) -> Result<Vec<u32>, Diagnostic> {
        let mut counts = vec![0; self.places.len()];
        for word in text.words() {
            counts[self.find(word)?] += 1;
        }
        Ok(counts)
    }

    fn find(&self, name: Text<'_>) -> Result<usize, Diagnostic> {
        let found = self.places.iter().position(|place| place == name.text);
        found.ok_or_else(|| name.error("tokens.unknown", format!("there is no place `{}`", name.text)))
    }

    /// `PLACE == 2`, or `PLACE` alone, which means that some token is there.
    fn condition(&self, text: Text<'_>) -> Result<Condition, Diagnostic> {
        let signs = COMPARISONS.iter().enumerate();
        let found = signs.filter_map(|(index, (sign, _))| Some((index, text.split(sign)?))).next();
        let Some((comparison, (name, number))) = found else {
            return Ok(Condition { place: self.find(text)?, comparison: COMPARISONS.len() - 1, number: 0 });
        };
        let number = number.text.parse();
        let number = number.map_err(|_| text.error("tokens.number", "a number of tokens, such as 2"))?;
        Ok(Condition { place: self.find(name)?, comparison, number })
    }

    fn check(&mut self, rest: Text<'_>) -> Vec<Diagnostic> {
        let Some((name, formula)) = rest.split(":") else {
            return vec![rest.error("tokens.check", "a formula to check is `NAME: FORMULA`")];
        };
        self.names.push(name.text.to_string());
        self.read(formula).err().unwrap_or_default()
    }

    fn read(&mut self, text: Text<'_>) -> Result<FormulaId, Vec<Diagnostic>> {
        let mut atom = |name: &str| {
            let name = text.part(text.text.find(name).unwrap_or(0), name);
            self.condition(name).map(|condition| self.atom(condition))
        };
        let formula = model::read_ltl(text.place, text.text, &mut atom)?;
        self.formulas.push(formula);
        Ok(FormulaId(self.formulas.len() as u32 - 1))
    }

    fn atom(&mut self, condition: Condition) -> AtomId {
        let known = self.atoms.iter().position(|atom| *atom == condition);
        self.atoms.extend(known.is_none().then_some(condition));
        AtomId(known.unwrap_or(self.atoms.len() - 1) as u32)
    }

    fn is_true(&self, state: &[u32], condition: &Condition) -> bool {
        COMPARISONS[condition.comparison].1(&state[condition.place], &condition.number)
    }
}

impl Vocabulary for Game {
    fn contents(&self) -> Contents {
        let formulas = self.names.iter().cloned().zip((0..).map(FormulaId)).collect();
        Contents { formulas, ..Contents::default() }
    }

    fn read_formula(&mut self, text: &str, map: &mut SourceMap) -> Result<FormulaId, Vec<Diagnostic>> {
        let file = map.add("<formula>", text);
        self.read(Text { text, place: Span::new(file, 0, text.len()) })
    }

    fn read_atom(&mut self, text: &str) -> Option<AtomId> {
        let file = SourceMap::default().add("<condition>", text);
        let condition = self.condition(Text { text, place: Span::new(file, 0, text.len()) }).ok()?;
        Some(self.atom(condition))
    }

    fn formula(&self, formula: FormulaId) -> &Ltl {
        &self.formulas[formula.0 as usize]
    }

    fn show_atom(&self, atom: AtomId) -> String {
        let Condition { place, comparison, number } = &self.atoms[atom.0 as usize];
        format!("{} {} {number}", self.places[*place], COMPARISONS[*comparison].0)
    }
}

impl Explored for Game {
    type State = Vec<u32>;

    fn initial(&self) -> Result<Vec<Vec<u32>>, String> {
        Ok(vec![self.initial.clone()])
    }

    fn steps(&self, state: &Vec<u32>) -> Result<Vec<Step<Vec<u32>>>, String> {
        let mut steps = Vec::new();
        for Rule { text, span, takes, gives } in &self.rules {
            // Places that were declared after the step have no part in it.
            let with = |counts: &[u32], place: usize| counts.get(place).copied().unwrap_or(0);
            if (0..state.len()).any(|place| state[place] < with(takes, place)) {
                continue;
            }
            let after = |place: usize| (state[place] - with(takes, place)).checked_add(with(gives, place));
            let target: Option<Vec<u32>> = (0..state.len()).map(after).collect();
            let target = target.ok_or_else(|| format!("`{text}` makes more tokens than can be counted"))?;
            steps.push(Step { actor: "game".to_string(), text: text.clone(), span: *span, target });
        }
        Ok(steps)
    }

    fn may_end(&self, state: &Vec<u32>) -> bool {
        self.ends.iter().any(|end| self.is_true(state, end))
    }

    fn holds(&self, state: &Vec<u32>, atom: AtomId) -> Result<bool, String> {
        Ok(self.is_true(state, &self.atoms[atom.0 as usize]))
    }

    fn encode(&self, state: &Vec<u32>, words: &mut Vec<u32>) {
        words.extend(state);
    }

    fn decode(&self, words: &[u32]) -> Vec<u32> {
        words.to_vec()
    }

    fn show(&self, state: &Vec<u32>) -> Vec<(String, String)> {
        self.places.iter().cloned().zip(state.iter().map(u32::to_string)).collect()
    }

    fn blocked(&self, state: &Vec<u32>) -> Vec<(String, String)> {
        let lacks = |rule: &Rule| rule.takes.iter().zip(state).position(|(wanted, held)| held < wanted);
        let reason =
            |rule: &Rule| lacks(rule).map(|place| format!("a token is missing on {}", self.places[place]));
        self.rules.iter().filter_map(|rule| Some((rule.text.clone(), reason(rule)?))).collect()
    }
}
