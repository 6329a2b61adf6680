//! The little of Markdown that a report needs.

use crate::chart::Chart;

/// A table; the first columns hold words, the others numbers.
pub fn table(header: &[impl AsRef<str>], words: usize, rows: &[Vec<String>]) -> String {
    let line =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
    let mut text = line(&header.iter().map(|cell| cell.as_ref().to_owned()).collect::<Vec<_>>());
    let rule = |at: usize| if at < words { "---" } else { "--:" };
    text += &format!("|{}|\n", (0..header.len()).map(rule).collect::<Vec<_>>().join("|"));
    for row in rows {
        text += &line(row);
    }
    text + "\n"
}

/// A picture.
pub fn picture(folder: &str, file: &str, chart: &Chart) -> String {
    format!("![{}]({folder}/plots/{file})\n\n", chart.title)
}

/// A link.
pub fn link(text: &str, to: &str) -> String {
    format!("[{text}]({to})")
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_as_many_cells_as_columns() {
        let text = table(&["", "ns"], 1, &[vec!["a|b".into(), "1.00".into()]]);
        assert_eq!(text, "|  | ns |\n|---|--:|\n| a\\|b | 1.00 |\n\n");
    }
}
