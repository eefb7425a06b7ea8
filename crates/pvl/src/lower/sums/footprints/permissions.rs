//! Needs as preconditions: permission to read for every value of the variables.
//!
//! Silver wants different values of a quantified permission's variables to name different locations. Where the text
//! shows that they do, as for elements of one array, the permission is quantified over the variables. Otherwise it is
//! quantified over the locations: `forall r :: (exists i :: … && r == x(i)) ==> acc(r.f)`, which allows for one object
//! that is named twice. Of the values that exist, one is found by a *marker*, a function that is the identity: a sum
//! applies it to the index of the term that it adds. An element of one of several arrays is told by its array: which
//! arrays these are is a function of its own, which is evaluated for few arrays instead of many elements.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::syntax::tree as s;

use super::terms::{Replacements, as_name, mentions, replaced, text};
use super::{Need, Walk};
use crate::lower::names::Names;
use crate::lower::terms::triggers::is_application;

/// The function that gets the preconditions.
pub(crate) struct Owner<'o> {
    pub name: &'o Arc<str>,
    pub formals: &'o [s::Binding],
    pub globals: &'o mut Names,
    /// Functions that the preconditions use.
    pub members: Vec<s::Function>,
}

/// The variable of a sum, which runs between two others.
pub(crate) struct SumIndex {
    pub name: Arc<str>,
    pub low: Arc<str>,
    pub high: Arc<str>,
    pub marker: Arc<str>,
    /// Whether a precondition uses the marker.
    pub is_marked: bool,
}

/// The array and the position of an element.
fn as_element(term: &s::Expression) -> Option<(&s::Expression, &s::Expression)> {
    match &*term.kind {
        s::ExpressionKind::Call(name, arguments, _) if &*name.text == "element" => match &arguments[..] {
            [array, position] => Some((array, position)),
            _ => None,
        },
        _ => None,
    }
}

impl Walk<'_> {
    /// The needs of what was walked, each one once.
    pub(crate) fn preconditions(
        &mut self,
        owner: &mut Owner<'_>,
        mut index: Option<&mut SumIndex>,
    ) -> Vec<s::Specification> {
        let mut result: Vec<s::Specification> = Vec::new();
        let mut known = FxHashSet::default();
        // Conditions under which something can be read.
        let mut framing: FxHashSet<String> = FxHashSet::default();
        for need in std::mem::take(&mut self.needs) {
            let mut parts = need.arguments.clone();
            parts.extend(need.conditions.iter().map(|(_, condition)| condition.clone()));
            let mut key: Vec<String> = parts.iter().map(text).collect();
            key.push(need.resource.text.to_string());
            if !known.insert(key) {
                continue;
            }
            let conditions: Vec<String> = need.conditions.iter().map(|(_, it)| text(it)).collect();
            let (need, uses_index) = self.simplified(need, index.as_deref());
            let own_index = if uses_index { index.as_deref_mut() } else { None };
            let assertion = match self.by_array(&need, own_index, owner, &framing, &result) {
                Some(assertion) => assertion,
                None => {
                    let own_index = if uses_index { index.as_deref_mut() } else { None };
                    self.permission(need, own_index)
                }
            };
            framing.extend(conditions);
            result.push(self.at().specification(assertion));
        }
        result
    }

    /// The need without conditions on variables that say nothing about the location: whether they have a value at all
    /// is not asked. Whether the index of the sum is one that does.
    fn simplified(&mut self, mut need: Need, index: Option<&SumIndex>) -> (Need, bool) {
        let mut variables: Vec<Arc<str>> = need.bound.iter().map(|it| it.name.text.clone()).collect();
        variables.extend(index.map(|index| index.name.clone()));
        let (inside, outside): (Vec<Arc<str>>, Vec<Arc<str>>) = variables.into_iter().partition(|name| {
            need.arguments.iter().any(|argument| mentions(argument, std::slice::from_ref(name)))
        });
        if inside.is_empty() {
            return (need, true);
        }
        need.conditions.retain(|(_, it)| !mentions(it, &outside) || mentions(it, &inside));
        let Some(index) = index else { return (need, false) };
        let name = std::slice::from_ref(&index.name);
        let uses_index =
            inside.contains(&index.name) || need.conditions.iter().any(|(_, it)| mentions(it, name));
        if !uses_index {
            let mut build = self.at();
            let (low, high) = (build.variable(&index.low), build.variable(&index.high));
            need.conditions.insert(0, (false, build.less(low, high)));
        }
        (need, uses_index)
    }

    fn permission(&mut self, mut need: Need, index: Option<&mut SumIndex>) -> s::Expression {
        let mut variables: Vec<Arc<str>> = need.bound.iter().map(|it| it.name.text.clone()).collect();
        let step_count = variables.len();
        variables.extend(index.as_ref().map(|index| index.name.clone()));
        let is_fixed = !need.arguments.iter().any(|argument| mentions(argument, &variables));
        if is_fixed {
            // Checks hold where the term is defined; those of the arguments are fixed as well.
            let is_conditional =
                need.conditions.iter().any(|(is_check, it)| !is_check && mentions(it, &variables));
            if !is_conditional {
                need.conditions.retain(|(_, condition)| !mentions(condition, &variables));
            }
            let (outer, inner): (Vec<_>, Vec<_>) =
                need.conditions.drain(..).partition(|(_, condition)| !mentions(condition, &variables));
            let mut conditions: Vec<s::Expression> = outer.into_iter().map(|(_, it)| it).collect();
            if inner.is_empty() {
                if let Some(index) = index {
                    let mut build = self.at();
                    let (low, high) = (build.variable(&index.low), build.variable(&index.high));
                    conditions.insert(0, build.less(low, high));
                }
            } else {
                let inner = inner.into_iter().map(|(_, it)| it).collect();
                conditions.push(self.some(need.bound, inner, index));
            }
            let access = self.access(&need.resource, need.is_field, need.arguments);
            let mut build = self.at();
            let condition = build.all(conditions);
            return build.implies(condition, access);
        }
        let others = &variables[..step_count];
        let uses_others = need.arguments.iter().any(|argument| mentions(argument, others))
            || need.conditions.iter().any(|(_, condition)| mentions(condition, others));
        let direct = match (index.as_deref(), &need.bound[..]) {
            (Some(index), _) if !uses_others => self.by_index(&need, &index.name, Some(index)),
            (None, [only]) if matches!(only.ty.kind, s::TypeKind::Int) => {
                self.by_index(&need, &only.name.text, None)
            }
            _ => None,
        };
        match direct {
            Some(assertion) => assertion,
            None => self.by_location(need, index),
        }
    }

    fn access(&mut self, resource: &s::Name, is_field: bool, arguments: Vec<s::Expression>) -> s::Expression {
        let kind = match (is_field, &arguments[..]) {
            (true, [receiver]) => s::ExpressionKind::Field(receiver.clone(), resource.clone()),
            _ => s::ExpressionKind::Call(resource.clone(), arguments, None),
        };
        let mut build = self.at();
        let location = build.expression(kind);
        let wildcard = build.wildcard();
        build.access(location, wildcard)
    }

    /// Quantified over the one variable, if its different values are seen to name different locations.
    fn by_index(&mut self, need: &Need, index: &Arc<str>, range: Option<&SumIndex>) -> Option<s::Expression> {
        let only = std::slice::from_ref(index);
        let mut replacements = Replacements::default();
        let name = self.names.fresh(index);
        let variable = self.at().variable(&name);
        let mut triggers = Vec::new();
        match &need.arguments[..] {
            [receiver] if need.is_field => {
                let (array, position) = as_element(receiver)?;
                if mentions(array, only) {
                    return None;
                }
                // The variable is the position; the index is what gives it.
                let value = self.index_at(position, index, variable.clone())?;
                replacements.insert(index.clone(), value);
                let mut build = self.at();
                let trigger = build.call("element", vec![array.clone(), variable.clone()]);
                if is_application(&trigger) {
                    triggers.push(build.trigger(vec![trigger]));
                }
            }
            arguments if arguments.iter().any(|it| as_name(it) == Some(index)) => {
                replacements.insert(index.clone(), variable.clone());
            }
            _ => return None,
        }
        let arguments = match (need.is_field, &need.arguments[..]) {
            (true, [receiver]) => {
                let (array, _) = as_element(receiver)?;
                vec![self.at().call("element", vec![array.clone(), variable])]
            }
            (_, arguments) => arguments.iter().map(|it| replaced(it, &replacements, self.names)).collect(),
        };
        let mut conditions = Vec::new();
        if let Some(range) = range {
            let mut build = self.at();
            let (low, high) = (build.variable(&range.low), build.variable(&range.high));
            let mut value = build.variable(index);
            // What is read here may be readable because there is such an index.
            if range.is_marked {
                value = build.call(&range.marker, vec![value]);
            }
            conditions.push(build.within(low, value, high));
        }
        conditions.extend(need.conditions.iter().map(|(_, condition)| condition.clone()));
        let conditions = conditions.iter().map(|it| replaced(it, &replacements, self.names)).collect();
        let access = self.access(&need.resource, need.is_field, arguments);
        let mut build = self.at();
        let condition = build.all(conditions);
        let body = build.implies(condition, access);
        let int = build.ty(s::TypeKind::Int);
        let binding = build.binding(&name, int);
        Some(build.forall(vec![binding], triggers, body))
    }

    /// The index for which `position` is `value`, for `i`, `i + c`, `c + i`, `i - c` and `c - i`.
    fn index_at(
        &mut self,
        position: &s::Expression,
        index: &Arc<str>,
        value: s::Expression,
    ) -> Option<s::Expression> {
        use s::BinaryOperator as B;
        if as_name(position) == Some(index) {
            return Some(value);
        }
        let s::ExpressionKind::Binary(operator @ (B::Add | B::Subtract), left, right) = &*position.kind
        else {
            return None;
        };
        let only = std::slice::from_ref(index);
        if !mentions(right, only) {
            let back = if *operator == B::Add { B::Subtract } else { B::Add };
            let value = self.at().binary(back, value, right.clone());
            return self.index_at(left, index, value);
        }
        if mentions(left, only) {
            return None;
        }
        let mut build = self.at();
        let value = match operator {
            B::Add => build.subtract(value, left.clone()),
            _ => build.subtract(left.clone(), value),
        };
        self.index_at(right, index, value)
    }

    /// Elements of several arrays, if the need is one.
    fn by_array(
        &mut self,
        need: &Need,
        index: Option<&mut SumIndex>,
        owner: &mut Owner<'_>,
        framing: &FxHashSet<String>,
        before: &[s::Specification],
    ) -> Option<s::Expression> {
        let [receiver] = &need.arguments[..] else { return None };
        let (array, position) = as_element(receiver).filter(|_| need.is_field)?;
        let mut variables: Vec<Arc<str>> = need.bound.iter().map(|it| it.name.text.clone()).collect();
        variables.extend(index.as_ref().map(|index| index.name.clone()));
        if !mentions(array, &variables) {
            return None;
        }
        let [location, known_array, known_position] =
            ["location", "array", "position"].map(|wanted| self.names.fresh(wanted));
        let mut build = self.at();
        let element = build.variable(&location);
        let own_array = build.call("location_array", vec![element.clone()]);
        let own_position = build.call("location_index", vec![element.clone()]);
        let (array_value, position_value) = (build.variable(&known_array), build.variable(&known_position));
        // What holds of the element itself, and what is asked about its array.
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let mut bound = need.bound.clone();
        let mut replacements = Replacements::default();
        match bound.iter().position(|it| as_name(position) == Some(&it.name.text)) {
            Some(at) if !mentions(array, std::slice::from_ref(&bound[at].name.text)) => {
                replacements.insert(bound.remove(at).name.text, position_value.clone());
            }
            _ => inner.push(build.equal(position.clone(), position_value.clone())),
        }
        variables = bound.iter().map(|it| it.name.text.clone()).collect();
        variables.extend(index.as_ref().map(|index| index.name.clone()));
        let needs_checks = has_partial_operations(array)
            || need.conditions.iter().any(|(is_check, it)| !is_check && has_partial_operations(it));
        for (is_check, condition) in &need.conditions {
            // Checks hold where the term is defined; only what makes other parts readable is needed here.
            if !is_check || needs_checks || framing.contains(&text(condition)) {
                inner.push(replaced(condition, &replacements, self.names));
            }
        }
        let mut kept = Vec::new();
        for condition in inner {
            let is_of_element = mentions(&condition, std::slice::from_ref(&known_position))
                && !mentions(&condition, &variables);
            if is_of_element { outer.push(condition) } else { kept.push(condition) }
        }
        kept.push(self.at().equal(array.clone(), array_value));
        let uses_position = kept.iter().any(|it| mentions(it, std::slice::from_ref(&known_position)));
        let condition = self.some(bound, kept, index);
        let condition = replaced(&condition, &Replacements::default(), self.names);
        let function_name = owner.globals.fresh(&format!("{}_reads", owner.name));
        let mut build = self.at();
        let ty = build.name_of("Array");
        let ty = build.ty(s::TypeKind::Named(ty, None));
        let mut formals = vec![build.binding(&known_array, ty)];
        let mut arguments = vec![own_array.clone()];
        if uses_position {
            let int = build.ty(s::TypeKind::Int);
            formals.push(build.binding(&known_position, int));
            arguments.push(own_position.clone());
        }
        arguments.extend(owner.formals.iter().map(|formal| build.variable(&formal.name.text)));
        formals.extend(owner.formals.iter().cloned());
        let function = s::Function {
            name: build.name(&function_name),
            formals,
            result: build.ty(s::TypeKind::Bool),
            preconditions: before.to_vec(),
            postconditions: Vec::new(),
            body: Some(condition),
        };
        owner.members.push(function);
        let (null, zero) = (build.call("array_null", Vec::new()), build.int(0));
        let exists = build.different(own_array.clone(), null);
        let length = build.call("array_length", vec![own_array.clone()]);
        let inside = build.within(zero, own_position.clone(), length);
        let itself = build.call("element", vec![own_array, own_position.clone()]);
        let itself = build.equal(itself, element.clone());
        let mut conditions = vec![exists, inside, itself];
        let replacements = Replacements::from_iter([(known_position, own_position)]);
        // What reads the heap can do so only where there is a term, which the function says.
        let (total, partial): (Vec<s::Expression>, Vec<s::Expression>) =
            outer.into_iter().partition(is_total);
        conditions.extend(total.iter().map(|it| replaced(it, &replacements, self.names)));
        conditions.push(self.at().call(&function_name, arguments));
        conditions.extend(partial.iter().map(|it| replaced(it, &replacements, self.names)));
        let access = self.access(&need.resource, true, vec![element]);
        let mut build = self.at();
        let condition = build.all(conditions);
        let body = build.implies(condition, access);
        let reference = build.ty(s::TypeKind::Ref);
        let binding = build.binding(&location, reference);
        Some(build.forall(vec![binding], Vec::new(), body))
    }

    /// Quantified over the locations.
    fn by_location(&mut self, need: Need, index: Option<&mut SumIndex>) -> s::Expression {
        let Need { resource, is_field, mut arguments, bound, conditions } = need;
        let mut names: Vec<Arc<str>> = bound.iter().map(|it| it.name.text.clone()).collect();
        names.extend(index.as_ref().map(|index| index.name.clone()));
        let mut conditions: Vec<s::Expression> = conditions.into_iter().map(|(_, it)| it).collect();
        let mut inner = bound;
        let mut outer = Vec::new();
        let formals = self.declarations.predicates.get(&resource.text).map(|it| it.formals.clone());
        for (position, argument) in arguments.iter_mut().enumerate() {
            if !mentions(argument, &names) {
                continue;
            }
            // A variable that is the argument is the location.
            if let Some(at) = inner.iter().position(|it| as_name(argument) == Some(&it.name.text)) {
                let binding = inner.remove(at);
                names.retain(|name| *name != binding.name.text);
                outer.push(binding);
                continue;
            }
            let ty = match (is_field, &formals) {
                (false, Some(formals)) if position < formals.len() => formals[position].ty.clone(),
                _ => self.at().ty(s::TypeKind::Ref),
            };
            let name = self.names.fresh("location");
            let location = self.at().variable(&name);
            let argument = std::mem::replace(argument, location.clone());
            let mut build = self.at();
            conditions.push(build.equal(argument, location));
            outer.push(build.binding(&name, ty));
        }
        let condition = self.some(inner, conditions, index);
        let access = self.access(&resource, is_field, arguments);
        // All names are new, so that no quantifier meets another one over the same name.
        let body = self.at().implies(condition, access);
        let assertion = self.at().forall(outer, Vec::new(), body);
        replaced(&assertion, &Replacements::default(), self.names)
    }

    /// That there are values of the variables for which all conditions hold.
    fn some(
        &mut self,
        mut bound: Vec<s::Binding>,
        mut conditions: Vec<s::Expression>,
        index: Option<&mut SumIndex>,
    ) -> s::Expression {
        let mut terms = Vec::new();
        if let Some(index) = index {
            index.is_marked = true;
            let mut build = self.at();
            let variable = build.variable(&index.name);
            let marked = build.call(&index.marker, vec![variable]);
            let (low, high) = (build.variable(&index.low), build.variable(&index.high));
            conditions.insert(0, build.within(low, marked.clone(), high));
            terms.push(marked);
            let int = build.ty(s::TypeKind::Int);
            bound.insert(0, build.binding(&index.name, int));
        }
        bound.retain(|binding| {
            conditions.iter().any(|it| mentions(it, std::slice::from_ref(&binding.name.text)))
        });
        let is_triggered = self.add_triggers(&bound, &conditions, &mut terms);
        let mut build = self.at();
        let body = build.all(conditions);
        if bound.is_empty() {
            return body;
        }
        let triggers = if is_triggered { vec![build.trigger(terms)] } else { Vec::new() };
        build.expression(s::ExpressionKind::Exists { bindings: bound, triggers, body })
    }
}

impl Walk<'_> {
    /// Adds applications in the parts until all variables are in one; whether they are.
    pub(crate) fn add_triggers(
        &self,
        bound: &[s::Binding],
        parts: &[s::Expression],
        terms: &mut Vec<s::Expression>,
    ) -> bool {
        bound.iter().all(|binding| {
            let name = std::slice::from_ref(&binding.name.text);
            if terms.iter().any(|term| mentions(term, name)) {
                return true;
            }
            let mut found = Vec::new();
            parts.iter().for_each(|part| applications(part, name, &mut found));
            let best = found.iter().find(|it| !self.declarations.reads_heap(it)).or(found.first());
            terms.extend(best.cloned());
            best.is_some()
        })
    }
}

/// Whether Silver has to check something in the term other than positions in arrays and permissions.
fn has_partial_operations(term: &s::Expression) -> bool {
    use s::BinaryOperator::{Divide, IntDivide, Modulo};
    use s::ExpressionKind::{Binary, Bool, Call, Field, Int, Name, Null, Size, Unary};
    let mut found = match &*term.kind {
        Name(_) | Int(_) | Bool(_) | Null | Field(..) | Unary(..) | Size(_) => false,
        Call(name, ..) => !matches!(&*name.text, "element" | "length" | "array_null"),
        Binary(operator, ..) => matches!(operator, Divide | IntDivide | Modulo),
        _ => true,
    };
    term.kind.for_each_child(&mut |child| found = found || has_partial_operations(child));
    found
}

/// Whether a term has a value whatever is held.
fn is_total(term: &s::Expression) -> bool {
    let mut is_total = !matches!(&*term.kind, s::ExpressionKind::Field(..)) && !has_partial_operations(term);
    term.kind.for_each_child(&mut |child| is_total = is_total && self::is_total(child));
    is_total
}

/// Terms that can be triggers for a variable, small ones first.
fn applications(term: &s::Expression, name: &[Arc<str>], found: &mut Vec<s::Expression>) {
    use s::ExpressionKind::{Exists, Forall, Let};
    if matches!(&*term.kind, Forall { .. } | Exists { .. } | Let { .. }) {
        return;
    }
    term.kind.for_each_child(&mut |child| applications(child, name, found));
    if mentions(term, name) && is_application(term) {
        found.push(term.clone());
    }
}
