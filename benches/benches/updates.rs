//! What does a change cost, and how does that grow with the list? See `README.md`.

use snapring_benches::args::Args;
use snapring_benches::updates;

fn main() -> anyhow::Result<()> {
    updates::run(&Args::from_command_line())
}
