//! Says the verdict on the pull request. What can't be said is said aloud in the log, and changes no verdict.

use std::io::Write as _;

use super::{Args, CHECK, When, runner::Runner};
use crate::{
    cli::github::GitHub,
    exit::Outcome,
    forge::{self, Beside, Check, Client, Comment, Event, Failure, PullRequest, Trigger},
    report::{RenderOptions, Report, escape::terminal, markdown},
};

/// Writes to GitHub.
pub(super) struct Publisher<'a> {
    pub(super) args: &'a Args,
    pub(super) runner: &'a Runner,
    pub(super) github: &'a GitHub,
    pub(super) client: Option<&'a Result<Client, Failure>>,
    pub(super) options: &'a RenderOptions,
}

impl Publisher<'_> {
    /// Puts a check run on the head of a pull request, and keeps its comment.
    pub(super) fn verdict(&self, event: &Event, report: &Report, beside: &Beside) {
        let Trigger::PullRequest(pull) = &event.trigger else { return };
        let wants = [(self.args.check, "the check run"), (self.args.comment, "the comment")];
        let Some(client) = self.client() else {
            let wanted = wants.into_iter().filter(|(when, _)| *when == When::Always);
            wanted.for_each(|(when, what)| self.failed(when, what, &Failure::Unusable("there is no token".into())));
            return;
        };
        if self.args.check != When::Never
            && let Err(failure) = self.check(client, pull, report, beside)
        {
            self.failed(self.args.check, "the check run (it needs `checks: write`)", &failure);
        }
        if self.args.comment != When::Never
            && let Err(failure) = self.comment(client, pull, report)
        {
            self.failed(self.args.comment, "the comment (it needs `pull-requests: write`)", &failure);
        }
    }

    /// Somebody to write to.
    pub(super) fn client(&self) -> Option<&Client> {
        match self.client? {
            Ok(client) => Some(client),
            Err(failure) => {
                warn(&format!("GitHub was told nothing: {failure}"));
                None
            }
        }
    }

    fn check(&self, client: &Client, pull: &PullRequest, report: &Report, beside: &Beside) -> Result<(), Failure> {
        let check = forge::check(report, self.options, CHECK, &pull.head.to_string(), self.runner.page.clone());
        let check = Check { beside: beside.of(pull.number).to_owned(), ..check };
        check.write(client, &self.github.repository).map(|_| ())
    }

    /// There is a comment where a person has something to do.
    fn comment(&self, client: &Client, pull: &PullRequest, report: &Report) -> Result<(), Failure> {
        let comment = Comment { client, repository: &self.github.repository, number: pull.number };
        let outcome = Outcome::of(report, self.options.fail_on, self.options.allow_incomplete);
        let has_work = outcome != Outcome::Pass || report.findings.iter().any(|found| found.suppressed.is_none());
        let room = markdown::COMMENT - forge::MARKER.len() - 1;
        let text = has_work.then(|| forge::markdown_of(report, self.options, room));
        comment.say(text.as_deref()).map(|_| ())
    }

    /// A token that may not write is no failure, unless somebody insisted: forks and Dependabot have no other.
    pub(super) fn failed(&self, when: When, what: &str, failure: &Failure) {
        match failure.is_denied() && when == When::Auto {
            true => say(&format!("gatekeep: left out {what}: {failure}")),
            false => warn(&format!("{what} could not be written: {failure}")),
        }
    }
}

/// Says something aloud, where people look: beside the annotations.
pub(super) fn warn(text: &str) {
    let text = terminal(text).replace('%', "%25");
    let _ = super::super::print(format!("::warning title=gatekeep::{text}\n").as_bytes()); // nowhere else to say it
}

/// Says something in the log.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", terminal(text)); // nobody's verdict
}
