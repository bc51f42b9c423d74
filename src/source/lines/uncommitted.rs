use crate::{source::{Changed,Git,Folders,Worktree}, report::Incomplete, error::Fatal};
pub struct Uncommitted { pub changes: Vec<Changed>, pub incomplete: Vec<Incomplete> }
impl Git { pub fn uncommitted(&self, _w:&Worktree,_n:u16,_f:Folders<'_>)->Result<Uncommitted,Fatal>{Ok(Uncommitted{changes:vec![],incomplete:vec![]})} }
pub fn compose(a:Vec<Changed>,_b:Vec<Changed>)->Vec<Changed>{a}
