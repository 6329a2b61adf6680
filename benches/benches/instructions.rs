//! How many instructions is a pick? See `README.md`.

use snapring_benches::args::Args;
use snapring_benches::instructions;

fn main() -> anyhow::Result<()> {
    instructions::run(&Args::from_command_line())
}
