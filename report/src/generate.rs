//! Writes what is generated, or says how it differs from what is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{Run, newest};
use crate::{claims, html, page, plots, verification};

/// The claims' file in the folder of results.
pub const CLAIMS: &str = "claims.toml";

/// The page.
pub const PAGE: &str = "README.md";

/// Everything that is generated, by its path in the folder of results.
#[derive(Debug)]
pub struct Generated {
    /// The files.
    pub files: BTreeMap<PathBuf, String>,
}

impl Generated {
    /// The page with its pictures in one HTML file, which finds the folder of results at `base`.
    pub fn html(&self, base: &str) -> String {
        let named = self.files.iter().map(|(path, text)| (path.to_string_lossy().into_owned(), text.clone()));
        let pictures: BTreeMap<_, _> = named.collect();
        html::page(&pictures[PAGE], &pictures, base)
    }
}

/// Generates all of it from what is in this folder.
///
/// # Errors
///
/// If something in the folder cannot be read.
pub fn generate(results: &Path) -> Result<Generated> {
    let runs = Run::recorded(results)?;
    let claims = claims::load(&results.join(CLAIMS))?;
    let verified = verification::load(results)?;
    let markdown = page::page(&runs, &claims, verified.as_ref())?;
    let mut files = BTreeMap::new();
    for run in newest(&runs) {
        for (file, chart) in plots::all(run) {
            files.insert(Path::new(&run.name).join("plots").join(file), chart.svg()?);
        }
    }
    files.insert(PAGE.into(), markdown);
    if let Some(manifest) = &verified {
        files.insert(verification::PAGE.into(), verification::page(manifest));
    }
    Ok(Generated { files })
}

/// Writes the files, and takes away plots that no longer exist.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(results: &Path, generated: &Generated) -> Result<()> {
    for (path, text) in &generated.files {
        let file = results.join(path);
        let folder = file.parent().context("a file is in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    for stale in stale(results, generated)? {
        fs::remove_file(results.join(&stale)).with_context(|| format!("cannot remove {}", stale.display()))?;
    }
    Ok(())
}

/// What is not as it would be generated, a line each.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn differences(results: &Path, generated: &Generated) -> Result<Vec<String>> {
    let differs = |(path, text): (&PathBuf, &String)| match fs::read_to_string(results.join(path)) {
        Ok(there) if there == *text => None,
        Ok(there) => {
            let line = there.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
            Some(format!("{} differs from line {line} on", path.display()))
        }
        Err(_) => Some(format!("{} is missing", path.display())),
    };
    let mut found: Vec<_> = generated.files.iter().filter_map(differs).collect();
    found.extend(stale(results, generated)?.iter().map(|path| format!("{} is left over", path.display())));
    Ok(found)
}

/// Plots that are there and would not be generated.
fn stale(results: &Path, generated: &Generated) -> Result<Vec<PathBuf>> {
    let mut stale = Vec::new();
    for run in fs::read_dir(results)? {
        let plots = run?.path().join("plots");
        for plot in fs::read_dir(&plots).into_iter().flatten() {
            let path = plot?.path().strip_prefix(results)?.to_owned();
            if !generated.files.contains_key(&path) {
                stale.push(path);
            }
        }
    }
    Ok(stale)
}
