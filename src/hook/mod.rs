//! An agent's hook: what an agent is about to do, in one form whatever agent it is, and the answer in the words of that agent.
//!
//! Nothing here reads a file: events come as bytes, answers go as JSON.

mod answer;
mod event;
mod patch;

pub use answer::Answer;
pub use event::{Agent, Edit, Event, Kind, Now, Text};
