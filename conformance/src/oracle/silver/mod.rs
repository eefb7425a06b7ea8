//! Silver: a concrete interpreter and a generator of random programs.
//!
//! Of the tool only the front end is used (crate `silver`: names and types resolved, plugins desugared).

use super::random::Random;
use super::{Effort, Language, Point, Runs};

pub struct Silver;

impl Language for Silver {
    fn name(&self) -> &'static str {
        "silver"
    }

    fn extension(&self) -> &'static str {
        "vpr"
    }

    fn generate(&self, _random: &mut Random) -> String {
        "method m() { assert true }\n".to_string()
    }

    fn execute(&self, _text: &str, _random: &mut Random, _effort: &Effort) -> Result<Runs, String> {
        Err("there is no interpreter yet".to_string())
    }

    fn smaller(&self, _text: &str) -> Vec<String> {
        Vec::new()
    }

    fn with_false(&self, _text: &str) -> Vec<Point> {
        Vec::new()
    }
}
