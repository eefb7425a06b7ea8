//! Searches that are kept and taken up again: which can be, and what is said where one cannot.

use search::{Kept, Stage};
use store::{StoreFull, ThawError};

use crate::answer::Answer;
use crate::drive::Searchable;
use crate::options::{KeepsSearch, SearchOptions, StoreKind};

/// The code of a search that cannot be kept.
const UNSUPPORTED: &str = "checkpoint.unsupported";
/// The code of a checkpoint that cannot be read.
const DAMAGED: &str = "checkpoint.damaged";
/// The code of a checkpoint that needs more memory than there is.
const TOO_LARGE: &str = "checkpoint.memory";

/// Why a search cannot be kept or taken up; none where it can be, or nobody asks for it.
pub(crate) fn refusal(search: &impl Searchable, options: &SearchOptions) -> Option<Answer> {
    options.keeper.as_ref()?;
    let sentence = if !search.can_be_kept() {
        "models of this kind cannot be kept: `--checkpoint` and `--resume` are for models whose states have the same words in \
         every run"
    } else if options.store != StoreKind::Exact {
        "a store that may forget states cannot be kept: `--checkpoint` and `--resume` need `--store exact`"
    } else {
        return None;
    };
    Some(Answer::refused_with(UNSUPPORTED, sentence.to_string()))
}

/// Takes up a search where there is a checkpoint of it. Gives the stage of that; an error says why it cannot be taken up.
pub(crate) fn take_up(
    kept: &mut Kept<'_>,
    keeper: &dyn KeepsSearch,
    search: &mut impl Searchable,
) -> Result<Option<Stage>, Box<Answer>> {
    let refused = |code, sentence| Box::new(Answer::refused_with(code, sentence));
    let damaged = |error: std::io::Error| refused(DAMAGED, format!("the checkpoint cannot be read: {error}"));
    let Some(mut last) = keeper.last().map_err(damaged)? else { return Ok(None) };
    match kept.resume(search.product(), &mut last) {
        Ok(stage) => Ok(Some(stage)),
        Err(ThawError::Unreadable(error)) => Err(damaged(error)),
        Err(ThawError::Full(full)) => {
            let limit = match full {
                StoreFull::MemoryLimit => "`--max-memory` allows",
                _ => "there is",
            };
            let sentence = format!("the states of the checkpoint need more memory than {limit}");
            Err(refused(TOO_LARGE, sentence))
        }
    }
}
