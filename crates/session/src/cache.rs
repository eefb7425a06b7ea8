//! Where things are kept that can be lost: the folder of `PROBITY_CACHE`, or the one that the system has for it.

use std::env::var_os;
use std::ffi::OsString;
use std::path::PathBuf;

/// The file that remembers how long members took; none if the user wants none, or if there is no place for it.
pub(crate) fn history_file() -> Option<PathBuf> {
    folder(|name| var_os(name)).map(|folder| folder.join("history"))
}

/// Where the solver's answers are kept; none likewise.
pub(crate) fn answers_folder() -> Option<PathBuf> {
    folder(|name| var_os(name)).map(|folder| folder.join("answers"))
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable("PROBITY_CACHE") {
        return Some(PathBuf::from(folder)).filter(|folder| !folder.as_os_str().is_empty());
    }
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        let home = || absolute("HOME");
        let of_system = || if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        absolute("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(of_system())))
    };
    base.map(|base| base.join("probity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name);
        folder(|name| find(name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn the_user_decides_first() {
        let home = ("HOME", "/home/me");
        assert_eq!(folder_of(&[home, ("PROBITY_CACHE", "here")]), Some("here".into()));
        assert_eq!(folder_of(&[home, ("PROBITY_CACHE", "")]), None);
        assert_eq!(folder_of(&[]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn then_the_system() {
        let home = ("HOME", "/home/me");
        assert_eq!(folder_of(&[home]), Some("/home/me/.cache/probity".into()));
        assert_eq!(folder_of(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/probity".into()));
        assert_eq!(folder_of(&[home, ("XDG_CACHE_HOME", "c")]), Some("/home/me/.cache/probity".into()));
    }
}
