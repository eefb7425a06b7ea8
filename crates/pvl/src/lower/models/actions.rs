//! Action blocks (VMCAI 2020, figure 5, HT-PROCUPDATE).
//!
//! On entry the part of the model is taken that allows the action, and the fields that it modifies may be written until its
//! end, where what the action ensures is checked against the values on entry. Of fields that it only reads some
//! permission has to stay, and their values: others may not have changed what the action's guard was about.

use silver::syntax::tree as s;
use source::Span;

use super::contracts::{FieldValues, Footprint, ModelView};
use super::fields::Token;
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::resolve::Type;
use crate::syntax::tree::{Expression, NodeId, Process, Statement};

/// An action block as it is written.
pub(crate) struct ActionBlock<'t> {
    pub(crate) model: &'t Expression,
    pub(crate) amount: &'t Expression,
    /// What is left of the term behind it.
    pub(crate) rest: &'t Expression,
    pub(crate) action: &'t Expression,
    pub(crate) body: Option<&'t Statement>,
}

/// An action that is under way.
struct Running<'t> {
    declared: &'t Process,
    arguments: Vec<s::Expression>,
    object: s::Expression,
    footprint: Footprint,
    /// Values on entry.
    before: Vec<(NodeId, s::Expression)>,
    /// How much of the bound token of the fields that are only read was held on entry.
    shares: Vec<(NodeId, s::Expression)>,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn action_block(&mut self, block: &ActionBlock<'t>, place: Span) {
        if self.path.in_action {
            let message = "an action block stands inside of another one";
            let help = "an action is one step of a model: let the outer one end first";
            self.error("nestedAction", place, message, help);
            return;
        }
        let Some(model) = self.model_of(block.model) else { return };
        let whole = self.block(place, |scope| scope.action_steps(model, block, place));
        self.emit_kind(place, s::StatementKind::Block(whole));
    }

    fn action_steps(&mut self, model: NodeId, block: &ActionBlock<'t>, place: Span) {
        self.lowering.need(Theory::Process);
        let object = self.step_object(block.model);
        let ty = self.converted_type(block.amount);
        let share = self.expression(block.amount);
        let share = self.keep(share, &ty, "share", block.amount.span);
        self.check_receivers(block.model, &[block.rest]);
        let rest = self.expression(block.rest);
        let rest = self.keep(rest, &Type::Process, "rest", block.rest.span);
        let called = self.called_process(block.action);
        let is_of_model = |id: &NodeId| self.resolution.items.owners.get(id) == Some(&model);
        let Some((id, declared, true, arguments)) = called.filter(|called| is_of_model(&called.0)) else {
            let message = "this is not an action of the model";
            self.error("notAnAction", block.action.span, message, "name an action that the model declares");
            return;
        };
        self.check_receivers(block.model, &[block.action]);
        let name = self.lowering.action_function(id);
        let mut build = self.at(block.action.span);
        let action = build.call(&name, arguments.clone());
        let alternative = build.call("process_sequence", vec![action, rest.clone()]);
        self.take_state_with(&object, &share, &alternative, "actionNotOffered", place);
        let footprint = self.lowering.footprint(id);
        let mut running =
            Running { declared, arguments, object, footprint, before: Vec::new(), shares: Vec::new() };
        self.enter_action(&mut running, place);
        if let Some(body) = block.body {
            self.with(
                |scope| &mut scope.path.in_action,
                true,
                |scope| {
                    scope.without_exit(|scope| scope.statement(body));
                },
            );
        }
        self.leave_action(&running, place);
        let state = self.whole_state(running.object, share, rest, place);
        self.inhale(state, place);
    }

    fn enter_action(&mut self, running: &mut Running<'t>, place: Span) {
        let Running { object, footprint, .. } = &*running;
        let (object, footprint) = (object.clone(), footprint.clone());
        let held = self.full_access(&object, &footprint.modified, &[Token::Bound], true, place);
        self.assert_as(Role::Code("actionPermission"), held, place);
        for field in &footprint.read {
            let held = self.some_token(&object, *field, Token::Bound, place);
            let ty = self.ty(&Type::Rational, place);
            let name = self.local("share_held", ty, Some(held), place);
            let mut build = self.at(place);
            let none = build.no_permission();
            let amount = build.variable(&name);
            let some = build.less(none, amount.clone());
            self.assert_as(Role::Code("actionRead"), some, place);
            running.shares.push((*field, amount));
        }
        let all: Vec<NodeId> = footprint.modified.iter().chain(&footprint.read).copied().collect();
        running.before = self.kept_fields(&object, &all, place);
        let view = ModelView { now: FieldValues::Kept(running.before.clone()), start: None, object: None };
        let requires: Vec<&Expression> = running.declared.contract.preconditions().collect();
        for (_, clause) in self.model_clauses(running.declared, &running.arguments, requires, view) {
            self.assert_as(Role::Code("actionPre"), clause, place);
        }
        let bound = self.full_access(&object, &footprint.modified, &[Token::Bound], false, place);
        self.exhale_as(Role::Code("actionPermission"), bound, place);
        let open = self.full_access(&object, &footprint.modified, &[Token::Write, Token::Open], false, place);
        self.inhale(open, place);
        for (field, amount) in running.shares.clone() {
            self.exchange_read(&object, field, &amount, true, place);
        }
    }

    /// What is held of a field that is only read is open inside of the action, but never all of it can be written.
    fn exchange_read(
        &mut self,
        object: &s::Expression,
        field: NodeId,
        amount: &s::Expression,
        is_entry: bool,
        place: Span,
    ) {
        let mut build = self.at(place);
        let two = build.int(2);
        let half = build.binary(s::BinaryOperator::Divide, amount.clone(), two);
        let bound = self.token_access(object, field, Token::Bound, amount.clone(), place);
        let write = self.token_access(object, field, Token::Write, half, place);
        let open = self.token_access(object, field, Token::Open, amount.clone(), place);
        let opened = self.at(place).and(write, open);
        let (taken, given) = if is_entry { (bound, opened) } else { (opened, bound) };
        self.exhale_as(Role::Code(if is_entry { "actionRead" } else { "actionEnd" }), taken, place);
        self.inhale(given, place);
    }

    fn leave_action(&mut self, running: &Running<'t>, place: Span) {
        let Running { declared, arguments, object, footprint, before, shares } = running;
        let tokens = [Token::Write, Token::Open];
        let held = self.full_access(object, &footprint.modified, &tokens, true, place);
        self.assert_as(Role::Code("actionEnd"), held, place);
        for field in &footprint.read {
            let now = self.model_field(*field, object.clone(), Role::Location("actionEnd"), place);
            let Some((_, value)) = before.iter().find(|(id, _)| id == field) else { continue };
            let same = self.at(place).equal(now, value.clone());
            self.assert_as(Role::Code("actionReadChanged"), same, place);
        }
        let view = ModelView {
            now: FieldValues::Heap(object.clone()),
            start: Some(FieldValues::Kept(before.clone())),
            object: None,
        };
        let ensures: Vec<&Expression> = declared.contract.postconditions().collect();
        for (_, clause) in self.model_clauses(declared, arguments, ensures, view) {
            self.assert_as(Role::Code("actionPost"), clause, place);
        }
        let open = self.full_access(object, &footprint.modified, &tokens, false, place);
        self.exhale_as(Role::Code("actionEnd"), open, place);
        let bound = self.full_access(object, &footprint.modified, &[Token::Bound], false, place);
        self.inhale(bound, place);
        for (field, amount) in shares {
            self.exchange_read(object, *field, amount, false, place);
        }
    }
}
