//! Compose files: what a project takes of the machine that it runs on. Facts from compose-go (e70e961, 2026-07-21).

mod files;
mod port;
mod service;

pub(crate) use files::inside;
pub use files::{Project, projects};

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use super::{
    ExtractError, Found,
    document::{Kind, Node},
    dotenv::{Variables, references},
    yaml,
};
use service::{member, services, text};

/// Most services and ports that one project can have: more are no project of anybody's.
const MOST: usize = 10_000;
/// The variable that says what a project is called.
pub const PROJECT_NAME: &str = "COMPOSE_PROJECT_NAME";
/// The variable that says which of its profiles run.
const PROFILES: &str = "COMPOSE_PROFILES";

/// What of a project is a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A port of the machine that a service is published on. The parts are `protocol`, `address` and `service`.
    Port,
    /// The project's name, where a file says it.
    Project,
    /// The project's name that comes from its folder, where nothing says one.
    Folder,
    /// The name that a service's container is given.
    Container,
    /// The name that a volume is given.
    Volume,
}

/// One compose file, parsed.
#[derive(Debug)]
pub struct File<'t> {
    bytes: &'t [u8],
    documents: Vec<Node>,
}

impl<'t> File<'t> {
    /// Parses a file.
    ///
    /// # Errors
    /// The text is no YAML, or too large to hold.
    pub fn parse(bytes: &'t [u8]) -> Result<Self, ExtractError> {
        Ok(Self { bytes, documents: yaml::parse(bytes)? })
    }

    /// The files of the same folder that it takes in with `include`.
    pub fn includes(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in self.documents.iter().filter_map(|node| member(node, "include")).flat_map(|(_, node)| list(node)) {
            let path = member(entry, "path").map_or(entry, |(_, node)| node);
            found.extend(list(path).filter_map(Node::scalar).map(|path| path.trim_start_matches("./").to_owned()));
        }
        found.retain(|path| !path.contains('/'));
        found
    }

    /// The variables that it refers to, wherever in it.
    pub fn references(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&Node> = self.documents.iter().collect();
        while let Some(node) = open.pop() {
            match &node.kind {
                Kind::Object(members) => open.extend(members.iter().map(|(_, node)| node)),
                Kind::Array(items) => open.extend(items),
                Kind::String(text) => found.extend(references(text).map(str::to_owned)),
                Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
            }
        }
        found
    }

    /// The files of variables that services take into their containers, relative to the project's folder.
    pub fn env_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (_, service) in self.documents.iter().flat_map(|node| service::members(node, "services")) {
            let Some((_, files)) = member(service, "env_file") else { continue };
            for file in list(files) {
                let path = member(file, "path").map_or(file, |(_, node)| node);
                found.extend(path.scalar().map(Cow::into_owned));
            }
        }
        found
    }
}

/// A list, or the one thing that stands for it.
fn list(node: &Node) -> impl Iterator<Item = &Node> {
    match &node.kind {
        Kind::Array(items) => items.iter(),
        _ => std::slice::from_ref(node).iter(),
    }
}

/// Tells `sink` the names that a project takes, each with the file that it stands in. `folder` is the name of its folder; empty where
/// that is not known. A name with a reference in it that can't be resolved is told as it is written.
///
/// # Errors
/// The project has more services or ports than anybody's does.
pub fn names(
    part: Part,
    files: &[&File<'_>],
    folder: &str,
    variables: &Variables,
    sink: &mut dyn FnMut(usize, Found<'_>),
) -> Result<(), ExtractError> {
    let project = project_name(files, variables);
    let mut known = variables.clone();
    if let Some((_, name, _)) = &project {
        known.set_default(PROJECT_NAME, name);
    }
    match part {
        Part::Project => {
            if let Some((file, name, span)) = project {
                sink(file, Found { key: name.into(), span, fields: Vec::new() });
            }
        }
        Part::Folder => {
            if project.is_none() && !variables.is_set(PROJECT_NAME) && !folder.is_empty() {
                sink(0, Found { key: normal_name(folder).into(), span: 0..0, fields: Vec::new() });
            }
        }
        Part::Volume => volumes(files, &known, sink),
        Part::Container | Part::Port => return of_services(part, files, &known, sink),
    }
    Ok(())
}

/// `COMPOSE_PROJECT_NAME` has the last word, then the `name` of the last file that has one, as it is normalised there
/// (`withNamePrecedenceLoad`, `projectName`).
fn project_name(files: &[&File<'_>], variables: &Variables) -> Option<(usize, String, Range<usize>)> {
    if variables.is_set(PROJECT_NAME) {
        return None;
    }
    let all = files.iter().enumerate().flat_map(|(at, file)| file.documents.iter().map(move |node| (at, node)));
    let mut named = all.filter_map(|(at, node)| Some((at, member(node, "name")?.1)));
    let (at, node) = named.rfind(|(_, node)| node.scalar().is_some_and(|name| !name.is_empty()))?;
    let name = text(node, variables)?;
    // a reference is no name: normalised it would look like one
    let name = if name.contains('$') { name } else { normal_name(&name) };
    Some((at, name, node.span.clone()))
}

/// `NormalizeProjectName`.
fn normal_name(name: &str) -> String {
    let kept: String = name
        .to_lowercase()
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(*c))
        .collect();
    kept.trim_start_matches(['_', '-']).to_owned()
}

/// Volumes with a name of their own; those of the project begin with its name, and `external` ones are somebody else's on purpose.
fn volumes(files: &[&File<'_>], variables: &Variables, sink: &mut dyn FnMut(usize, Found<'_>)) {
    for (at, file) in files.iter().enumerate() {
        for (_, volume) in file.documents.iter().flat_map(|node| service::members(node, "volumes")) {
            let external = member(volume, "external").and_then(|(_, node)| text(node, variables));
            if external.is_some_and(|external| external != "false") {
                continue;
            }
            if let Some((_, node)) = member(volume, "name")
                && let Some(name) = text(node, variables)
            {
                sink(at, Found { key: name.into(), span: node.span.clone(), fields: Vec::new() });
            }
        }
    }
}

fn of_services(
    part: Part,
    files: &[&File<'_>],
    variables: &Variables,
    sink: &mut dyn FnMut(usize, Found<'_>),
) -> Result<(), ExtractError> {
    let active = variables.get(PROFILES).unwrap_or_default();
    let active: Vec<&str> = active.split(',').map(str::trim).collect();
    let mut left = MOST;
    let mut spend = |count: usize| {
        left = left
            .checked_sub(count)
            .ok_or_else(|| ExtractError::TooLarge(format!("more than {MOST} ports are published")))?;
        Ok(())
    };
    for (name, service) in services(files) {
        spend(1)?;
        if !service.runs(&active, variables) {
            continue;
        }
        if part == Part::Container {
            if let Some((at, node)) = service.container
                && let Some(name) = text(node, variables)
            {
                sink(at, Found { key: name.into(), span: node.span.clone(), fields: Vec::new() });
            }
            continue;
        }
        if service.is_on_the_host(variables) {
            continue; // what it publishes is discarded, and what it listens on is in its image
        }
        for (at, node) in service.ports {
            let ports = port::published(node, variables);
            spend(ports.len().max(1))?;
            for port in ports {
                let fields = vec![
                    ("protocol", port.protocol.into()),
                    ("address", port.address.into()),
                    ("service", name.into()),
                ];
                sink(at, Found { key: port.number.to_string().into(), span: node.span.clone(), fields });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
