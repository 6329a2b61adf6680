//! Runs the experiments and writes `results/experiments/`.

use std::path::Path;

use anyhow::{Context, Result};

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("results").join("experiments");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, text) in snapring_experiments::page::files()? {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
