//! The definitions a preprocessor run has made.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

use super::token::Token;

/// The macros that are defined at some point of the text.
#[derive(Clone, Default, Debug)]
pub struct Macros {
    map: FxHashMap<Arc<str>, Arc<Macro>>,
}

/// One `#define`.
#[derive(Debug)]
pub struct Macro {
    /// None for an object-like macro.
    pub parameters: Option<Vec<Arc<str>>>,
    /// The last parameter takes the rest of the arguments.
    pub variadic: bool,
    pub body: Vec<Token>,
    /// The name in the definition; none for one given by the caller.
    pub span: Option<Span>,
}

impl Macros {
    pub fn get(&self, name: &str) -> Option<Arc<Macro>> {
        self.map.get(name).cloned()
    }

    pub fn is_defined(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The definition that was replaced, if there was one.
    pub fn define(&mut self, name: Arc<str>, definition: Macro) -> Option<Arc<Macro>> {
        self.map.insert(name, Arc::new(definition))
    }

    pub fn undefine(&mut self, name: &str) {
        self.map.remove(name);
    }
}

impl Macro {
    /// Whether two definitions say the same, spans aside, so that repeating one is no complaint.
    pub fn same_as(&self, other: &Macro) -> bool {
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| a.kind == b.kind)
    }
}
