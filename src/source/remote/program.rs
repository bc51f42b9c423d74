//! The program git, for what goes over the network: it knows the user's keys, helpers and proxies.

use std::{
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::{Failed, said};

/// The most of its output that is read.
const MOST_OUTPUT: u64 = 64 << 20;

/// Calls of git in one repository.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Where it runs: the top of the working tree, or the repository itself.
    pub(super) folder: PathBuf,
    /// Where it puts new objects, and finds the repository's own as alternates, so that nothing is left behind in the repository. None: they go
    /// into the repository.
    pub(super) objects: Option<PathBuf>,
    /// A setting that holds a secret, and the secret; no other process sees it.
    pub(super) secret: Option<(String, String)>,
    /// How long one call may take.
    pub(super) limit: Duration,
}

/// How a call ended.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Settings of the user that would write into the repository, run hooks of it, or send more than was asked for.
const SETTINGS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.followTags=false",
    "push.gpgSign=false",
    "fetch.writeCommitGraph=false",
    // a server that falls silent is given up
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
];

impl Program {
    /// Runs git with this on its standard input.
    pub(super) fn run(&self, args: &[&str], input: &str) -> Result<Done, Failed> {
        let done = self.wait_for(args, input);
        done.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failed::for_good("the program `git` was not found"),
            io::ErrorKind::TimedOut => Failed::for_now(format!("no answer within {} seconds", self.limit.as_secs())),
            _ => Failed::for_good(format!("git could not be run: {error}")),
        })
    }

    /// As [`Program::run`], where a call that does not succeed has failed.
    pub(super) fn output(&self, args: &[&str], input: &str) -> Result<Vec<u8>, Failed> {
        let done = self.run(args, input)?;
        if done.status.success() { Ok(done.stdout) } else { Err(said::failed(&done.stderr)) }
    }

    fn wait_for(&self, args: &[&str], input: &str) -> io::Result<Done> {
        let mut command = Command::new("git");
        command.current_dir(&self.folder);
        SETTINGS.iter().for_each(|setting| _ = command.args(["-c", setting]));
        command.args(args);
        self.objects.iter().for_each(|objects| _ = command.env("GIT_OBJECT_DIRECTORY", objects));
        if let Some((key, value)) = &self.secret {
            // an empty one takes back those of the configuration: two of them are refused
            command.envs([("GIT_CONFIG_COUNT", "2"), ("GIT_CONFIG_KEY_0", key), ("GIT_CONFIG_VALUE_0", "")]);
            command.envs([("GIT_CONFIG_KEY_1", key), ("GIT_CONFIG_VALUE_1", value)]);
        }
        command
            .envs([("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("LC_ALL", "C")])
            .env_remove("LANGUAGE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let input = input.as_bytes().to_owned();
        thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input))); // one that does not read it says why
        let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let end = Instant::now() + self.limit;
        let status = exit_of(&mut child, end)?;
        // a helper of git's may still hold the pipes
        let rest = |from: mpsc::Receiver<Vec<u8>>| {
            from.recv_timeout(end.saturating_duration_since(Instant::now())).map_err(|_| io::ErrorKind::TimedOut)
        };
        Ok(Done { status, stdout: rest(stdout)?, stderr: rest(stderr)? })
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|pipe| pipe.take(MOST_OUTPUT).read_to_end(&mut bytes));
        let _ = send.send(bytes); // nobody waits for it any more
    });
    receive
}

fn exit_of(child: &mut Child, end: Instant) -> io::Result<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= end {
            let _ = child.kill(); // it may have ended by itself just now
            let _ = child.wait();
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
