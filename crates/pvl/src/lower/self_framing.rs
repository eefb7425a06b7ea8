//! Assertions that one state gives up and another one takes.
//!
//! In between, others may change whatever nobody in between holds permission to. So what the assertion says has to be
//! about locations that it holds itself: then nobody else can change them. This is asked of the engine, which sees
//! through aliases, addresses, predicates and functions: the assertion is assumed where nothing is held, in a branch that
//! nothing comes back from, and whatever it reads must be permitted there.

use silver::syntax::tree as s;
use source::Span;

use super::frames::Framed;
use super::origin::Role;
use super::scope::Scope;

/// The code of what is read without being held.
pub(super) const NOT_FRAMED: &str = "notFramed";

impl Scope<'_, '_> {
    /// Checks that an assertion reads only what it holds, for the values that variables have here.
    ///
    /// It is made anew, so that a failure of this check can be told from one of the places where it is used.
    pub(super) fn check_self_framing(
        &mut self,
        place: Span,
        assertion: impl FnOnce(&mut Self) -> s::Expression,
    ) {
        let mark = self.lowering.origins.mark();
        let assertion = self.specification(assertion);
        self.lowering.origins.add_region(mark, Role::Code(NOT_FRAMED));
        if super::build::is_true(&assertion) {
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
