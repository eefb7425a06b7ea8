//! Columns in other units than characters, and the way back from a place to a byte.
//!
//! Compilers count bytes, people characters, and editors UTF-16 code units (the Language Server Protocol, section
//! *Position*; it counts from 0, places count from 1). A character is a Unicode scalar value: a letter with a combining
//! mark is two. All of this is about the text in the map, which has lost its byte order mark.

use crate::{Place, SourceFile};

/// What columns count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode scalar values.
    Characters,
    /// Code units of UTF-16: two for a character beyond U+FFFF.
    Utf16,
}

impl Unit {
    /// How many of these a character is.
    fn width(self, character: char) -> usize {
        match self {
            Unit::Bytes => character.len_utf8(),
            Unit::Characters => 1,
            Unit::Utf16 => character.len_utf16(),
        }
    }
}

impl SourceFile {
    /// The place of a byte offset. An offset past the end is the end, one inside of a character is where that begins.
    pub fn place_in(&self, offset: u32, unit: Unit) -> Place {
        let offset = self.text.floor_char_boundary(offset as usize);
        let line = self.line_starts.partition_point(|start| *start as usize <= offset) - 1;
        let before = &self.text[self.line_starts[line] as usize..offset];
        let column: usize = before.chars().map(|character| unit.width(character)).sum();
        Place { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The byte offset of a place: the inverse of [`SourceFile::place_in`] for every place before a line break.
    ///
    /// A column behind the end of its line is that end, before the line break; one inside of a character is where that
    /// begins. A line behind the last is the end of the text. What would be before the first line or column is the first.
    pub fn offset_of(&self, place: Place, unit: Unit) -> u32 {
        let line = place.line.saturating_sub(1) as usize;
        let Some(start) = self.line_starts.get(line) else { return self.text.len() as u32 };
        let wanted = place.column.saturating_sub(1) as usize;
        let mut column = 0;
        let mut offset = *start;
        for character in self.line(line as u32 + 1).chars() {
            column += unit.width(character);
            if column > wanted {
                break;
            }
            offset += character.len_utf8() as u32;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SourceMap;

    const UNITS: [Unit; 3] = [Unit::Bytes, Unit::Characters, Unit::Utf16];

    fn with_file<R>(text: &str, look: impl FnOnce(&SourceFile) -> R) -> R {
        let mut map = SourceMap::default();
        let file = map.add("text", text);
        look(map.file(file))
    }

    /// Line and columns of an offset in bytes, characters and UTF-16; and that each leads back.
    fn columns(text: &str, offset: u32) -> (u32, [u32; 3]) {
        with_file(text, |file| {
            let places = UNITS.map(|unit| file.place_in(offset, unit));
            for (place, unit) in places.iter().zip(UNITS) {
                assert_eq!(file.offset_of(*place, unit), offset, "{unit:?} in {text:?}");
            }
            (places[0].line, places.map(|place| place.column))
        })
    }

    #[test]
    fn units_differ_behind_what_is_not_ascii() {
        assert_eq!(columns("a = b", 4), (1, [5, 5, 5]));
        assert_eq!(columns("ä = b", 5), (1, [6, 5, 5]));
        // Beyond U+FFFF: four bytes, one character, two code units.
        assert_eq!(columns("𝔸 = b", 7), (1, [8, 5, 6]));
        assert_eq!(columns("x\n😀😀y", 10), (2, [9, 3, 5]));
        // A letter with a combining mark is two characters.
        assert_eq!(columns("e\u{301} = b", 6), (1, [7, 6, 6]));
    }

    #[test]
    fn lines_end_before_their_breaks() {
        let end_of_line = |text: &str, line| {
            with_file(text, |file| UNITS.map(|unit| file.offset_of(Place { line, column: 99 }, unit)))
        };
        assert_eq!(end_of_line("ab\r\ncd\r\n", 1), [2; 3]);
        assert_eq!(end_of_line("ab\r\ncd\r\n", 2), [6; 3]);
        assert_eq!(end_of_line("ab\ncd", 1), [2; 3]);
        assert_eq!(end_of_line("ab\rcd", 1), [2; 3]);
        assert_eq!(columns("ab\r\ncd", 4), (2, [1, 1, 1]));
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        assert_eq!(columns("", 0), (1, [1, 1, 1]));
        assert_eq!(columns("a😀", 5), (1, [6, 3, 4]));
        assert_eq!(columns("a\n", 2), (2, [1, 1, 1]));
        with_file("a\nb", |file| {
            assert_eq!(file.place_in(99, Unit::Utf16), Place { line: 2, column: 2 });
            assert_eq!(file.offset_of(Place { line: 9, column: 1 }, Unit::Utf16), 3);
            assert_eq!(file.offset_of(Place { line: 0, column: 0 }, Unit::Utf16), 0);
        });
    }

    #[test]
    fn what_is_inside_of_a_character_is_where_it_begins() {
        with_file("😀a", |file| {
            for unit in UNITS {
                assert_eq!(file.place_in(2, unit), Place { line: 1, column: 1 });
            }
            assert_eq!(file.offset_of(Place { line: 1, column: 2 }, Unit::Utf16), 0);
            assert_eq!(file.offset_of(Place { line: 1, column: 4 }, Unit::Bytes), 0);
            assert_eq!(file.offset_of(Place { line: 1, column: 2 }, Unit::Characters), 4);
        });
    }

    proptest! {
        #[test]
        fn places_lead_back(text in "(a|ä|€|😀|e\u{301}|\u{feff}|\t|\r|\n|\r\n){0,24}") {
            with_file(&text, |file| {
                let text = &file.text;
                for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                    // Between the two characters of a line break there is no place that a person could mean.
                    if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                        continue;
                    }
                    for unit in UNITS {
                        let place = file.place_in(offset as u32, unit);
                        prop_assert_eq!(file.offset_of(place, unit), offset as u32);
                    }
                    // Counted by the standard library.
                    let line = text[..offset].rsplit('\n').next().unwrap_or_default();
                    let column = |unit| file.place_in(offset as u32, unit).column as usize - 1;
                    prop_assert_eq!(column(Unit::Bytes), line.len());
                    prop_assert_eq!(column(Unit::Characters), line.chars().count());
                    prop_assert_eq!(column(Unit::Utf16), line.encode_utf16().count());
                }
                Ok(())
            })?;
        }

        #[test]
        fn every_place_has_an_offset_that_leads_to_it_or_before(
            text in "(a|😀|\r\n|\n){0,12}", line in 0..9u32, column in 0..12u32,
        ) {
            with_file(&text, |file| {
                for unit in UNITS {
                    let offset = file.offset_of(Place { line, column }, unit);
                    prop_assert!(file.text.is_char_boundary(offset as usize));
                    let place = file.place_in(offset, unit);
                    let is_before = place <= Place { line: line.max(1), column: column.max(1) };
                    prop_assert!(is_before);
                }
                Ok(())
            })?;
        }
    }
}
