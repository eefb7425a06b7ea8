//! What stands at a place of the program: the nodes of its tree, found by their spans.

use source::Span;

use crate::syntax::tree::{
    Block, ClassMemberKind, Contract, DeclarationKind, Expression, ExpressionKind, ModelMemberKind,
    ParRegion, ParRegionKind, Program, Routine, Statement, StatementKind,
};

/// A node that can stand at a place.
#[derive(Clone, Copy)]
pub(super) enum Node<'t> {
    Expression(&'t Expression),
    Statement(&'t Statement),
    Block(&'t Block),
}

impl Node<'_> {
    pub(super) fn span(self) -> Span {
        match self {
            Node::Expression(it) => it.span,
            Node::Statement(it) => it.span,
            Node::Block(it) => it.span,
        }
    }
}

/// The first node, from the outside to the inside, for which there is an answer.
pub(super) fn find<'t, T>(program: &'t Program, answer: impl Fn(Node<'t>) -> Option<T>) -> Option<T> {
    let mut walk = Walk { work: Vec::new() };
    for declaration in &program.declarations {
        walk.declaration(&declaration.kind);
    }
    while let Some(node) = walk.work.pop() {
        if let Some(found) = answer(node) {
            return Some(found);
        }
        walk.children(node);
    }
    None
}

/// The nodes that are still to be looked at.
struct Walk<'t> {
    work: Vec<Node<'t>>,
}

impl<'t> Walk<'t> {
    fn expression(&mut self, expression: &'t Expression) {
        self.work.push(Node::Expression(expression));
    }

    fn contract(&mut self, contract: &'t Contract) {
        contract.for_each_expression(&mut |expression| self.expression(expression));
    }

    fn code(&mut self, contract: &'t Contract, body: Option<&'t Block>) {
        self.contract(contract);
        self.work.extend(body.map(Node::Block));
    }

    fn declaration(&mut self, kind: &'t DeclarationKind) {
        if let Some(routine) = kind.routine() {
            self.routine(routine);
        }
        match kind {
            DeclarationKind::Class(class) => {
                self.contract(&class.contract);
                class.members.iter().for_each(|member| self.class_member(&member.kind));
            }
            DeclarationKind::Adt(adt) => adt.axioms.iter().for_each(|axiom| self.expression(&axiom.body)),
            DeclarationKind::RewriteRule(rule) => self.expression(&rule.body),
            DeclarationKind::Model(model) => {
                for member in &model.members {
                    match &member.kind {
                        ModelMemberKind::Process(it) | ModelMemberKind::Action(it) => {
                            self.contract(&it.contract);
                            it.body.iter().for_each(|body| self.expression(body));
                        }
                        ModelMemberKind::Method(it) => self.routine(Routine::Method(it)),
                        ModelMemberKind::Function(it) => self.routine(Routine::Function(it)),
                        ModelMemberKind::Formula(it) => {
                            it.formula.for_each_expression(&mut |part| self.expression(part));
                        }
                        ModelMemberKind::Fields(_) => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn class_member(&mut self, member: &'t ClassMemberKind) {
        if let Some(routine) = member.routine() {
            self.routine(routine);
        }
        match member {
            ClassMemberKind::Constructor(it) => self.code(&it.contract, it.body.as_ref()),
            ClassMemberKind::Run(it) => self.code(&it.contract, it.body.as_ref()),
            _ => {}
        }
    }

    fn routine(&mut self, routine: Routine<'t>) {
        match routine {
            Routine::Method(it) => self.code(&it.contract, it.body.as_ref()),
            Routine::Lemma(it) => self.code(&it.contract, it.body.as_ref()),
            Routine::Function(it) => {
                self.contract(&it.contract);
                it.body.iter().for_each(|body| self.expression(body));
            }
            Routine::Predicate(it) => it.body.iter().for_each(|body| self.expression(body)),
        }
    }

    fn children(&mut self, node: Node<'t>) {
        match node {
            Node::Expression(expression) => {
                self.work.extend(expression.kind.ghost_statements().map(Node::Statement));
                expression.kind.for_each_child(&mut |child| self.expression(child));
            }
            Node::Block(block) => self.work.extend(block.statements.iter().map(Node::Statement)),
            Node::Statement(statement) => {
                statement.kind.for_each_expression(&mut |expression| self.expression(expression));
                match &statement.kind {
                    StatementKind::Block(block)
                    | StatementKind::Invariant { body: block, .. }
                    | StatementKind::Vector { body: block, .. } => self.work.push(Node::Block(block)),
                    StatementKind::Barrier { proof, .. } => self.work.extend(proof.iter().map(Node::Block)),
                    StatementKind::Par(region) => self.region(region),
                    other => other.for_each_child(&mut |child| self.work.push(Node::Statement(child))),
                }
            }
        }
    }

    fn region(&mut self, region: &'t ParRegion) {
        match &region.kind {
            ParRegionKind::Parallel(regions) | ParRegionKind::Sequential(regions) => {
                regions.iter().for_each(|region| self.region(region));
            }
            ParRegionKind::Block(block) => self.work.push(Node::Statement(&block.body)),
        }
    }
}

/// The expression at a place, if there is one that fits.
pub(super) fn expression<'t, T>(
    program: &'t Program,
    place: Span,
    pick: impl Fn(&'t Expression) -> Option<T>,
) -> Option<T> {
    find(program, |node| match node {
        Node::Expression(expression) if expression.span == place => pick(expression),
        // The place of a statement that is an expression stands for the expression.
        Node::Statement(Statement { span, kind: StatementKind::Evaluate(expression), .. })
            if *span == place =>
        {
            pick(expression)
        }
        _ => None,
    })
}

/// What an expression at a place is an index into.
pub(super) fn indexed(program: &Program, place: Span) -> Option<&Expression> {
    find(program, |node| {
        let Node::Expression(expression) = node else { return None };
        match &*expression.kind {
            ExpressionKind::Index(base, index) | ExpressionKind::Update(base, index, _)
                if index.span == place =>
            {
                Some(base)
            }
            _ => None,
        }
    })
}

/// The object that a statement at a place locks, forks, waits for, or the like.
pub(super) fn operated(program: &Program, place: Span) -> Option<&Expression> {
    find(program, |node| match node {
        Node::Statement(Statement {
            span,
            kind:
                StatementKind::Lock(object)
                | StatementKind::Unlock(object)
                | StatementKind::Wait(object)
                | StatementKind::Notify(object)
                | StatementKind::Commit(object)
                | StatementKind::Fork(object)
                | StatementKind::Join(object),
            ..
        }) if *span == place => Some(object),
        _ => None,
    })
}

/// Whether what stands at a place speaks about the result.
pub(super) fn mentions_result(program: &Program, place: Span) -> bool {
    let is_result = |node: Node<'_>| {
        let Node::Expression(expression) = node else { return None };
        let span = expression.span;
        let is_inside = span.file == place.file && place.start <= span.start && span.end <= place.end;
        (is_inside && matches!(*expression.kind, ExpressionKind::Result)).then_some(())
    };
    find(program, is_result).is_some()
}

/// Whether a place is a block, or a statement without further ones inside. Of the others, some are checked in a branch of
/// their own, which is left behind when it is done.
pub(super) fn is_plain_step(program: &Program, place: Span) -> bool {
    let is_step = |node: Node<'_>| {
        let is_step = match node {
            Node::Block(_) => true,
            Node::Statement(statement) => is_plain(statement),
            Node::Expression(_) => false,
        };
        (node.span() == place && is_step).then_some(())
    };
    find(program, is_step).is_some()
}

fn is_plain(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Block(_) => true,
        StatementKind::Ghost(inner) | StatementKind::Extract(inner) => is_plain(inner),
        other => {
            let mut has_inner = false;
            other.for_each_child(&mut |_| has_inner = true);
            !has_inner
        }
    }
}

/// The closing brace of the block that a place ends with; other places are left as they are.
pub(super) fn end(program: &Program, place: Span) -> Span {
    let ends_there = |node: Node<'_>| match node {
        Node::Block(block)
            if block.span.file == place.file
                && place.start <= block.span.start
                && block.span.end == place.end =>
        {
            Some(Span { start: place.end - 1, ..place })
        }
        _ => None,
    };
    find(program, ends_there).unwrap_or(place)
}
