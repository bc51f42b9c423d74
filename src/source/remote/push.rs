//! Changes of references on a remote, each only if it still is what was read.

use gix::ObjectId;

use super::{FOLDER, Failed, Remote, program::Done, said};

/// So many references go into one push.
const BATCH: usize = 500;

/// A change of one reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The last part of its name.
    pub reference: String,
    /// What has to stand there; none: nothing.
    pub old: Option<ObjectId>,
    /// What is to stand there; none: nothing.
    pub new: Option<ObjectId>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// It is done.
    Done,
    /// The remote did not do it, for this reason: somebody else was first, most likely.
    Refused(String),
}

impl Remote {
    /// Changes references: all of them or none if they go `together`. What became of each, in their order.
    ///
    /// # Errors
    /// The remote can't be reached. What it did until then is not known.
    pub fn push(&self, updates: &[Update], together: bool) -> Result<Vec<Pushed>, Failed> {
        let batch = if together { updates.len().max(1) } else { BATCH };
        let mut all = Vec::new();
        for some in updates.chunks(batch) {
            all.extend(self.push_some(some, together && some.len() > 1)?);
        }
        Ok(all)
    }

    fn push_some(&self, updates: &[Update], atomic: bool) -> Result<Vec<Pushed>, Failed> {
        let id = |id: Option<ObjectId>| id.map_or_else(String::new, |id| id.to_string());
        let name = |update: &Update| format!("{FOLDER}{}", update.reference);
        let leases = updates.iter().map(|one| format!("--force-with-lease={}:{}", name(one), id(one.old)));
        let specs = updates.iter().map(|one| format!("{}:{}", id(one.new), name(one)));
        let options = ["push", "--porcelain", "--no-verify", "--recurse-submodules=no", "--no-thin"].map(str::to_owned);
        let atomic = atomic.then(|| "--atomic".to_owned());
        let args: Vec<String> =
            options.into_iter().chain(atomic).chain(leases).chain([self.address.clone()]).chain(specs).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let done = self.program.run(&args, "")?;
        updates.iter().map(|one| outcome(&done, &name(one))).collect()
    }
}

/// What a push says of one reference.
fn outcome(done: &Done, name: &str) -> Result<Pushed, Failed> {
    let text = String::from_utf8_lossy(&done.stdout);
    let line = text.lines().find_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (flag, spec, summary) = (parts.next()?, parts.next()?, parts.next()?);
        (spec.rsplit(':').next() == Some(name)).then_some((flag, summary))
    });
    match line {
        Some(("*" | "+" | " " | "-", _)) => Ok(Pushed::Done),
        Some(("!", summary)) => Ok(Pushed::Refused(said::without_passwords(summary))),
        // equal objects are told as up to date: ours never are, so this one is not ours
        Some((_, summary)) => Ok(Pushed::Refused(summary.to_owned())),
        None => Err(said::failed(&done.stderr)),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::process::Command;

    use super::*;

    fn said(status: &str, stdout: &str, stderr: &str) -> Done {
        #[expect(clippy::disallowed_methods, reason = "a status can't be made by other means")]
        let status = Command::new(status).status().unwrap();
        Done { status, stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn each_reference_has_its_own_line() {
        let out = "To x\n*\tabc:refs/gatekeep/claims/a\t[new reference]\n!\tabc:refs/gatekeep/claims/b\t[rejected] (stale info)\n\
                   =\tabc:refs/gatekeep/claims/c\t[up to date]\n-\t:refs/gatekeep/claims/d\t[deleted]\nDone\n";
        let done = said("false", out, "error: failed to push some refs\n");
        let of = |last: &str| outcome(&done, &format!("{FOLDER}{last}"));
        let refused = |why: &str| Ok(Pushed::Refused(why.to_owned()));
        assert_eq!((of("a"), of("d")), (Ok(Pushed::Done), Ok(Pushed::Done)));
        assert_eq!((of("b"), of("c")), (refused("[rejected] (stale info)"), refused("[up to date]")));
        assert_eq!(of("e").unwrap_err().why, "failed to push some refs");
    }
}
