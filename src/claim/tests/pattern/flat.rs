//! A tree as a list, parents before children: what patterns ask of a node is beside it.

use tree_sitter::{Node, Tree};

/// The kind of what does not parse.
pub(super) const ERROR: u16 = u16::MAX;

/// All nodes of a tree in the order of the text.
pub(in super::super) struct Nodes<'t>(pub(in super::super) Vec<Flat<'t>>);

/// A node with its place in the list. Its first child, if it has one, is the next in the list.
pub(in super::super) struct Flat<'t> {
    pub(in super::super) node: Node<'t>,
    /// Behind its last descendant: where its next sibling is, if it has one.
    pub(in super::super) end: u32,
    /// The root is its own.
    pub(super) parent: u32,
    pub(in super::super) kind: u16,
    /// Zero: in no field of its parent.
    pub(super) field: u16,
    pub(super) named: bool,
}

impl<'t> Nodes<'t> {
    /// Walks a tree once, without recursion.
    pub(in super::super) fn new(tree: &'t Tree) -> Self {
        let mut list: Vec<Flat<'t>> = Vec::with_capacity(tree.root_node().descendant_count());
        let mut cursor = tree.walk();
        let mut parent = 0;
        loop {
            let (node, at) = (cursor.node(), list.len() as u32);
            let field = cursor.field_id().map_or(0, |field| field.get());
            list.push(Flat { node, end: at + 1, parent, kind: node.kind_id(), field, named: node.is_named() });
            if cursor.goto_first_child() {
                parent = at;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self(list);
                }
                let end = list.len() as u32;
                list[parent as usize].end = end;
                parent = list[parent as usize].parent;
            }
        }
    }
}
