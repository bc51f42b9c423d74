//! Who asks for a name, and from which bands it is taken.

use super::Ground;
use crate::{
    config::{Config, ConfigFile, nearest},
    error::Fatal,
    rule::{
        change::Signals,
        code::boundary::{band::Band, lanes_of},
    },
    source::Git,
};

/// Who asks.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Agent {
    /// The name under which names are held.
    pub(in crate::cli) name: String,
    /// The bands in which its keys lie, with the lanes that they are of, as they are written.
    pub(in crate::cli) bands: Vec<(String, String)>,
}

impl Agent {
    /// The bands. Those that can't be understood were refused with the configuration.
    pub(in crate::cli) fn bands(&self) -> Vec<Band> {
        self.bands.iter().filter_map(|(_, band)| Band::parse(band)).collect()
    }
}

/// The name that was given, else the lane of the branch, else the branch, if it is not the trunk's, else the user.
pub(super) fn agent(
    named: Option<&str>,
    config: Option<&ConfigFile>,
    namespace: &str,
    ground: &Ground,
) -> Result<Agent, Fatal> {
    let none = Config::default();
    let config = config.map_or(&none, |file| &file.config);
    let lanes = || config.agents.keys().map(|name| name.get_ref().as_str());
    if let Some(name) = named.filter(|name| !config.agents.is_empty() && !lanes().any(|lane| lane == *name)) {
        return Err(Fatal::unknown_agent(name, nearest(name, lanes())));
    }
    let in_environment = || std::env::var("GATEKEEP_AGENT").ok().filter(|name| !name.is_empty());
    let given = named.map(str::to_owned).or_else(in_environment);
    let branch = match &ground.git {
        Some(git) if git.top()?.is_some() => git.branch_of(&git.head_ref(None)?)?,
        _ => None,
    };
    let signals = Signals { agent: given.clone(), branch: branch.clone(), login: None };
    let who = lanes_of(&signals, &[], config);
    let of = |lane: &str| config.agents.iter().find(|(name, _)| name.get_ref() == lane).map(|(_, agent)| agent);
    let band = |lane: &str| {
        let bands = &of(lane)?.bands;
        let (_, band) = bands.iter().find(|(id, _)| id.get_ref() == namespace)?;
        Some((lane.to_owned(), band.get_ref().clone()))
    };
    let bands = who.lanes().filter_map(|(lane, _)| band(lane)).collect();
    let lane = match who.lanes().next() {
        Some((lane, _)) if who.lanes().len() == 1 => Some(lane.to_owned()),
        _ => None,
    };
    let trunk = || ground.git.as_ref()?.trunk_branch(ground.trunk.as_ref()?);
    let own_branch = || branch.filter(|branch| Some(branch) != trunk().as_ref());
    let name = given.or(lane).or_else(own_branch).unwrap_or_else(|| user(ground.git.as_ref()));
    Ok(Agent { name, bands })
}

/// The user: as git knows them, else as the machine does.
pub(super) fn user(git: Option<&Git>) -> String {
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let host = || {
        let of_kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host = var("HOSTNAME").or_else(|| var("COMPUTERNAME")).or_else(of_kernel);
        host.map_or_else(|| "localhost".into(), |host| host.trim().to_owned())
    };
    let on_machine =
        || format!("{}@{}", var("USER").or_else(|| var("USERNAME")).unwrap_or_else(|| "user".into()), host());
    git.and_then(Git::user).unwrap_or_else(on_machine)
}
