//! `tools/with-solver`, through which Cargo runs every test: on a machine with Z3, on one that can fetch it, and on one
//! that cannot.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A machine of which the script sees nothing but a few tools and what is added.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Machine {
        let folder = std::env::temp_dir().join(format!("probity-setup-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("bin")).expect("there is a folder for temporary files");
        for tool in ["bash", "sh", "env", "id", "find", "mkdir", "touch", "rm", "chmod", "dirname"] {
            let place = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
            let place = place.iter().find(|place| place.exists()).expect("every system has it");
            symlink(place, folder.join("bin").join(tool)).expect("the folder is ours");
        }
        Machine(folder)
    }

    fn add(self, name: &str, script: &str) -> Machine {
        let path = self.0.join("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("the folder is ours");
        let runnable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, runnable).expect("the file is ours");
        self
    }

    /// Has a command print which solver it is told of.
    fn run(&self) -> (String, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/with-solver");
        let Output { stdout, stderr, status } = Command::new(script)
            .args(["sh", "-c", "echo solver=$PROBITY_Z3"])
            .env_clear()
            .env("PATH", self.0.join("bin"))
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .output()
            .expect("the script can be started");
        assert!(status.success(), "the command runs in any case");
        (
            String::from_utf8_lossy(&stdout).trim().to_string(),
            String::from_utf8_lossy(&stderr).trim().to_string(),
        )
    }

    fn fetched(&self) -> String {
        format!("solver={}", self.0.join("target/solver/bin/z3").display())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A `pip` that puts a solver where it is told to.
const PIP: &str = r#"while [ "$1" != --target ]; do shift || exit 1; done
mkdir -p "$2/bin"; echo '#!/bin/sh' > "$2/bin/z3"; chmod +x "$2/bin/z3""#;

#[test]
fn who_has_a_solver_keeps_it() {
    let machine = Machine::new("has").add("z3", "").add("python3", PIP);
    assert_eq!(machine.run(), ("solver=".to_string(), String::new()));
    assert!(!machine.0.join("target").exists());
}

#[test]
fn debian_comes_first() {
    let machine = Machine::new("debian");
    std::fs::remove_file(machine.0.join("bin/id")).expect("the folder is ours");
    let machine = machine
        .add("id", "echo 0")
        .add(
            "apt-get",
            r#"case "$*" in *install*z3) echo '#!/bin/sh' > "${0%/*}/z3"; chmod +x "${0%/*}/z3" ;; esac"#,
        )
        .add("python3", PIP);
    assert_eq!(machine.run(), ("solver=".to_string(), "fetching Z3, which proofs need".to_string()));
    assert_eq!(machine.run(), ("solver=".to_string(), String::new()));
}

#[test]
fn what_is_fetched_stays_in_the_project() {
    let machine = Machine::new("fetches").add("python3", PIP);
    assert_eq!(machine.run(), (machine.fetched(), "fetching Z3, which proofs need".to_string()));
    assert_eq!(machine.run(), (machine.fetched(), String::new()));
}

#[test]
fn what_cannot_be_done_is_said_once() {
    let machine = Machine::new("cannot").add("python3", "exit 1");
    let (solver, said) = machine.run();
    assert_eq!(solver, "solver=");
    assert!(said.contains("no Z3 could be installed"), "{said}");
    assert_eq!(machine.run(), ("solver=".to_string(), String::new()));
}
