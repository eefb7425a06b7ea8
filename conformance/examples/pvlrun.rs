//! scratch
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let e = conformance::oracle::pvl::examine(&text, Default::default(), false, Default::default());
        println!("== {path} {:?}", e.rejected);
        for r in &e.runs {
            let x = &r.exploration;
            if x.runs > 0 || x.unknown.is_some() {
                println!(
                    "{}({}) g{} e{}: runs {} pruned {} dead {} thr {} {:?} fail {:?}",
                    r.method,
                    r.arguments,
                    r.manner.garbage,
                    r.manner.erased,
                    x.runs,
                    x.pruned,
                    x.deadlocks,
                    x.most_threads,
                    x.unknown,
                    x.failure.as_ref().map(|f| (f.code, f.place.map(|p| e.sources.place(p).line), &f.detail))
                );
            }
        }
    }
}
