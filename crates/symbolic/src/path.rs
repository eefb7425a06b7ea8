//! Path conditions: what is assumed on the way to the current point, as a persistent chain of nodes.
//!
//! A node grows only while it is the end of the path that is being worked on. Scopes (the right side of `&&`, the body
//! of a quantifier) are nodes that are taken off again; branches are nodes that stay.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;
use smt::Term;
use source::Span;

#[derive(Debug)]
pub(crate) struct Node {
    pub id: u64,
    /// Of an expression, taken off again when it is done.
    is_scope: Cell<bool>,
    /// Changes when facts are taken back, so that a solver notices.
    pub generation: Cell<u32>,
    pub parent: Option<PathRef>,
    pub facts: RefCell<Vec<Term>>,
    known: RefCell<FxHashSet<Term>>,
    /// The condition of a branch of the program, for messages.
    pub branch: Option<(Term, Span, bool)>,
    /// The condition of a branch or of a case that is looked at by itself, and which way the path goes.
    pub choice: Option<(Term, bool)>,
}

pub(crate) type PathRef = Rc<Node>;

#[derive(Debug)]
pub(crate) struct Path {
    tip: PathRef,
    next_id: u64,
    /// Facts that follow from other facts of the path and need not be repeated in axioms.
    lemmas: FxHashSet<Term>,
}

/// A moment of the path to come back to.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    node: PathRef,
    facts: usize,
}

impl Path {
    pub(crate) fn new() -> Path {
        Path { tip: node(0, None, None, None), next_id: 1, lemmas: FxHashSet::default() }
    }

    pub(crate) fn tip(&self) -> &PathRef {
        &self.tip
    }

    /// Continues at a node from which no other path continues.
    pub(crate) fn move_to(&mut self, tip: PathRef) {
        self.tip = tip;
    }

    pub(crate) fn push_branch(&mut self, condition: Term, span: Span, taken: bool) {
        self.tip = self.child(self.tip.clone(), Some((condition, span, taken)), Some((condition, taken)));
    }

    /// Goes on with one case of a condition that the program does not branch on.
    pub(crate) fn push_case(&mut self, condition: Term, taken: bool) {
        self.tip = self.child(self.tip.clone(), None, Some((condition, taken)));
    }

    fn child(
        &mut self,
        parent: PathRef,
        branch: Option<(Term, Span, bool)>,
        choice: Option<(Term, bool)>,
    ) -> PathRef {
        let id = self.next_id;
        self.next_id += 1;
        node(id, Some(parent), branch, choice)
    }

    pub(crate) fn add(&mut self, fact: Term) -> bool {
        if self.knows(fact) {
            return false;
        }
        self.tip.facts.borrow_mut().push(fact);
        self.tip.known.borrow_mut().insert(fact);
        true
    }

    /// Adds a fact that follows from the others.
    pub(crate) fn learn(&mut self, fact: Term) {
        if self.add(fact) {
            self.lemmas.insert(fact);
        }
    }

    /// Whether a fact was found to follow from others, where it was added.
    pub(crate) fn is_lemma(&self, fact: Term) -> bool {
        self.lemmas.contains(&fact)
    }

    pub(crate) fn knows(&self, fact: Term) -> bool {
        let mut node = Some(&self.tip);
        while let Some(current) = node {
            if current.known.borrow().contains(&fact) {
                return true;
            }
            node = current.parent.as_ref();
        }
        false
    }

    /// Starts a scope in which an expression is worked on; [`Path::close_scope`] ends it.
    pub(crate) fn open_scope(&mut self) -> PathRef {
        let outer = self.open_section();
        self.tip.is_scope.set(true);
        outer
    }

    /// Starts a scope in which there are heaps that exist only there; [`Path::close_scope`] ends it.
    pub(crate) fn open_section(&mut self) -> PathRef {
        let outer = self.tip.clone();
        self.tip = self.child(outer.clone(), None, None);
        outer
    }

    /// Adds a fact outside of all scopes of expressions around.
    pub(crate) fn add_outside(&mut self, fact: Term) -> bool {
        if self.knows(fact) {
            return false;
        }
        let mut node = self.tip.clone();
        while let (true, Some(parent)) = (node.is_scope.get(), &node.parent) {
            let parent = parent.clone();
            node = parent;
        }
        node.facts.borrow_mut().push(fact);
        node.known.borrow_mut().insert(fact);
        true
    }

    /// Ends a scope and gives the facts that were added since it began, oldest first.
    pub(crate) fn close_scope(&mut self, outer: &PathRef) -> Vec<Term> {
        let mut nodes = Vec::new();
        let mut current = self.tip.clone();
        while !Rc::ptr_eq(&current, outer) {
            nodes.push(current.clone());
            match &current.parent {
                Some(parent) => current = parent.clone(),
                None => break,
            }
        }
        self.tip = outer.clone();
        nodes.iter().rev().flat_map(|node| node.facts.borrow().clone()).collect()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { node: self.tip.clone(), facts: self.tip.facts.borrow().len() }
    }

    /// Takes back everything that was added since the mark.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        self.tip = mark.node.clone();
        let mut facts = self.tip.facts.borrow_mut();
        if facts.len() > mark.facts {
            let mut known = self.tip.known.borrow_mut();
            for fact in facts.drain(mark.facts..) {
                known.remove(&fact);
            }
            self.tip.generation.set(self.tip.generation.get() + 1);
        }
    }

    /// Facts that were added since the mark, oldest first.
    pub(crate) fn since(&self, mark: &Mark) -> Vec<Term> {
        let mut nodes = Vec::new();
        let mut current = Some(self.tip.clone());
        while let Some(node) = current {
            let is_start = Rc::ptr_eq(&node, &mark.node);
            let skip = if is_start { mark.facts } else { 0 };
            nodes.push(node.facts.borrow()[skip..].to_vec());
            current = if is_start { None } else { node.parent.clone() };
        }
        nodes.into_iter().rev().flatten().collect()
    }

    /// The ways that were taken since the mark, first one first.
    pub(crate) fn choices_since(&self, mark: &Mark) -> Vec<(Term, bool)> {
        let mut found = Vec::new();
        let mut node = Some(&self.tip);
        while let Some(current) = node
            && !Rc::ptr_eq(current, &mark.node)
        {
            found.extend(current.choice);
            node = current.parent.as_ref();
        }
        found.reverse();
        found
    }

    /// All ways that were taken.
    pub(crate) fn choices(&self) -> Vec<(Term, bool)> {
        let mut found = Vec::new();
        let mut node = Some(&self.tip);
        while let Some(current) = node {
            found.extend(current.choice);
            node = current.parent.as_ref();
        }
        found
    }

    /// The branches of the program that lead here, first one first.
    pub(crate) fn branches(&self) -> Vec<(Term, Span, bool)> {
        let mut found = Vec::new();
        let mut node = Some(&self.tip);
        while let Some(current) = node {
            found.extend(current.branch);
            node = current.parent.as_ref();
        }
        found.reverse();
        found
    }

    /// All nodes from the beginning to the current point.
    pub(crate) fn chain(&self) -> Vec<PathRef> {
        let mut nodes = Vec::new();
        let mut node = Some(self.tip.clone());
        while let Some(current) = node {
            node = current.parent.clone();
            nodes.push(current);
        }
        nodes.reverse();
        nodes
    }
}

fn node(
    id: u64,
    parent: Option<PathRef>,
    branch: Option<(Term, Span, bool)>,
    choice: Option<(Term, bool)>,
) -> PathRef {
    Rc::new(Node {
        id,
        is_scope: Cell::new(false),
        generation: Cell::new(0),
        parent,
        facts: RefCell::default(),
        known: RefCell::default(),
        branch,
        choice,
    })
}
