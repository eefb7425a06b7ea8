//! Sessions with programs that only pretend to be solvers. Whatever they do, nothing is proved and nothing hangs.
#![cfg(unix)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use smt::{
    Answer, Budget, ModelValue, ProcessorTime, Session, SessionOptions, SolverKind, SolverOptions, Standby,
    Term, Terms, UnknownReason,
};

fn session(name: &str) -> Session {
    session_with(name, SessionOptions::default())
}

fn session_with(name: &str, settings: SessionOptions) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").join(name).with_extension("sh");
    let options = SolverOptions { kind: SolverKind::Z3, path, seed: 0 };
    Session::start_with(&options, settings).unwrap()
}

fn goal(terms: &mut Terms) -> Term {
    terms.constant("p", terms.bool_sort())
}

/// Asks twice, with a limit that is not reached.
fn answers(name: &str) -> [Answer; 2] {
    let mut terms = Terms::new();
    let mut session = session(name);
    let goal = goal(&mut terms);
    let budget = Budget::wall(Duration::from_secs(10));
    [session.prove(&terms, goal, &budget), session.prove(&terms, goal, &budget)]
}

fn is_error(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(UnknownReason::Error(_)))
}

#[test]
fn chatter_is_not_an_answer() {
    assert_eq!(answers("talkative"), [Answer::Unsat, Answer::Unsat]);
}

#[test]
fn a_lost_answer_is_an_error() {
    assert!(answers("silent").iter().all(is_error));
}

#[test]
fn an_answer_to_another_question_is_an_error() {
    let answers = answers("late");
    assert_eq!(answers[0], Answer::Sat);
    assert!(is_error(&answers[1]), "{answers:?}");
}

#[test]
fn two_answers_are_an_error() {
    assert!(answers("twofold").iter().all(is_error));
}

#[test]
fn nothing_is_proved_after_an_error() {
    for answer in answers("unhappy") {
        let Answer::Unknown(UnknownReason::Error(message)) = answer else { panic!("{answer:?}") };
        assert!(message.contains("unknown constant x"), "{message}");
    }
}

#[test]
fn who_dies_after_the_answer_is_not_believed() {
    for answer in answers("mortal") {
        let Answer::Unknown(UnknownReason::Died(message)) = answer else { panic!("{answer:?}") };
        assert!(message.contains("101") && message.contains("out of memory"), "{message}");
    }
}

#[test]
fn who_never_lived_is_reported_dead() {
    for answer in answers("stillborn") {
        assert!(matches!(answer, Answer::Unknown(UnknownReason::Died(_))), "{answer:?}");
    }
}

#[test]
fn a_wall_limit_ends_the_longest_thought() {
    let mut terms = Terms::new();
    let mut session = session("thoughtful");
    let goal = goal(&mut terms);
    let start = Instant::now();
    let answer = session.prove(&terms, goal, &Budget::wall(Duration::from_millis(100)));
    assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
    drop(session);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_wall_limit_holds_for_who_does_not_listen() {
    let mut terms = Terms::new();
    let mut session = session("deaf");
    let goal = goal(&mut terms);
    let int = terms.int_sort();
    // More than a pipe holds.
    for number in 0..20_000 {
        let constant = terms.constant(&format!("constant_{number}"), int);
        let number = terms.int(number);
        let fact = terms.less(constant, number);
        session.assert(&terms, fact);
    }
    let start = Instant::now();
    let answer = session.prove(&terms, goal, &Budget::wall(Duration::from_millis(100)));
    assert_eq!(answer, Answer::Unknown(UnknownReason::Timeout));
    session.send();
    drop(session);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// A budget is spent by the work of the solver where that is known; where nobody can tell, by time.
#[test]
fn a_budget_lasts_for_the_work_of_the_solver() {
    let ask = |processor_time: Option<ProcessorTime>| {
        std::thread::spawn(move || {
            let mut terms = Terms::new();
            let mut session =
                session_with("slow", SessionOptions { processor_time, ..SessionOptions::default() });
            let goal = goal(&mut terms);
            session.prove(&terms, goal, &Budget::resources(1))
        })
    };
    let looks = AtomicU32::new(0);
    let busy =
        ProcessorTime::new(move |_| Some(Duration::from_millis(10) * looks.fetch_add(1, Ordering::Relaxed)));
    let start = Instant::now();
    let diligent = ProcessorTime::new(move |_| Some(start.elapsed()));
    let answers = [Some(busy), Some(diligent), Some(ProcessorTime::new(|_| None)), None].map(ask);
    let limit = Answer::Unknown(UnknownReason::ResourceLimit);
    let expected = [Answer::Unsat, limit.clone(), limit.clone(), limit];
    assert_eq!(answers.map(|answer| answer.join().unwrap()), expected);
}

/// Each of these waits for ten seconds and does nothing meanwhile: they wait together.
#[test]
fn silence_ends_at_last() {
    let all: [(&str, fn()); 4] = [
        ("one session", who_never_says_a_word_is_given_up),
        ("small limits", silence_adds_up),
        ("several sessions", others_do_not_wait_for_the_same_silence),
        ("what it is", who_does_not_say_what_it_is_is_no_solver),
    ];
    let waiting = all.map(|(name, test)| (name, std::thread::spawn(test)));
    let failed: Vec<&str> =
        waiting.into_iter().filter_map(|(name, test)| test.join().err().map(|_| name)).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// A solver that does not work at all is given up long before the limit of a question, and not tried again.
fn who_never_says_a_word_is_given_up() {
    let start = Instant::now();
    let give_up = |name: &'static str| {
        std::thread::spawn(move || {
            let mut terms = Terms::new();
            let mut session = session(name);
            let goal = goal(&mut terms);
            let budget = Budget::wall(Duration::from_secs(600));
            for _ in 0..20 {
                let answer = session.prove(&terms, goal, &budget);
                assert!(matches!(answer, Answer::Unknown(UnknownReason::Died(_))), "{name}: {answer:?}");
            }
        })
    };
    for session in ["deaf", "garbled", "turned_away"].map(give_up) {
        session.join().unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(18));
}

/// Questions with small limits of their own find out as well.
fn silence_adds_up() {
    let mut terms = Terms::new();
    let mut session = session("deaf");
    let goal = goal(&mut terms);
    let start = Instant::now();
    let budget = Budget::wall(Duration::from_millis(2500));
    let answers: Vec<Answer> = (0..20).map(|_| session.prove(&terms, goal, &budget)).collect();
    assert_eq!(answers[0], Answer::Unknown(UnknownReason::Timeout));
    assert!(matches!(answers[19], Answer::Unknown(UnknownReason::Died(_))), "{answers:?}");
    assert!(start.elapsed() < Duration::from_secs(18));
}

/// The silence of one session is known to all that share its processes.
fn others_do_not_wait_for_the_same_silence() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/deaf.sh");
    let options = SolverOptions { kind: SolverKind::Z3, path, seed: 0 };
    let standby = Arc::new(Standby::new(&options, false));
    standby.want(1);
    let start = Instant::now();
    for _ in 0..5 {
        let settings = SessionOptions { standby: Some(standby.clone()), ..SessionOptions::default() };
        let mut terms = Terms::new();
        let mut session = Session::start_with(&options, settings).unwrap();
        let goal = goal(&mut terms);
        let answer = session.prove(&terms, goal, &Budget::UNLIMITED);
        let Answer::Unknown(UnknownReason::Died(message)) = answer else { panic!("{answer:?}") };
        assert_eq!(message, "it did not answer within 10 s of its start; is it a solver?");
    }
    standby.close();
    assert!(start.elapsed() < Duration::from_secs(18));
}

fn who_does_not_say_what_it_is_is_no_solver() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake/deaf.sh");
    let start = Instant::now();
    let error = smt::recognise(&path).unwrap_err();
    assert!(error.to_string().contains("did not say within 10 s what it is"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(18));
}

#[test]
fn a_flag_ends_the_longest_thought() {
    let mut terms = Terms::new();
    let interrupt = Arc::new(AtomicBool::new(false));
    let settings = SessionOptions { interrupt: interrupt.clone(), ..SessionOptions::default() };
    let mut session = session_with("thoughtful", settings);
    let goal = goal(&mut terms);
    let start = Instant::now();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        interrupt.store(true, Ordering::Relaxed);
    });
    let answer = session.prove(&terms, goal, &Budget::UNLIMITED);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Interrupted));
    assert_eq!(session.prove(&terms, goal, &Budget::UNLIMITED), answer);
    setter.join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_model_that_is_none_gives_no_values() {
    let mut terms = Terms::new();
    let mut session = session("late");
    let goal = goal(&mut terms);
    let (answer, values) = session.prove_with_model(&terms, goal, &Budget::UNLIMITED, &[goal]);
    assert_eq!(answer, Answer::Sat);
    assert_eq!(values, Some(vec![ModelValue::Unknown]));
}
