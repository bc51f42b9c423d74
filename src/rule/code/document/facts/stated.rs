//! Which values a query states: one value, or a list.

use std::{borrow::Cow, ops::Range};

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::{
    claim::extract::{ExtractError, record::Record},
    config::change::Query,
};

type Stated<'r> = (Range<usize>, Cow<'r, Value>);

/// What a record states at a query; empty where it says nothing. All that one query selects is one list: `$.files[*]` says what `$.files`
/// does, and `$.packages[*].path` names as many paths as there are packages.
pub(super) fn stated<'r>(record: &'r Record, query: &Query) -> Result<Vec<Stated<'r>>, ExtractError> {
    let holder = ["[*]", ".*"].iter().find_map(|all| query.written.trim().strip_suffix(all));
    if let Some(holder) = holder.and_then(|path| JsonPath::parse(path).ok()) {
        // an empty list states that there is nothing
        let lists = record.query(&holder)?.into_iter().filter(|(_, value)| value.is_array() || value.is_object());
        return Ok(one_list(lists.collect()));
    }
    let mut found = record.query(&query.path)?;
    found.retain(|(_, value)| !value.is_null());
    let is_whole = matches!(found.as_slice(), [(_, Value::Array(_) | Value::Number(_))]);
    if is_whole || selects_one(&query.written) {
        return Ok(found.into_iter().map(|(span, value)| (span, Cow::Borrowed(value))).collect());
    }
    Ok(one_list(found))
}

/// The values one after the other, with what stands in those that are lists; it stands where the first one does.
fn one_list<'r>(found: Vec<(Range<usize>, &'r Value)>) -> Vec<Stated<'r>> {
    let Some(span) = found.first().map(|(span, _)| span.clone()) else { return Vec::new() };
    let mut items = Vec::new();
    for (_, value) in found {
        match value {
            Value::Array(all) => items.extend(all.iter().filter(|item| !item.is_null()).cloned()),
            Value::Object(members) => items.extend(members.values().filter(|item| !item.is_null()).cloned()),
            one => items.push(one.clone()),
        }
    }
    vec![(span, Cow::Owned(Value::Array(items)))]
}

/// Whether a path can only ever select one value: names and places, no wildcard, slice, filter, union or descent.
fn selects_one(path: &str) -> bool {
    let (mut quote, mut escaped, mut before) = (None, false, ' ');
    for c in path.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if matches!(c, '*' | '?' | ':' | ',') || c == '.' && before == '.' => return false,
            None => {}
        }
        before = c;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::selects_one;

    #[test]
    fn names_and_places_select_one_value() {
        for path in ["$", "$.a.b", "$['a,b*'][0]", "$[\"..\\\"?\"]"] {
            assert!(selects_one(path), "{path}");
        }
        for path in ["$.*", "$[*]", "$..a", "$['a','b']", "$[0:2]", "$[?@.x]"] {
            assert!(!selects_one(path), "{path}");
        }
    }
}
