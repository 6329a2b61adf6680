//! How many lists are alive at once while the list changes? See `README.md`.

use snapring_benches::args::Args;
use snapring_benches::memory;

fn main() -> anyhow::Result<()> {
    memory::run(&Args::from_command_line())
}
