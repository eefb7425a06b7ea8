use promela::lower::*;
use std::collections::HashSet;
struct L;
impl promela::Loader for L {
    fn load(&self, n: &str) -> Option<std::sync::Arc<str>> {
        std::fs::read(n).ok().map(|b| String::from_utf8_lossy(&b).into_owned().into())
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let plain = a[1] == "plain";
    let mut map = source::SourceMap::default();
    let (p, d) = promela::load(&a[2], &L, &Default::default(), &mut map);
    for x in &d {
        if x.is_error() {
            println!("diag {} {} {:?}", x.code, x.message, x.span().map(|s| map.place(s)));
        }
    }
    let Some(p) = p else {
        println!("rejected");
        return;
    };
    let l = match lower(&p, if plain { Optimisations::NONE } else { Optimisations::ALL }, &[]) {
        Ok(l) => l,
        Err(d) => {
            println!("lower {d:?}");
            return;
        }
    };
    if a.len() > 3 && a[3] == "dump" {
        for pr in &l.model.processes {
            println!("== {}", pr.name);
            for (i, loc) in pr.locations.iter().enumerate() {
                for e in &loc.edges {
                    println!(
                        "{i} -> {} atomic={} esc={} end={} {:?} resets={:?}",
                        e.target.0,
                        e.atomic,
                        e.escape,
                        loc.is_end,
                        e.statements.iter().map(|s| s.text.clone()).collect::<Vec<_>>(),
                        e.resets.len()
                    );
                }
            }
        }
    }
    if a.len() > 3 && a[3] == "int" {
        let it = transition::interpret::Interpreter::new(&l.model);
        let s0 = match it.initial() {
            Ok(s) => s,
            Err(f) => {
                println!("initial {f:?}");
                return;
            }
        };
        let mut seen = HashSet::new();
        seen.insert(s0.clone());
        let mut w = vec![s0];
        let mut errs = 0;
        let mut ends = 0;
        while let Some(s) = w.pop() {
            let m = it.macro_moves(&s);
            if m.is_empty() && !it.is_valid_end(&s) {
                ends += 1
            }
            for x in m {
                if x.fault.is_some() {
                    errs += 1
                }
                if let Some(n) = x.state
                    && seen.insert(n.clone())
                {
                    w.push(n)
                }
            }
        }
        println!("int states {} faults {errs} ends {ends}", seen.len());
    } else {
        let mut sys = match transition::compiled::System::new(&l.model) {
            Ok(s) => s,
            Err(e) => {
                println!("build {e}");
                return;
            }
        };
        let s0 = match sys.initial() {
            Ok(s) => s,
            Err(f) => {
                println!("initial {f:?}");
                return;
            }
        };
        let h = sys.hidden_words();
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        seen.insert(s0[h..].to_vec());
        let mut w = vec![s0];
        let mut errs = 0;
        let mut ends = 0;
        let mut out = transition::compiled::Successors::new();
        while let Some(mut s) = w.pop() {
            loop {
                s.resize(sys.width(), 0);
                sys.successors(&s, None, &mut out);
                if let Some(n) = out.needs_width {
                    sys.widen(n.max(sys.width() * 2));
                    seen = seen
                        .into_iter()
                        .map(|mut v| {
                            v.resize(sys.width() - h, 0);
                            v
                        })
                        .collect();
                } else {
                    break;
                }
            }
            if out.deadlock && !out.valid_end {
                ends += 1
            }
            errs += out.faults.len();
            for (_, v) in out.iter() {
                if seen.insert(v[h..].to_vec()) {
                    w.push(v.to_vec())
                }
            }
        }
        println!("com states {} faults {errs} ends {ends}", seen.len());
    }
}
