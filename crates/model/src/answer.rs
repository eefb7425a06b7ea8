//! What checking one property found out.

use source::Diagnostic;
use verdict::{Coverage, PropertyReport, Reason, Statistics};

use crate::property::Property;
use crate::reports::unknown;

/// What a search found out.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// One for each name of [`Property::report_names`], or fewer.
    pub reports: Vec<PropertyReport>,
    /// What the search cost.
    pub statistics: Statistics,
    /// Where it was asked for.
    pub coverage: Option<Coverage>,
    /// Warnings: what is no violation, but is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// Why the search was not made as it was asked for. Nothing was searched then.
    pub refused: Option<Refused>,
}

/// Why a search is not made as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What is the same for every such refusal, where there is something.
    pub code: Option<&'static str>,
    /// The reason, in a sentence.
    pub sentence: String,
}

impl Answer {
    /// Nothing was searched; the sentence says why.
    pub fn unknown(property: &Property, sentence: String) -> Answer {
        Answer { reports: vec![unknown(property, Reason::Unsupported(sentence))], ..Answer::default() }
    }
}

impl Answer {
    pub(crate) fn refused(sentence: String) -> Answer {
        Answer { refused: Some(Refused { code: None, sentence }), ..Answer::default() }
    }

    pub(crate) fn refused_with(code: &'static str, sentence: String) -> Answer {
        Answer { refused: Some(Refused { code: Some(code), sentence }), ..Answer::default() }
    }
}

/// An answer, or what is wrong with the model.
pub type Checked = Result<Answer, Vec<Diagnostic>>;
