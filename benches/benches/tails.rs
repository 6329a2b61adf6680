//! How slow are the slowest picks while the list changes? See `README.md`.

use snapring_benches::args::Args;
use snapring_benches::tails;

fn main() -> anyhow::Result<()> {
    tails::run(&Args::from_command_line())
}
