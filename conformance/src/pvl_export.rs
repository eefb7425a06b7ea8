//! Cases of VerCors' suite as files, for tools that know Silver only.
//!
//! The files of a group become one file: given together, they are one program anyway.

use std::path::Path;

use session::ProgramOptions;

use crate::pvl_cases::Case;
use crate::pvl_verify::pvl_text;

/// Writes `NUMBER_NAME.pvl` and `NUMBER_NAME.vpr` for each case that can be put into Silver; says how many there are.
pub fn export(cases: &[Case], root: &Path, folder: &Path) -> Result<usize, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut written = 0;
    for (index, case) in cases.iter().enumerate() {
        let texts: Vec<String> = case.texts(root)?.into_iter().map(|(_, text)| text.to_string()).collect();
        let path = folder.join(format!("{index:03}_{}.pvl", file_name(&case.name)));
        let text = texts.join("\n");
        std::fs::write(&path, &text).map_err(failed)?;
        let name = path.display().to_string();
        let options = ProgramOptions { dialect: Some(2), ..ProgramOptions::default() };
        match session::print_program(&[pvl_text(name, text.into())], &options) {
            Ok(silver) => {
                std::fs::write(path.with_extension("vpr"), silver).map_err(failed)?;
                written += 1;
            }
            Err(_) => std::fs::remove_file(&path).map_err(failed)?,
        }
    }
    Ok(written)
}

/// The last part of a name, with characters that every file system takes.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '+']).next().unwrap_or(name);
    let last = last.strip_suffix(".pvl").unwrap_or(last);
    last.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pvl_cases;

    #[test]
    fn a_group_is_one_program_and_what_is_refused_is_left_out() {
        let table = "kind\tfile\tcode\teffective\texpected_failures_inline\tmode\tflags\tgroup\tspec:line\tnote\n\
            example\ta.pvl\t\tpass\t\tverify\t\ta.pvl+b.pvl\tSpec:1\t\n\
            example\tb.pvl\t\tpass\t\tverify\t\ta.pvl+b.pvl\tSpec:1\t\n\
            example\tc.pvl\tparseError\terror\t\tverify\t\t\tSpec:2\t\n";
        let root = std::env::temp_dir().join(format!("probity-export-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("a.pvl"), "class A { int x; }").unwrap();
        std::fs::write(root.join("b.pvl"), "void m(A a) { }").unwrap();
        std::fs::write(root.join("c.pvl"), "class {").unwrap();
        let cases = pvl_cases::read(table).unwrap();
        let out = root.join("out");
        assert_eq!(export(&cases, &root, &out), Ok(1));
        let mut names: Vec<String> = std::fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["000_b.pvl", "000_b.vpr"]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
