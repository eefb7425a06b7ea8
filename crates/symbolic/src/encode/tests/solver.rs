//! What a solver makes of the axioms. `PROBITY_Z3` names it; without it, `z3` or `cvc5` on the search path is used.

use std::path::{Path, PathBuf};

use silver::Options;
use silver::typed::{BinaryOperator, Program, Type};
use smt::{Answer, Budget, Session, Term, UnknownReason};
use source::SourceMap;
use testing::{Disk, files_below};

use super::super::Encoder;
use super::{encoder, program};

/// About a second of work.
const BUDGET: u64 = 10_000_000;

fn session() -> Session {
    let name = std::env::var("PROBITY_Z3").ok().filter(|name| !name.is_empty());
    let solver =
        smt::recognise(name.as_deref().unwrap_or("z3").as_ref()).unwrap_or_else(|error| panic!("{error}"));
    Session::start(&solver, None).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_axioms(encoder: &mut Encoder<'_>, session: &mut Session) {
    for axiom in encoder.take_axioms() {
        session.assert(&encoder.terms, axiom);
    }
}

#[track_caller]
fn assert_not_refuted(answer: Answer) {
    let is_acceptable = matches!(
        answer,
        Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::ResourceLimit)
    );
    assert!(is_acceptable, "{answer:?}");
}

#[track_caller]
fn assert_proved(encoder: &mut Encoder<'_>, session: &mut Session, goal: Term) {
    assert_axioms(encoder, session);
    assert_eq!(session.prove(&encoder.terms, goal, &Budget::resources(BUDGET)), Answer::Unsat);
}

/// One snapshot that holds two values of every sort, each different from the other.
#[test]
fn snapshots_of_all_sorts_are_consistent() {
    let program = program(
        r#"domain D { function other(d: D): D axiom { forall d: D :: other(d) != d } }
           domain BV interpretation (SMTLIB: "(_ BitVec 8)") { function bv(i: Int): BV interpretation "(_ int2bv 8)" }
           field domain_value: D field vector: BV"#,
    );
    let types = {
        use Type::{Bool, Int, Perm, Ref};
        let domain = program.fields[0].ty.clone();
        let vector = program.fields[1].ty.clone();
        let simple = [Int, Bool, Perm, Ref, domain, vector];
        let seqs = simple.iter().cloned().map(Type::seq);
        let sets = simple.iter().cloned().map(Type::set);
        let multisets = simple.iter().cloned().map(Type::multiset);
        let maps = simple.iter().cloned().map(|ty| Type::map(ty, Bool));
        let nested = [Type::seq(Type::seq(Int)), Type::set(Type::map(Ref, Type::multiset(Perm)))];
        seqs.chain(sets).chain(multisets).chain(maps).chain(nested).chain(simple.clone()).collect::<Vec<_>>()
    };
    let mut encoder = encoder(&program);
    let mut session = session();
    let mut snapshot = encoder.unit();
    let mut facts = Vec::new();
    for ty in &types {
        let sort = encoder.sort(ty);
        let first = encoder.terms.fresh_constant("first", sort);
        let second = encoder.terms.fresh_constant("second", sort);
        facts.push(encoder.binary(BinaryOperator::NotEqual, first, second));
        for value in [first, second] {
            let wrapped = encoder.wrap(value);
            snapshot = encoder.combine(snapshot, wrapped);
        }
    }
    let sort = encoder.snap_sort();
    let whole = encoder.terms.fresh_constant("whole", sort);
    facts.push(encoder.terms.equal(whole, snapshot));
    // Reading everything back instantiates all axioms there are.
    let mut rest = whole;
    for ty in types.iter().rev() {
        let sort = encoder.sort(ty);
        for _ in 0..2 {
            let value = encoder.second(rest);
            let value = encoder.unwrap(value, sort);
            let marked =
                encoder.terms.function(&format!("read{}", sort.index()), &[sort], encoder.terms.bool_sort());
            facts.push(encoder.terms.apply(marked, &[value]));
            rest = encoder.first(rest);
        }
    }
    assert_axioms(&mut encoder, &mut session);
    for fact in facts {
        session.assert(&encoder.terms, fact);
    }
    assert_not_refuted(session.check(&Budget::resources(5 * BUDGET)));
}

#[test]
fn values_are_found_again_in_snapshots_that_are_only_equal() {
    let program = Program::default();
    let mut encoder = encoder(&program);
    let mut session = session();
    let (snap, int) = (encoder.snap_sort(), encoder.terms.int_sort());
    let s = encoder.terms.fresh_constant("s", snap);
    let t = encoder.terms.fresh_constant("t", snap);
    let i = encoder.terms.fresh_constant("i", int);
    let wrapped = encoder.wrap(i);
    let pair = encoder.combine(wrapped, t);
    let fact = encoder.terms.equal(s, pair);
    assert_axioms(&mut encoder, &mut session);
    session.assert(&encoder.terms, fact);
    let left = encoder.first(s);
    let value = encoder.unwrap(left, int);
    let goal = encoder.terms.equal(value, i);
    assert_proved(&mut encoder, &mut session, goal);
    // Equal halves make equal wholes.
    let u = encoder.terms.fresh_constant("u", snap);
    let (first, second) = (encoder.first(u), encoder.second(u));
    let (same_first, same_second) = (encoder.terms.equal(first, wrapped), encoder.terms.equal(second, t));
    let same = encoder.terms.equal(u, s);
    let goal = encoder.terms.all([same_first, same_second]);
    let goal = encoder.terms.implies(goal, same);
    assert_proved(&mut encoder, &mut session, goal);
    // But not every snapshot is an integer.
    let value = encoder.unwrap(t, int);
    let wrapped = encoder.wrap(value);
    let goal = encoder.terms.equal(wrapped, t);
    assert_axioms(&mut encoder, &mut session);
    assert_not_refuted(session.prove(&encoder.terms, goal, &Budget::resources(BUDGET)));
}

#[test]
fn unique_constants_are_different() {
    let program = program(
        "domain Color { unique function red(): Color unique function green(): Color function blue(): Color }",
    );
    let mut encoder = encoder(&program);
    let mut session = session();
    let mut constant = |name| {
        let function = program.find_domain_function(name).expect("a function of the program");
        encoder.domain_application(function, &[], &[])
    };
    let (red, green, blue) = (constant("red"), constant("green"), constant("blue"));
    let goal = encoder.terms.not_equal(red, green);
    assert_proved(&mut encoder, &mut session, goal);
    let goal = encoder.terms.not_equal(red, blue);
    assert_not_refuted(session.prove(&encoder.terms, goal, &Budget::resources(BUDGET)));
}

#[test]
fn interpreted_functions_compute() {
    let program = program(
        r#"domain BV interpretation (SMTLIB: "(_ BitVec 8)") {
             function bv(i: Int): BV interpretation "(_ int2bv 8)"
             function add(a: BV, b: BV): BV interpretation "bvadd"
         }
         domain F interpretation (SMTLIB: "(_ FloatingPoint 3 5)") {
             function fp(b: BV): F interpretation "(_ to_fp 3 5)"
             function plus(a: F, b: F): F interpretation "fp.add RNE"
         }"#,
    );
    let mut encoder = encoder(&program);
    let mut session = session();
    let function = |name| program.find_domain_function(name).expect("a function of the program");
    let bv = |encoder: &mut Encoder<'_>, value: i32| {
        let value = encoder.terms.int(value);
        encoder.domain_application(function("bv"), &[], &[value])
    };
    let (large, small, sum) = (bv(&mut encoder, 250), bv(&mut encoder, 10), bv(&mut encoder, 4));
    let added = encoder.domain_application(function("add"), &[], &[large, small]);
    let goal = encoder.terms.equal(added, sum);
    assert_proved(&mut encoder, &mut session, goal);
    // 1.0 + 1.0 is 2.0, with three bits of exponent biased by three and four of significand.
    let (one, two) = (bv(&mut encoder, 0x30), bv(&mut encoder, 0x40));
    let one = encoder.domain_application(function("fp"), &[], &[one]);
    let two = encoder.domain_application(function("fp"), &[], &[two]);
    let added = encoder.domain_application(function("plus"), &[], &[one, one]);
    let goal = encoder.terms.equal(added, two);
    assert_proved(&mut encoder, &mut session, goal);
}

/// Programs of Viper's suite whose axioms cannot hold, which solvers may find out.
const CONTRADICTORY: &[&str] = &["smoke/axiom.vpr", "all/basic/names.vpr"];

/// The axioms of all programs below a folder, `PROBITY_SILVER_FOLDER` or the corpus of the front end.
#[test]
fn axioms_of_programs_are_accepted_and_not_refuted() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../silver/tests/corpus");
    let root = std::env::var_os("PROBITY_SILVER_FOLDER").map_or(corpus, PathBuf::from);
    let mut session = session();
    let mut failures = Vec::new();
    for path in files_below(&root, &["vpr"]) {
        let mut map = SourceMap::default();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let file = map.add(path.display().to_string(), text);
        let Some(program) = silver::resolve(&mut map, file, &Disk, &Options::default()).program else {
            continue;
        };
        let is_contradictory = CONTRADICTORY.iter().any(|name| path.ends_with(name));
        let (terms, axioms) = silver::with_large_stack(|| {
            let mut encoder = encoder(&program);
            let axioms = encoder.take_axioms();
            (encoder.terms, axioms)
        });
        session.push();
        for axiom in axioms {
            session.assert(&terms, axiom);
        }
        let answer = session.check(&Budget::resources(BUDGET));
        session.pop(1);
        let is_expected = match &answer {
            Answer::Unsat => is_contradictory,
            Answer::Sat => true,
            Answer::Unknown(reason) => {
                matches!(reason, UnknownReason::Incomplete | UnknownReason::ResourceLimit)
            }
        };
        if !is_expected {
            failures.push(format!("{}: {answer:?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
