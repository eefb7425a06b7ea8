//! Objects that threads share: locks, `fork` and `join`, and what each of them needs.

use super::writer::Writer;

/// Threads by objects.
pub(super) fn fork_join(w: &mut Writer<'_>) {
    let step = w.number(1, 3);
    let shares = w.chance(1, 2);
    w.line("class Cell { int v; }");
    w.line("class Worker {");
    w.lines("int result;\nfinal int n;\nfinal Cell cell;");
    let init = w.number(0, 2);
    w.line(format!("ensures Perm(result, write) ** idle(this) ** n == m ** cell == c ** result == {init};"));
    w.line(format!("constructor(int m, Cell c) {{ n = m; cell = c; result = {init}; }}"));
    w.line("context Perm(result, write);");
    let part = w.pick(&["1\\2", "1\\3", "write"]);
    if shares {
        w.line(format!("context cell != null ** Perm(cell.v, {part});"));
    }
    let (value, post) = match w.random.below(4) {
        0 if shares => (format!("n + cell.v * {step}"), format!("n + cell.v * {step}")),
        1 if w.chance(1, 3) => (format!("result + {step}"), format!("\\old(result) + {step}")),
        2 if shares => ("result + cell.v".to_string(), "\\old(result + cell.v)".to_string()),
        _ => (format!("n * {step}"), format!("n * {step}")),
    };
    w.line(format!("ensures result == {post};"));
    w.line("run {");
    w.line(format!("result = {value};"));
    if shares && part == "write" {
        w.line("cell.v = cell.v * 1;");
    }
    w.line("}");
    w.line("}");
    w.line("void main() {");
    let (v, m) = (w.number(0, 3), w.number(0, 3));
    w.line(format!("Cell c = new Cell();\nc.v = {v};").replace('\n', " "));
    w.line(format!("Worker one = new Worker({m}, c);"));
    let second = w.chance(2, 3);
    if second {
        w.line(format!("Worker two = new Worker({}, c);", m + 1));
    }
    if w.chance(1, 6) {
        w.line("two = one;");
    }
    w.line("fork one;");
    if second {
        w.line("fork two;");
    }
    if w.chance(1, 4) {
        let early = w.pick(&["c.v = 7;", "int e = c.v;", "one.result = 3;", "int e = one.n;"]);
        w.line(early);
    }
    w.line("join one;");
    w.observe("one.result");
    if second {
        w.line("join two;");
        w.observe("two.result");
    }
    if w.chance(1, 3) {
        w.line("c.v = c.v + 1;");
        w.line("fork one;");
        w.line("join one;");
        w.observe("one.result");
    }
    w.observe("c.v");
    w.line("}");
}

/// Locks and what they protect.
pub(super) fn locks(w: &mut Writer<'_>) {
    let start = w.number(0, 2);
    let step = w.number(1, 2);
    let fact = w.pick(&[
        "balance >= START",
        "balance % STEP == START % STEP",
        "balance >= other",
        "balance >= START ** other == 0",
    ]);
    let fact = fact.replace("START", &start.to_string()).replace("STEP", &step.to_string());
    let owns = if w.wild && w.chance(1, 3) {
        "Perm(balance, write)"
    } else {
        "Perm(balance, write) ** Perm(other, write)"
    };
    w.line(format!("lock_invariant {owns} ** {fact};"));
    w.line("class Account {");
    w.line("int balance, other;");
    w.line("ensures committed(this);");
    w.line(format!("constructor() {{ balance = {start}; other = 0; commit this; }}"));
    w.line("requires committed(this) && n >= 0;");
    w.line("void deposit(int n) {");
    w.line("lock this;");
    w.line(format!("balance = balance + n * {step};"));
    if w.chance(1, 5) {
        w.line("wait this;");
        w.line("notify this;");
    }
    if w.chance(1, 5) {
        w.line("other = 0;");
    }
    w.line("unlock this;");
    w.line("}");
    w.line("}");
    w.lines(
        "class Client {
         final Account account;
         final int n;
         requires a != null ** committed(a) ** m >= 0;
         ensures account == a ** n == m ** idle(this);
         constructor(Account a, int m) { account = a; n = m; }
         requires account != null ** committed(account) ** n >= 0;
         run {
         account.deposit(n);
         }
         }
         void main() {
         Account a = new Account();",
    );
    let deposit = w.number(0, 2);
    w.line(format!("Client one = new Client(a, {deposit});"));
    w.lines("Client two = new Client(a, 1);\nfork one;\nfork two;");
    if w.chance(1, 2) {
        w.line("a.deposit(1);");
    }
    if w.chance(1, 3) {
        w.line("lock a;");
        if fact.contains(">=") && !fact.contains("other") {
            w.line(format!("assert a.balance >= {start};"));
        }
        if w.chance(1, 6) {
            w.line("int seen = a.balance;");
            w.lines("unlock a;\nlock a;");
            w.observe("(a.balance >= seen ? 1 : 0)");
        }
        w.line("unlock a;");
    }
    w.lines("join one;\njoin two;\nlock a;");
    if fact.contains(&format!(">= {start}")) {
        w.line(format!("assert a.balance >= {start};"));
    }
    if fact.contains("other == 0") {
        w.observe("a.other");
    }
    if w.chance(1, 8) {
        w.observe("a.balance");
    }
    w.line("unlock a;");
    w.line("}");
}

/// `committed` behind predicates and functions, and locks that are not.
pub(super) fn kept_locks(w: &mut Writer<'_>) {
    w.line("lock_invariant Perm(v, write) ** v >= 0;");
    w.line("class Cell {");
    w.line("int v;");
    let commits = w.pick(&["always", "later", "sometimes"]);
    match commits.as_str() {
        "always" => {
            w.line("ensures committed(this);");
            w.line("constructor() { v = 1; commit this; }");
        }
        "later" => {
            w.line("ensures Perm(v, write) ** v == 1;");
            w.line("constructor() { v = 1; }");
        }
        _ => {
            w.line("ensures b ==> committed(this);");
            w.line("ensures !b ==> Perm(v, write) ** v == 1;");
            w.line("constructor(boolean b) { v = 1; if (b) { commit this; } }");
        }
    }
    let behind = w.pick(&["committed(this)", "committed(this)", "ready()", "known()"]);
    if behind == "ready()" {
        let inline = w.pick(&["inline ", ""]);
        let body = if w.wild {
            w.pick(&[
                "committed(this)",
                "!committed(this)",
                "(committed(this) ==> false)",
                "committed(this) || true",
            ])
        } else {
            "committed(this)".to_string()
        };
        w.line(format!("{inline}resource ready() = {body};"));
    } else if behind == "known()" {
        let body = if w.wild {
            w.pick(&["committed(this)", "!committed(this)", "committed(this) ? false : true"])
        } else {
            "committed(this)".to_string()
        };
        w.line(format!("pure boolean known() = {body};"));
    }
    w.line(format!("requires {behind};"));
    w.line("void use() {");
    if behind == "ready()" && w.chance(1, 2) {
        w.line("unfold ready();");
    }
    w.lines("lock this;\nv = v + 1;\nunlock this;\n}\n}");
    w.line("void main() {");
    match commits.as_str() {
        "sometimes" => {
            let truth = w.pick(&["true", "false"]);
            w.line(format!("Cell c = new Cell({truth});"));
            if truth == "false" {
                w.line("commit c;");
            }
        }
        "later" => {
            w.line("Cell c = new Cell();");
            if w.chance(3, 4) {
                w.line("commit c;");
            }
        }
        _ => w.line("Cell c = new Cell();"),
    }
    if behind == "ready()" && w.chance(1, 2) {
        w.line("fold c.ready();");
    }
    w.lines("c.use();\npar t (int i = 0 .. 2)");
    w.line("requires committed(c);");
    w.lines("{\nlock c;\nc.v = c.v + 1;\nunlock c;\n}\nlock c;");
    w.line("assert c.v >= 0;");
    w.observe("(c.v >= 0 ? 1 : 0)");
    w.lines("unlock c;\n}");
}

/// What needs a lock that is committed, held or free, and a thread that runs or does not, and nothing else.
pub(super) fn tokens(w: &mut Writer<'_>) {
    w.lines(
        "lock_invariant Perm(v, write);
         class Cell {
         int v;
         }
         class Worker {
         int done;
         run { }
         }
         void main() {
         Cell c = new Cell();
         Worker k = new Worker();",
    );
    let mut committed = false;
    let mut held = false;
    let mut running = false;
    for _ in 0..4 + w.random.below(4) {
        let wanted = w.random.below(5);
        match wanted {
            0 if !committed => {
                w.line("commit c;");
                committed = true;
            }
            1 if committed && !held => {
                w.line("lock c;");
                held = true;
            }
            2 if held => {
                w.line("unlock c;");
                held = false;
            }
            3 => {
                w.line(if running { "join k;" } else { "fork k;" });
                running = !running;
            }
            _ => {
                let number = w.number(0, 3);
                let target = if held || !committed { "c.v" } else { "k.done" };
                w.line(format!("{target} = {number};"));
            }
        }
    }
    w.observe("k.done");
    w.line("}");
}
