//! stand-in
#[derive(Debug)]
pub struct Node;
