//! scratch
use conformance::oracle::pvl::{Pvl, plain, shapes};
use conformance::oracle::{
    Language,
    random::Random,
    verifier::{Verifier, Word},
};
fn main() {
    let v = Verifier::Child {
        program: "/opt/probity-base".into(),
        solver: None,
        timeout: std::time::Duration::from_secs(5),
    };
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let only = std::env::args().nth(2);
    for s in shapes() {
        if only.as_ref().is_some_and(|o| o != s) {
            continue;
        }
        let (mut holds, mut fails, mut codes) = (0, 0, std::collections::BTreeMap::<String, usize>::new());
        let t = std::time::Instant::now();
        let mut sample = String::new();
        for i in 0..n {
            let text = plain(s, &mut Random::nth(5, i));
            let a = v.ask(&text, "pvl");
            if a.verdict == Word::Holds {
                holds += 1
            } else {
                sample = text.clone();
            }
            for c in a.codes {
                *codes.entry(c).or_default() += 1;
            }
            match Pvl.execute(&text, &mut Random::new(1), &Default::default()) {
                Ok(r) => {
                    let f = r.failures.iter().any(|f| f.is_exact);
                    fails += u64::from(f);
                    if f && a.verdict != Word::Holds {}
                    for (k, _) in r.reasons {
                        *codes.entry("given up ".to_string() + &k).or_default() += 1;
                    }
                    if f {
                        *codes.entry("FAIL ".to_string() + &r.failures[0].code).or_default() += 1;
                    }
                }
                Err(e) => *codes.entry("not executable ".to_string() + &e).or_default() += 1,
            }
        }
        println!(
            "{s}: {holds}/{n} hold, {fails} fail, {:.2}s {codes:?}",
            t.elapsed().as_secs_f64() / n as f64
        );
        if holds < n / 2 || only.is_some() {
            println!("{sample}");
        }
    }
}
