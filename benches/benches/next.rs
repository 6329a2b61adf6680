//! What does `next` cost under contention? See `README.md`.

use snapring_benches::args::Args;
use snapring_benches::grid;

fn main() -> anyhow::Result<()> {
    grid::run(&Args::from_command_line())
}
