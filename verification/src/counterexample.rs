//! [`Counterexample`]: an execution that failed, for people to read.

use std::fmt::Write;

use comfy_table::{Table, presets};

use crate::history::{Event, Events, Failure, switches};
use crate::scenario::{Answer, Scenario};
use crate::spec::Ring;

/// In front of a schedule.
const SCHEDULE: &str = "schedule: ";

/// An execution that failed.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What was to be done.
    pub scenario: Scenario,
    /// What went wrong.
    pub failure: Failure,
    /// What happened, inner steps included.
    pub events: Events,
    /// How many executions there had been when the first one failed, itself included.
    pub first: usize,
    /// Which thread went on at each step, where the checker tells. Thread 0 is the one that the model begins in, and runs
    /// the last program; the others are numbered as they began.
    pub schedule: Vec<usize>,
}

impl Counterexample {
    /// How hard it is to read: by how often it goes from one thread to another, and by its length.
    pub fn length(&self) -> (usize, usize) {
        (switches(&self.events), self.events.len())
    }

    /// One line for each event, one column for each thread.
    pub fn table(&self) -> String {
        let columns = self.columns();
        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN);
        table.set_header(std::iter::once("#".to_owned()).chain((0..columns).map(|column| self.name(column))));
        for (line, (thread, event)) in self.events.iter().enumerate() {
            let mut cells = vec![(line + 1).to_string()];
            cells.extend((0..columns).map(|column| if column == *thread { brief(event) } else { String::new() }));
            table.add_row(cells);
        }
        table.to_string()
    }

    /// A Mermaid sequence diagram. A call is an arrow to the registry, its return a dashed one back, and in between the
    /// registry is active; inner steps are notes that reach from the thread to the registry.
    pub fn diagram(&self) -> String {
        let mut diagram = String::from("sequenceDiagram\n");
        let mut line = |text: String| writeln!(diagram, "    {text}").expect("a string takes everything");
        for column in 0..self.columns() {
            line(format!("participant T{column} as {}", self.name(column)));
        }
        line("participant R as registry".into());
        line(format!("Note over R: {}", plain(&self.begin())));
        for (thread, event) in &self.events {
            let text = match event {
                Event::Call(op) => format!("{op:?}"),
                Event::Note(step) => step.clone(),
                Event::Return(answer) => format!("{answer:?}"),
            };
            let text = plain(&text);
            line(match event {
                Event::Call(_) => format!("T{thread}->>+R: {text}"),
                Event::Note(_) => format!("Note over T{thread},R: {text}"),
                Event::Return(Answer::Panicked(_)) => format!("R--x-T{thread}: {text}"),
                Event::Return(_) => format!("R-->>-T{thread}: {text}"),
            });
        }
        line(format!("Note over T0,R: {}", plain(&self.verdict())));
        diagram
    }

    /// The schedule as text: `0x3 1x2` is three steps of thread 0, then two of thread 1.
    pub fn schedule_text(&self) -> String {
        let runs = self.schedule.chunk_by(|one, next| one == next);
        runs.map(|run| format!("{}x{}", run[0], run.len())).collect::<Vec<_>>().join(" ")
    }

    /// What there is to begin with.
    pub fn begin(&self) -> String {
        let ring = Ring::of(&self.scenario);
        match ring.members().get(ring.due) {
            Some(due) => format!("{:?}, {due:?} is due", ring.members()),
            None => "nobody".into(),
        }
    }

    fn verdict(&self) -> String {
        brief_text(&self.failure.to_string())
    }

    /// The end is a column of its own, if it came to that.
    fn columns(&self) -> usize {
        let last = self.events.iter().map(|(thread, _)| thread + 1).max().unwrap_or(0);
        last.max(self.scenario.threads.len())
    }

    fn name(&self, column: usize) -> String {
        if column < self.scenario.threads.len() { format!("thread {column}") } else { "afterwards".into() }
    }
}

/// The schedule in a counterexample that was written down. None, if it has none.
pub fn schedule(text: &str) -> Option<Vec<usize>> {
    let text = text.lines().find_map(|line| line.strip_prefix(SCHEDULE))?;
    let run = |word: &str| {
        let (thread, times) = word.split_once('x')?;
        Some(std::iter::repeat_n(thread.parse().ok()?, times.parse().ok()?))
    };
    let runs: Option<Vec<_>> = text.split_whitespace().map(run).collect();
    Some(runs?.into_iter().flatten().collect())
}

impl std::fmt::Display for Counterexample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "To begin with: {}.\n\n{}\n\n**{}**\n", self.begin(), self.table(), self.verdict())?;
        writeln!(f, "```mermaid\n{}```", self.diagram())?;
        match self.schedule.is_empty() {
            true => Ok(()),
            false => writeln!(f, "\n{SCHEDULE}{}", self.schedule_text()),
        }
    }
}

/// An event on one line.
fn brief(event: &Event) -> String {
    brief_text(&format!("{event:?}"))
}

/// Checkers' messages go on and on; the first line tells.
fn brief_text(text: &str) -> String {
    const MOST: usize = 90;
    let line = text.trim_end().lines().next().unwrap_or_default();
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line.into(),
    }
}

/// Text that Mermaid takes for text.
fn plain(text: &str) -> String {
    brief_text(text).replace(';', ",").replace('#', "#35;").replace('<', "#lt;").replace('>', "#gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    fn counterexample() -> Counterexample {
        let events = vec![
            (0, Event::Call(Op::Next)),
            (0, Event::Note("size() is 2; that is <2>".into())),
            (1, Event::Call(Op::Deregister(2))),
            (1, Event::Return(Answer::Removed(Some(2.into())))),
            (0, Event::Return(Answer::Panicked("index\nout".into()))),
        ];
        Counterexample {
            scenario: Scenario::new("", &[1, 2], &[&[Op::Next], &[Op::Deregister(2)]]).after(1),
            failure: Failure::Panic("index\nout".into()),
            events,
            first: 1,
            schedule: vec![0, 0, 1, 0],
        }
    }

    #[test]
    fn the_table_has_a_column_for_each_thread() {
        let table = counterexample().table();
        let lines: Vec<&str> = table.lines().collect();
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        assert_eq!(cells(lines[0]), ["", "#", "thread 0", "thread 1", ""]);
        assert_eq!(cells(lines[4]), ["", "3", "", "deregister(2)", ""]);
        assert!(lines.iter().all(|line| line.chars().count() == lines[0].chars().count()), "{table}");
        assert_eq!(lines.len(), 7, "{table}");
    }

    #[test]
    fn the_diagram_keeps_marks_that_mean_something_to_mermaid_out_of_texts() {
        let diagram = counterexample().diagram();
        assert!(diagram.contains("    Note over R: [1, 2], 2 is due\n"), "{diagram}");
        assert!(diagram.contains("    Note over T0,R: size() is 2, that is #lt;2#gt;\n"), "{diagram}");
        assert!(diagram.contains("    R--x-T0: panic: index\n"), "{diagram}");
    }

    #[test]
    fn a_schedule_survives_being_written_down() {
        let text = counterexample().to_string();
        assert!(text.ends_with("\nschedule: 0x2 1x1 0x1\n"), "{text}");
        assert_eq!(schedule(&text).unwrap(), [0, 0, 1, 0]);
        assert_eq!(schedule("schedule: 0x2 1y1"), None);
    }
}
