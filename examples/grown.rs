//! Times what `scan --branches` asks of git, for comparison with plain git: `grown REPO all|GLOB [PREFIX] [list]`.
//!
//! Branches are those below `refs/heads/PREFIX` (`feature/`), the trunk is `main`. With `list` it prints each change.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a tool for people")]

use std::{env, error::Error, path::Path, process::Command, time::Instant};

use gatekeep::{
    rule::{
        Want, What,
        select::{Classifier, Pattern},
    },
    source::{Folders, Git, Grown},
};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [repo, what, rest @ ..] = args.as_slice() else {
        return Err("usage: grown REPO all|GLOB [PREFIX] [list]".into());
    };
    let prefix = rest.first().map_or("feature/", String::as_str);
    let list = Command::new("git")
        .args(["-C", repo, "for-each-ref", "--format=%(objectname)", &format!("refs/heads/{prefix}")])
        .output()?;
    let tips: Vec<gix::ObjectId> = String::from_utf8(list.stdout)?.lines().map(str::parse).collect::<Result<_, _>>()?;
    let begun = Instant::now();
    let git = Git::open(Path::new(repo))?.ok_or("no repository")?;
    let main = git.commit("main")?;
    let classifier =
        Classifier::of(Pattern::parse(what).map_err(|bad| bad.to_string())?, Want { rule: 0, what: What::Claim(0) });
    let folders = if what == "all" { Folders::All } else { Folders::Wanted(&classifier) };
    let grown = git.grown(main, &tips, folders)?;
    let took = begun.elapsed();
    let lines = grown.iter().filter_map(|grown| match grown {
        Grown::Line(growth) => Some(growth),
        _ => None,
    });
    if rest.get(1).is_some() {
        for (tip, grown) in tips.iter().zip(&grown) {
            let Grown::Line(growth) = grown else {
                println!("{tip} {grown:?}");
                continue;
            };
            println!("{tip} {} {:?} {}", growth.fork, growth.started, growth.own.len());
            for change in &growth.changes {
                let status = match (change.old, change.new) {
                    (None, _) => 'A',
                    (_, None) => 'D',
                    _ => 'M',
                };
                println!("{status}\t{}", change.path.lossy());
            }
        }
    }
    let changes: usize = lines.map(|growth| growth.changes.len()).sum();
    println!("{} lines, {changes} changes, {took:?}\n{}", grown.len(), git.counters().now());
    Ok(())
}
