//! `probity cache`: the answers of solvers that are kept, and where.

use session::{AnswerCache, CacheSize};

use crate::output::{err, out};
use crate::verify_arguments::CacheArguments;
use crate::{BAD_INPUT, HOLDS};

pub(crate) fn run(arguments: &CacheArguments) -> u8 {
    let Some(cache) = AnswerCache::of_user(0) else {
        out("no answers are kept: PROBITY_CACHE is empty, or there is no folder for such things\n");
        return HOLDS;
    };
    if arguments.clear
        && let Err(message) = cache.clear()
    {
        err(&format!("probity: {message}\n"));
        return BAD_INPUT;
    }
    let CacheSize { books, answers, bytes } = cache.size();
    out(&report::cache_text(&cache.folder().display().to_string(), books as u64, answers, bytes));
    HOLDS
}
