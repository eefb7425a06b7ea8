//! Books that are damaged, forged, too many, or shared.

use std::sync::atomic::AtomicUsize;

use smt::{Answers, Kept, KeptAnswer, Key};
use testing::Random;
use verdict::{ProofReport, Verdict};

use super::*;
use crate::{Registry, VerifyOptions, find_solver, load_program, verify};

/// A folder that lasts as long as the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("probity-answers-{}-{number}", std::process::id())))
    }

    fn cache(&self) -> AnswerCache {
        AnswerCache::in_folder(&self.0, 0)
    }

    /// All books.
    fn books(&self) -> Vec<PathBuf> {
        let entries = |folder: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).map(|it| it.flatten().map(|it| it.path()).collect());
            entries.unwrap_or_default()
        };
        let mut books: Vec<PathBuf> = entries(&self.0).iter().flat_map(|it| entries(it)).collect();
        books.sort();
        books
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(name: &str, text: &str) -> LoadedProgram {
    let language = Registry::standard().program_language(Path::new(name)).expect("it is known");
    let text = crate::ProgramText { name: name.to_string(), text: text.into(), language };
    load_program(&[text], &crate::ProgramOptions::default()).unwrap_or_else(|_| panic!("{name} is a program"))
}

fn prove(loaded: &LoadedProgram, cache: Option<&AnswerCache>) -> ProofReport {
    let solver = find_solver(None).expect("there is a solver");
    let answers = cache.map(|cache| cache.books(loaded, &solver));
    let options = VerifyOptions { answers, counterexamples: false, ..VerifyOptions::new(solver) };
    let report = verify(loaded, &options, &verdict::Silent).unwrap_or_else(|_| panic!("it can be proved"));
    if let Some(cache) = cache {
        cache.finish();
    }
    report
}

/// Verdicts and failures.
fn said(report: &ProofReport) -> Vec<String> {
    let failures =
        |it: &verdict::MemberReport| it.failures.iter().map(|it| it.code.clone()).collect::<Vec<_>>();
    report.members.iter().map(|it| format!("{} {:?} {:?}", it.name, it.verdict, failures(it))).collect()
}

fn reused(report: &ProofReport) -> (u64, u64) {
    let sum = |of: fn(&verdict::ProofCost) -> u64| report.members.iter().map(|it| of(&it.cost)).sum();
    (sum(|cost| cost.reused), sum(|cost| cost.queries))
}

const PROGRAM: &str = "field f: Int
function square(n: Int): Int ensures 0 <= result { n * n }
method right(x: Ref, n: Int) requires acc(x.f) && 0 < n ensures acc(x.f) && x.f > n {
    var i: Int := 0
    x.f := 1
    while (i < n)
        invariant acc(x.f) && 0 <= i && i <= n && x.f == i + 1
    { i := i + 1 \n x.f := x.f + 1 }
    assert square(i) >= 0
    refute x.f == n
}
method wrong(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f > 0 { x.f := x.f + 1 }
";

#[test]
fn what_did_not_change_is_not_asked_again() {
    let scratch = Scratch::new();
    let loaded = load("a.vpr", PROGRAM);
    let plain = prove(&loaded, None);
    let cold = prove(&loaded, Some(&scratch.cache()));
    assert_eq!(said(&cold), said(&plain));
    assert_eq!(reused(&cold).0, 0);
    let warm = prove(&loaded, Some(&scratch.cache()));
    assert_eq!(said(&warm), said(&plain));
    let right = warm.members.iter().find(|it| it.name == "right").expect("it is there");
    // What is refuted rests on what is not proved, so it is asked.
    assert!(right.cost.reused > 3 && right.cost.reused < right.cost.queries, "{:?}", right.cost);
    let wrong = warm.members.iter().find(|it| it.name == "wrong").expect("it is there");
    assert_eq!((wrong.cost.reused, &wrong.verdict), (0, &Verdict::Violated), "a failure is asked afresh");
    let size = scratch.cache().size();
    assert!(size.books == 3 && size.answers > 5 && size.bytes > 200, "{size:?}");
}

/// Places are no part of a question.
#[test]
fn what_is_moved_is_the_same() {
    let scratch = Scratch::new();
    let member = "method m(s: Seq[Int]) requires |s| > 2 && (forall i: Int :: 0 <= i && i < |s| ==> s[i] > 0) \
                  { assert s[1] > 0 \n assert exists j: Int :: { s[j] } 0 <= j && j < |s| && s[j] > 0 }\n";
    let cold = prove(&load("a.vpr", member), Some(&scratch.cache()));
    assert_eq!(cold.verdict(), Verdict::Holds);
    let other = "// A comment.\n\nmethod before(t: Seq[Int]) \
                 requires forall k: Int :: 0 <= k && k < |t| ==> t[k] > 1 { assert |t| >= 0 }\n";
    let warm = prove(&load("a.vpr", &format!("{other}{member}")), Some(&scratch.cache()));
    let warm = warm.members.iter().find(|it| it.name == "m").expect("it is there");
    assert_eq!(warm.cost.reused, warm.cost.queries);
    assert!(warm.cost.queries > 0);
}

/// Of an edited member, what comes before the edit is not asked again, and undoing it finds everything.
#[test]
fn the_part_before_an_edit_is_the_same() {
    let scratch = Scratch::new();
    let text = |last: &str| {
        format!(
            "method m(a: Int, b: Int) requires a > b {{ assert a != b \n assert a * 2 > b * 2 \n {last} }}"
        )
    };
    prove(&load("a.vpr", &text("assert a > b - 1")), Some(&scratch.cache()));
    let edited = prove(&load("a.vpr", &text("assert a + 1 > b")), Some(&scratch.cache()));
    let (some, all) = reused(&edited);
    assert!(0 < some && some < all, "{some} of {all}");
    let undone = prove(&load("a.vpr", &text("assert a > b - 1")), Some(&scratch.cache()));
    let (some, all) = reused(&undone);
    assert_eq!(some, all);
}

/// A hundred folders of which something is wrong: none of it is believed, and all are as good as new afterwards.
#[test]
fn what_is_damaged_is_empty() {
    let scratch = Scratch::new();
    let loaded = load("a.vpr", PROGRAM);
    let plain = said(&prove(&loaded, None));
    prove(&loaded, Some(&scratch.cache()));
    let books = scratch.books();
    let whole: Vec<Vec<u8>> = books.iter().map(|book| std::fs::read(book).expect("it is there")).collect();
    let mut random = Random::new(7);
    for round in 0..100 {
        for (at, book) in books.iter().enumerate() {
            let mut bytes = whole[at].clone();
            match round % 5 {
                0 | 1 => {
                    let bit = random.below(bytes.len() * 8);
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
                2 => bytes.truncate(random.below(bytes.len())),
                3 => bytes = whole[(at + 1) % whole.len()].clone(),
                _ => bytes[HEADER_VERSION] = bytes[HEADER_VERSION].wrapping_add(1 + random.below(200) as u8),
            }
            std::fs::write(book, bytes).expect("it can be written");
            let id = id_of(book, &loaded);
            assert!(book::read(book, &id).is_empty(), "round {round}");
        }
        // To prove everything a hundred times takes long.
        if round % 20 < 5 && (round < 20 || testing::is_slow_round()) {
            let report = prove(&loaded, Some(&scratch.cache()));
            assert_eq!((said(&report), reused(&report).0), (plain.clone(), 0), "round {round}");
        }
    }
    std::fs::write(&books[0], &whole[0]).expect("it can be written");
    assert!(!book::read(&books[0], &id_of(&books[0], &loaded)).is_empty(), "nothing is ever read");
}

/// Where the version is in a header.
const HEADER_VERSION: usize = 15;

/// What a book of a program is of, found by trying.
fn id_of(book: &Path, loaded: &LoadedProgram) -> [u8; 32] {
    let file = std::path::absolute(&loaded.files[0]).expect("there is a folder");
    let name = file.as_os_str().as_encoded_bytes();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
    let program = hasher.finalize();
    let members = ["method m", "method right", "method wrong", "function square"];
    let ids = members.map(|member| blake3::keyed_hash(program.as_bytes(), member.as_bytes()));
    let id = ids.into_iter().find(|id| book.ends_with(&id.to_hex()[..32])).expect("it is a member");
    *id.as_bytes()
}

/// Whoever can write books with the right sums can say that everything is proved. To ask again finds it out.
#[test]
fn a_forged_book_is_found_out() {
    let scratch = Scratch::new();
    let loaded = load("a.vpr", "method m(a: Int, b: Int) requires a > b { assert a > b + 1 }");
    assert_eq!(prove(&loaded, Some(&scratch.cache())).verdict(), Verdict::Violated);
    let book = &scratch.books()[0];
    let id = id_of(book, &loaded);
    let mut records = book::read(book, &id);
    for (_, kept) in &mut records {
        *kept = Kept { answer: KeptAnswer::Unsat, ..*kept };
    }
    book::write(book, &id, &records).expect("it can be written");
    let believed = prove(&loaded, Some(&scratch.cache()));
    assert_eq!(believed.verdict(), Verdict::Holds, "the forgery is none");
    let recheck = AnswerCache::in_folder(&scratch.0, 100);
    let report = prove(&loaded, Some(&recheck));
    let Verdict::Unknown(verdict::Reason::Internal(reason)) = report.verdict() else {
        panic!("{:?}", report.verdict());
    };
    expect_test::expect!["an answer of the solver that was kept is wrong, and all that were kept are gone; run it again, and please report it with this input"].assert_eq(&reason);
    assert_eq!(scratch.cache().size(), CacheSize::default());
    assert_eq!(prove(&loaded, Some(&scratch.cache())).verdict(), Verdict::Violated);
}

#[test]
fn asking_again_finds_nothing_wrong() {
    let scratch = Scratch::new();
    let loaded = load("a.vpr", PROGRAM);
    let cold = prove(&loaded, Some(&scratch.cache()));
    for percent in [1, 50, 100] {
        let report = prove(&loaded, Some(&AnswerCache::in_folder(&scratch.0, percent)));
        assert_eq!(said(&report), said(&cold));
        assert_eq!(reused(&report).0 == 0, percent == 100);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_a_warning() {
    let scratch = Scratch::new();
    // Where a file is, no folder can be.
    std::fs::write(&scratch.0, "").expect("there is a folder for temporary files");
    let cache = scratch.cache();
    let loaded = load("a.vpr", PROGRAM);
    let report = prove(&loaded, Some(&cache));
    assert_eq!(said(&report), said(&prove(&loaded, None)));
    let warning = cache.warning().expect("it says so");
    assert_eq!(warning.code, "cache.unwritten");
    assert!(warning.help.is_some());
    let _ = std::fs::remove_file(&scratch.0);
}

fn kept(answer: KeptAnswer) -> Kept {
    Kept { answer, spent: 7 }
}

fn key(number: u32) -> Key {
    Key(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

#[test]
fn the_oldest_books_go_first() {
    let scratch = Scratch::new();
    let records: Vec<_> = (0..100).map(|number| (key(number), kept(KeptAnswer::Unsat))).collect();
    let path = |number: u64| scratch.0.join(format!("{:016x}/{number:032x}", number % 3));
    for number in 0..20_u64 {
        book::write(&path(number), &[1; 32], &records).expect("it can be written");
        let time = std::time::SystemTime::now() - std::time::Duration::from_secs(1_000 - number * 10);
        let file = std::fs::File::options().write(true).open(path(number)).expect("it is there");
        file.set_modified(time).expect("times can be set");
    }
    let size = scratch.cache().size();
    assert_eq!((size.books, size.answers), (20, 2_000));
    folder::bound(&scratch.0, size.bytes, 20);
    assert_eq!(scratch.cache().size(), size, "that is not too much");
    folder::bound(&scratch.0, size.bytes - 1, 20);
    let less = scratch.cache().size();
    assert!(less.bytes <= size.bytes / 4 * 3 && less.books >= 14, "{less:?}");
    assert!(!path(0).exists() && path(19).exists());
    folder::bound(&scratch.0, size.bytes, 8);
    assert_eq!(scratch.cache().size().books, 6);
    scratch.cache().clear().expect("it can be emptied");
    assert_eq!(scratch.cache().size(), CacheSize::default());
    assert!(!scratch.0.exists());
}

/// Two writers of one book: each finds a whole book, and what both have written is there in the end.
#[test]
fn books_are_shared() {
    let scratch = Scratch::new();
    let cache = scratch.cache();
    let solver = SolverOptions { kind: smt::SolverKind::Z3, path: "z3".into(), seed: 0 };
    let path = scratch.0.join("0123456789abcdef/0123");
    let open = || Book::open(cache.0.clone(), path.clone(), [3; 32], solver.clone());
    let (first, second) = (open(), open());
    first.put(key(1), kept(KeptAnswer::Unsat));
    second.put(key(2), kept(KeptAnswer::Sat));
    assert_eq!(first.get(&key(1)), None, "what is found out now is not from before");
    first.close();
    second.close();
    let third = open();
    assert_eq!(third.get(&key(1)), Some(kept(KeptAnswer::Unsat)));
    assert_eq!(third.get(&key(2)), Some(kept(KeptAnswer::Sat)));
    std::thread::scope(|scope| {
        for writer in 0..4_u32 {
            scope.spawn({
                let (open, path) = (&open, &path);
                move || {
                    for round in 0..50 {
                        let book = open();
                        book.put(key(1_000 * (writer + 1) + round), kept(KeptAnswer::Incomplete));
                        book.close();
                        assert!(!book::read(path, &[3; 32]).is_empty(), "a book is always whole");
                    }
                }
            });
        }
    });
    assert_eq!(scratch.books().len(), 1, "nothing else is left");
    assert!(cache.warning().is_none());
}
