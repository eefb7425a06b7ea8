//! What the names of a lowered program stand for in the PVL program.
//!
//! The engine speaks of terms of Silver: `element(a, i_3).array_int`, `this.Counter_x`. By this table they become `a[i]`
//! and `this.x` (see `port::term`). Variables that nobody wrote have no name in PVL.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// What a name of the Silver program stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A variable, or the result.
    Variable(String),
    Field(String),
    /// A function of its object that is written as a field.
    FinalField(String),
    /// A function or predicate, and whether its first argument is the object.
    Routine {
        name: String,
        has_object: bool,
    },
    /// A function without arguments that is written as a name.
    Constant(String),
    /// A function of a resource that is kept, written as the variable whose value it is.
    KeptVariable(String),
    /// The field of a location that is an element of an array, or what a pointer leads to: the location is written.
    Element,
    /// A function of the language that is written as a field of its argument.
    Selector(&'static str),
    /// A type that the member is generic in.
    TypeParameter(String),
    /// Who holds it has a kind of permission to a field of a model: the field and what the permission is written as, if
    /// nothing else says the same.
    Token {
        field: String,
        permission: Option<&'static str>,
    },
    /// A value that the language keeps for a model and that nobody can read.
    Kept,
    /// A process: text, with places for arguments, and what it can do first.
    Process {
        text: Vec<Piece>,
        offers: Vec<Offer>,
    },
}

/// Something that a process can do first, with the condition under which it can; without an action, it may end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    pub condition: Option<Vec<Piece>>,
    pub action: Option<Vec<Piece>>,
}

/// A part of the text of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Text(String),
    Argument(usize),
}

impl Meaning {
    /// What it is called in the PVL program, if it has a name there.
    pub fn name(&self) -> Option<&str> {
        match self {
            Meaning::Element | Meaning::Kept | Meaning::Process { .. } => None,
            Meaning::Token { field, .. } => Some(field),
            Meaning::Selector(name) => Some(name),
            Meaning::Variable(name)
            | Meaning::Field(name)
            | Meaning::FinalField(name)
            | Meaning::Constant(name)
            | Meaning::KeptVariable(name)
            | Meaning::TypeParameter(name)
            | Meaning::Routine { name, .. } => Some(name),
        }
    }
}

/// Names of a lowered program.
#[derive(Clone, Default, Debug)]
pub struct Spelling {
    meanings: FxHashMap<Arc<str>, Meaning>,
}

impl Spelling {
    pub(crate) fn add_variable(&mut self, silver: &Arc<str>, name: &str) {
        self.add(silver, Meaning::Variable(name.to_string()));
    }

    pub(crate) fn add_field(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::Field(name));
    }

    pub(crate) fn add_final_field(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::FinalField(name));
    }

    pub(crate) fn add_routine(&mut self, silver: &Arc<str>, name: String, has_object: bool) {
        self.add(silver, Meaning::Routine { name, has_object });
    }

    pub(crate) fn add_constant(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::Constant(name));
    }

    pub(crate) fn add_kept_variable(&mut self, silver: &Arc<str>, name: &str) {
        self.add(silver, Meaning::KeptVariable(name.to_string()));
    }

    pub(crate) fn add_element(&mut self, silver: &Arc<str>) {
        self.add(silver, Meaning::Element);
    }

    pub(crate) fn add_selector(&mut self, silver: &Arc<str>, name: &'static str) {
        self.add(silver, Meaning::Selector(name));
    }

    pub(crate) fn add_type_parameter(&mut self, silver: &Arc<str>, name: String) {
        self.add(silver, Meaning::TypeParameter(name));
    }

    pub(crate) fn add_token(&mut self, silver: &Arc<str>, field: String, permission: Option<&'static str>) {
        self.add(silver, Meaning::Token { field, permission });
    }

    pub(crate) fn add_kept(&mut self, silver: &Arc<str>) {
        self.add(silver, Meaning::Kept);
    }

    pub(crate) fn add_process(&mut self, silver: &Arc<str>, text: Vec<Piece>, offers: Vec<Offer>) {
        self.add(silver, Meaning::Process { text, offers });
    }

    fn add(&mut self, silver: &Arc<str>, meaning: Meaning) {
        self.meanings.entry(silver.clone()).or_insert(meaning);
    }

    /// What a name of the Silver program stands for, if somebody wrote it.
    pub fn get(&self, silver: &str) -> Option<&Meaning> {
        self.meanings.get(silver)
    }
}
