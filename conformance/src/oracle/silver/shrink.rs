//! Smaller programs, and programs with `assert false` in them: edits of the parse tree, one at a time.

use silver::syntax::tree::{
    Block, Expression, ExpressionKind, Member, MemberKind, Otherwise, Program, Specification,
    SpecificationKind, Statement, StatementKind,
};
use silver::syntax::{parse, print};
use source::{Diagnostic, SourceMap, Span};

use crate::oracle::Point;

fn read(text: &str) -> Option<Program> {
    let mut map = SourceMap::default();
    let file = map.add("program.vpr", text);
    let (program, diagnostics) = parse(file, text);
    (!diagnostics.iter().any(Diagnostic::is_error)).then_some(program)
}

/// All programs that are one edit smaller: members go first, then statements, clauses and parts of expressions.
pub(super) fn smaller(text: &str) -> Vec<String> {
    let Some(program) = read(text) else { return Vec::new() };
    let mut result = Vec::new();
    for pass in [Pass::Members, Pass::Statements, Pass::Clauses, Pass::Expressions] {
        for target in 0.. {
            let mut edited = program.clone();
            let mut editor = Editor { pass, target, seen: 0, is_done: false };
            editor.program(&mut edited);
            if !editor.is_done {
                break;
            }
            result.push(print(&edited));
        }
    }
    result
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Members,
    Statements,
    Clauses,
    Expressions,
}

/// Makes the edit with the number `target` of a pass.
struct Editor {
    pass: Pass,
    target: usize,
    seen: usize,
    is_done: bool,
}

impl Editor {
    fn here(&mut self, pass: Pass) -> bool {
        if self.is_done || self.pass != pass {
            return false;
        }
        self.is_done = self.seen == self.target;
        self.seen += 1;
        self.is_done
    }

    /// Leaves out one of the items.
    fn drop_one<T>(&mut self, pass: Pass, items: &mut Vec<T>) {
        // From the end: what comes late rests on what comes early.
        for index in (0..items.len()).rev() {
            if self.here(pass) {
                items.remove(index);
                return;
            }
        }
    }

    fn program(&mut self, program: &mut Program) {
        self.drop_one(Pass::Members, &mut program.members);
        for member in &mut program.members {
            self.member(member);
        }
    }

    fn member(&mut self, member: &mut Member) {
        match &mut member.kind {
            MemberKind::Method(method) => {
                if method.body.is_some() && self.here(Pass::Clauses) {
                    method.body = None;
                }
                self.clauses(&mut method.preconditions);
                self.clauses(&mut method.postconditions);
                self.drop_one(Pass::Clauses, &mut method.formals);
                self.drop_one(Pass::Clauses, &mut method.returns);
                if let Some(body) = &mut method.body {
                    self.block(body);
                }
            }
            MemberKind::Function(function) => {
                if function.body.is_some() && self.here(Pass::Clauses) {
                    function.body = None;
                }
                self.clauses(&mut function.preconditions);
                self.clauses(&mut function.postconditions);
                self.drop_one(Pass::Clauses, &mut function.formals);
                if let Some(body) = &mut function.body {
                    self.expression(body);
                }
            }
            MemberKind::Predicate(predicate) => {
                if predicate.body.is_some() && self.here(Pass::Clauses) {
                    predicate.body = None;
                }
                if let Some(body) = &mut predicate.body {
                    self.expression(body);
                }
            }
            MemberKind::Domain(domain) => {
                self.drop_one(Pass::Clauses, &mut domain.axioms);
                self.drop_one(Pass::Clauses, &mut domain.functions);
            }
            MemberKind::Adt(adt) => self.drop_one(Pass::Clauses, &mut adt.constructors),
            MemberKind::Fields(fields) if fields.len() > 1 => self.drop_one(Pass::Clauses, fields),
            _ => {}
        }
    }

    fn clauses(&mut self, clauses: &mut Vec<Specification>) {
        self.drop_one(Pass::Clauses, clauses);
        for clause in clauses {
            if let SpecificationKind::Assertion(assertion) = &mut clause.kind {
                self.expression(assertion);
            }
        }
    }

    fn block(&mut self, block: &mut Block) {
        self.drop_one(Pass::Statements, &mut block.statements);
        let mut index = 0;
        while index < block.statements.len() {
            if let Some(inside) = self.opened(&block.statements[index]) {
                block.statements.splice(index..=index, inside);
                return;
            }
            self.statement(&mut block.statements[index]);
            index += 1;
        }
    }

    /// The statements inside of a statement instead of it.
    fn opened(&mut self, statement: &Statement) -> Option<Vec<Statement>> {
        match &statement.kind {
            StatementKind::If { then, otherwise, .. } => {
                if self.here(Pass::Statements) {
                    return Some(then.statements.clone());
                }
                match otherwise {
                    Some(Otherwise::Block(block)) if self.here(Pass::Statements) => {
                        Some(block.statements.clone())
                    }
                    _ => None,
                }
            }
            StatementKind::While { body, .. } | StatementKind::Block(body) => {
                self.here(Pass::Statements).then(|| body.statements.clone())
            }
            _ => None,
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                if otherwise.is_some() && self.here(Pass::Statements) {
                    *otherwise = None;
                }
                self.expression(condition);
                self.block(then);
                match otherwise {
                    Some(Otherwise::Block(block)) => self.block(block),
                    Some(Otherwise::If(inner)) => self.statement(inner),
                    None => {}
                }
            }
            StatementKind::While { condition, invariants, body } => {
                self.expression(condition);
                self.clauses(invariants);
                self.block(body);
            }
            StatementKind::Package { wand, proof } => {
                self.expression(wand);
                if proof.is_some() && self.here(Pass::Statements) {
                    *proof = None;
                }
                if let Some(proof) = proof {
                    self.block(proof);
                }
            }
            StatementKind::Assign { value, .. } => self.expression(value),
            StatementKind::Variables { value, .. } if value.is_some() && self.here(Pass::Expressions) => {
                *value = None;
            }
            StatementKind::Assert(e)
            | StatementKind::Assume(e)
            | StatementKind::Inhale(e)
            | StatementKind::Exhale(e)
            | StatementKind::Fold(e)
            | StatementKind::Unfold(e)
            | StatementKind::Apply(e) => self.expression(e),
            _ => {}
        }
    }

    fn expression(&mut self, e: &mut Expression) {
        use ExpressionKind as K;
        let parts: Vec<Expression> = match &*e.kind {
            K::Binary(_, left, right) => vec![left.clone(), right.clone()],
            K::Conditional(_, then, otherwise) => vec![then.clone(), otherwise.clone()],
            K::Unary(_, operand) | K::Old(_, operand) => vec![operand.clone()],
            K::Unfolding(_, body) | K::Applying(_, body) | K::Asserting(_, body) => vec![body.clone()],
            K::Let { body, .. } => vec![body.clone()],
            K::Access(location, Some(_)) => {
                vec![Expression::new(K::Access(location.clone(), None), e.span)]
            }
            K::Forall { bindings, triggers, body } if !triggers.is_empty() => {
                let (bindings, body) = (bindings.clone(), body.clone());
                vec![Expression::new(K::Forall { bindings, triggers: Vec::new(), body }, e.span)]
            }
            _ => Vec::new(),
        };
        for part in parts {
            if self.here(Pass::Expressions) {
                *e = part;
                return;
            }
        }
        match &mut *e.kind {
            K::Unary(_, a) | K::Old(_, a) | K::Size(a) | K::Field(a, _) => self.expression(a),
            K::Binary(_, a, b) | K::Unfolding(a, b) | K::Applying(a, b) | K::InhaleExhale(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            K::Conditional(a, b, c) => {
                self.expression(a);
                self.expression(b);
                self.expression(c);
            }
            K::Access(a, amount) => {
                self.expression(a);
                if let Some(amount) = amount {
                    self.expression(amount);
                }
            }
            K::Forall { body, .. } | K::Exists { body, .. } | K::ForPerm { body, .. } => {
                self.expression(body)
            }
            K::Let { value, body, .. } => {
                self.expression(value);
                self.expression(body);
            }
            K::Call(_, arguments, _) | K::Collection(_, _, arguments) => {
                arguments.iter_mut().for_each(|argument| self.expression(argument));
            }
            _ => {}
        }
    }
}

/// The program with `assert false` at each point of each method, one at a time. Proofs of wands are left alone: what is
/// reached there is not reached by any run.
pub(super) fn with_false(text: &str) -> Vec<Point> {
    let Some(program) = read(text) else { return Vec::new() };
    let before = print(&program);
    let mut points = Vec::new();
    for index in 0..program.members.len() {
        for target in 0.. {
            let mut edited = program.clone();
            let MemberKind::Method(method) = &mut edited.members[index].kind else { break };
            let (name, Some(body)) = (method.name.text.to_string(), &mut method.body) else { break };
            let mut left = target;
            if !insert(body, method.name.span, &mut left) {
                break;
            }
            let text = print(&edited);
            let same = before.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
            let found = text.lines().skip(same).position(|line| line.trim() == "assert false");
            let line = (same + found.unwrap_or(0) + 1) as u32;
            points.push(Point { member: name, line, text });
        }
    }
    points
}

/// Inserts at the point with this number; counts down while there are others in front of it.
fn insert(block: &mut Block, span: Span, left: &mut usize) -> bool {
    for index in 0..=block.statements.len() {
        if *left == 0 {
            let kind = StatementKind::Assert(Expression::new(ExpressionKind::Bool(false), span));
            block.statements.insert(index, Statement { kind, span });
            return true;
        }
        *left -= 1;
        let Some(statement) = block.statements.get_mut(index) else { continue };
        let is_done = match &mut statement.kind {
            StatementKind::Block(block) => insert(block, span, left),
            StatementKind::While { body, .. } => insert(body, span, left),
            StatementKind::If { then, otherwise, .. } => {
                insert(then, span, left)
                    || match otherwise {
                        Some(Otherwise::Block(block)) => insert(block, span, left),
                        _ => false,
                    }
            }
            _ => false,
        };
        if is_done {
            return true;
        }
    }
    false
}
