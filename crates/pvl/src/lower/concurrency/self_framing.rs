//! Assertions that one state gives up and another one takes.
//!
//! In between, other threads may change every location that the assertion does not hold. So it may only speak about
//! locations that it holds permission to itself. This is asked of the engine, which sees
//! through aliases, addresses, predicates and functions: the assertion is assumed where nothing is held, in a branch that
//! nothing comes back from, and whatever it reads must be permitted there.

use silver::syntax::tree as s;
use source::Span;

use crate::lower::concurrency::frames::Framed;
use crate::lower::origin::Role;
use crate::lower::scope::Scope;

/// The code of what is read without being held.
pub(crate) const NOT_FRAMED: &str = "notFramed";

impl Scope<'_, '_> {
    /// Checks that an assertion reads only what it holds, for the values that variables have here.
    ///
    /// It is made anew, so that a failure of this check can be told from one of the places where it is used.
    pub(crate) fn check_self_framing(
        &mut self,
        place: Span,
        assertion: impl FnOnce(&mut Self) -> s::Expression,
    ) {
        let mark = self.lowering.origins.mark();
        let assertion = self.specification(assertion);
        self.lowering.origins.add_region(mark, Role::Code(NOT_FRAMED));
        if crate::lower::build::is_true(&assertion) {
            return;
        }
        self.aside(place, |scope| {
            let framed = Framed {
                before: Vec::new(),
                after: Vec::new(),
                established: "notEstablished",
                ensured: "notEstablished",
                place,
            };
            scope.framed(framed, |scope| scope.inhale(assertion, place));
        });
    }
}
