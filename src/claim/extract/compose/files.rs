//! Which files make up a project.

use std::collections::{BTreeMap, BTreeSet};

use super::super::dotenv::Variables;

/// The file that a project is read from where nothing names one; the first of them that is there (`cli/options.go`).
const DEFAULT: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
/// What comes on top of it; the first of them that is there.
const OVERRIDE: [&str; 4] =
    ["compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml"];

/// A project: the folder that its variables come from, and its files, each on top of those before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its folder; empty for the top.
    pub folder: String,
    /// Indices of its files.
    pub files: Vec<usize>,
    /// How many files `COMPOSE_FILE` names that are not among those that were given.
    pub missing: usize,
}

/// The projects that some compose files make up. `variables` are those of each folder that has any.
///
/// `COMPOSE_FILE` names the files of its folder's project, and those are no project by themselves. Where it can't be resolved, nothing is
/// known of the folder; where the variables could not be read, it is taken not to be among them.
pub fn projects(files: &[&str], variables: &BTreeMap<String, Variables>) -> Vec<Project> {
    let by_path: BTreeMap<&str, usize> = files.iter().enumerate().map(|(at, path)| (*path, at)).collect();
    let mut found: BTreeMap<String, Option<Project>> = BTreeMap::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for (folder, variables) in variables {
        if !variables.holds("COMPOSE_FILE") {
            continue;
        }
        let named = variables.get("COMPOSE_FILE").filter(|named| !named.contains(['$', '{']));
        let separator = variables.get("COMPOSE_PATH_SEPARATOR").filter(|separator| !separator.is_empty());
        let project = named.map(|named| {
            // `;` on Windows, where no path of a name has it either
            let separator = separator.as_deref().unwrap_or(if named.contains(';') { ";" } else { ":" });
            let paths: Vec<&str> = named.split(separator).filter(|path| !path.is_empty()).collect();
            let known = paths.iter().filter_map(|path| by_path.get(inside(folder, path)?.as_str()).copied());
            let files: Vec<usize> = known.collect();
            Project { folder: folder.clone(), missing: paths.len() - files.len(), files }
        });
        used.extend(project.iter().flat_map(|project| &project.files));
        found.insert(folder.clone(), project);
    }
    let folders: BTreeSet<&str> =
        files.iter().map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    for folder in folders {
        let first =
            |names: &[&str; 4]| names.iter().find_map(|name| by_path.get(inside(folder, name)?.as_str()).copied());
        let Some(base) = first(&DEFAULT).filter(|base| !used.contains(base)) else { continue };
        let files = [Some(base), first(&OVERRIDE)].into_iter().flatten().collect();
        found
            .entry(folder.to_owned())
            .or_insert_with(|| Some(Project { folder: folder.to_owned(), files, missing: 0 }));
    }
    found.into_values().flatten().filter(|project| !project.files.is_empty() || project.missing > 0).collect()
}

/// A path relative to a folder; none where it leads out of the tree.
pub(crate) fn inside(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::extract::dotenv::parse;

    fn found(files: &[&str], env: &[(&str, &str)]) -> Vec<(String, Vec<String>, usize)> {
        let mut variables = BTreeMap::new();
        for (folder, text) in env {
            let mut all = Variables::default();
            all.add(0, parse(text.as_bytes()).expect("text"));
            variables.insert((*folder).to_owned(), all);
        }
        let names = |project: &Project| project.files.iter().map(|at| files[*at].to_owned()).collect();
        projects(files, &variables).iter().map(|one| (one.folder.clone(), names(one), one.missing)).collect()
    }

    fn project(folder: &str, files: &[&str], missing: usize) -> (String, Vec<String>, usize) {
        (folder.to_owned(), files.iter().map(|file| (*file).to_owned()).collect(), missing)
    }

    #[test]
    fn the_first_of_each_kind_counts() {
        let files = [
            "docker-compose.yml",
            "compose.yaml",
            "docker-compose.override.yml",
            "compose.prod.yaml",
            "a/compose.dev.yml",
            "b/docker-compose.yaml",
        ];
        let want = [
            project("", &["compose.yaml", "docker-compose.override.yml"], 0),
            project("b", &["b/docker-compose.yaml"], 0),
        ];
        assert_eq!(found(&files, &[("a", "PORT=1")]), want);
    }

    #[test]
    fn compose_file_names_them() {
        let files = ["compose.yaml", "compose.override.yml", "docker/compose.yml", "docker/compose.dev.yml"];
        let env = [("", "COMPOSE_FILE=docker/compose.yml:./docker/compose.dev.yml:x.yml:../y.yml")];
        assert_eq!(found(&files, &env), [project("", &["docker/compose.yml", "docker/compose.dev.yml"], 2)]);
        let env = [("", "COMPOSE_FILE=$FILES"), ("docker", "COMPOSE_FILE=compose.dev.yml;compose.yml")];
        assert_eq!(found(&files, &env), [project("docker", &["docker/compose.dev.yml", "docker/compose.yml"], 0)]);
        let env = [("", "COMPOSE_FILE=compose.yaml,docker/compose.yml\nCOMPOSE_PATH_SEPARATOR=,")];
        assert_eq!(found(&files, &env), [project("", &["compose.yaml", "docker/compose.yml"], 0)]);
    }
}
