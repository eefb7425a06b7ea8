//! How deep rules are inside of each other, so that no text makes a parser run out of stack.

#[derive(Clone, Debug)]
pub struct Nesting {
    depth: usize,
    limit: usize,
}

impl Nesting {
    pub fn new(limit: usize) -> Nesting {
        Nesting { depth: 0, limit }
    }

    /// Goes one level deeper; false, and no level deeper, where that is too deep.
    #[inline]
    pub fn enter(&mut self) -> bool {
        let fits = self.depth < self.limit;
        self.depth += usize::from(fits);
        fits
    }

    /// Leaves a level that was entered.
    #[inline]
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
