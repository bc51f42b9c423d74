//! The words of rules about whole worktrees: ports, databases, names of projects.

use schemars::JsonSchema;
use serde::Deserialize;

use super::OneOrMany;
use crate::claim::extract::compose::Part;

/// Whose names are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BetweenSpec {
    /// Those of whole worktrees, whatever the base holds: all that runs at the same time. A scan of one tree passes the rule over, and
    /// names of one worktree never collide with each other.
    Worktrees,
}

/// Variables of `.env` files.
///
/// The files are those of one folder that are read together: what a later glob of `files` finds hides what an earlier one does. References
/// (`${NAME}`) are resolved among them; a value in which one is left is what it is, and `only` keeps it from being a name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DotenvSpec {
    /// A regex on the whole name of a variable. Its groups are parts of the claim, as is the name itself (`{name}`).
    pub name: String,
    /// Regexes on whole names of variables that are not meant.
    #[serde(default)]
    pub except: OneOrMany,
    /// Names of other variables, as templates over the groups. If one of them is set in the folder, this variable is not meant.
    #[serde(default)]
    pub unless: OneOrMany,
    /// A regex on the whole value of such a variable that does no harm.
    pub unless_not: Option<String>,
    /// The variables are meant for this machine: those of a file that a compose service takes into its container (`env_file`) are not, nor
    /// those that the compose project of the folder fills in. What a project publishes is the claim of a `compose` beside.
    #[serde(default)]
    pub outside_containers: bool,
}

/// What of a compose project is a name. Variables come from `.env` beside the files, as compose itself reads them; an override file is laid
/// on top, `COMPOSE_FILE` and `include` (of the same folder) are followed, services whose profile is not active are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ComposeSpec {
    /// Each port of the machine that is published; with the parts `protocol`, `address` (a path: nothing, `4`, `4/127.0.0.1`) and `service`.
    Port,
    /// The project's name that a file says, where no variable does.
    Project,
    /// The project's name that comes from its folder, where nothing else says one. None for the folder of the worktree itself.
    Folder,
    /// `container_name` of services.
    Container,
    /// `name` of volumes that are not external.
    Volume,
}

impl ComposeSpec {
    /// What the extractor calls it.
    pub(crate) fn part(self) -> Part {
        match self {
            Self::Port => Part::Port,
            Self::Project => Part::Project,
            Self::Folder => Part::Folder,
            Self::Container => Part::Container,
            Self::Volume => Part::Volume,
        }
    }
}
