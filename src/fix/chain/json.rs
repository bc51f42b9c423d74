//! JSON documents that keep the order of their members, and how two versions of one are joined.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

/// A document, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    Plain(Value),
}

impl Json {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| error.to_string())
    }

    /// The document with two blanks for each level.
    pub(super) fn pretty(&self) -> String {
        serde_json::to_string_pretty(self).expect("it was read from JSON")
    }

    fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A member that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Self::Plain(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Gives a member another text.
    pub(super) fn set(&mut self, name: &str, text: &str) {
        let Self::Object(members) = self else { return };
        if let Some((_, value)) = members.iter_mut().find(|(known, _)| known == name) {
            *value = Self::Plain(text.into());
        }
    }

    /// Whether two are one, in whatever order their members stand.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(name, value)| other.get(name).is_some_and(|other| value.is(other)))
            }
            (Self::Array(a), Self::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is(b)),
            _ => self == other,
        }
    }
}

/// What both versions of a document come to, member by member. Those members of the document itself that are named are mine. Gives the way
/// to what both changed.
pub(super) fn merged(was: &Json, mine: &Json, theirs: &Json, own: &[&str]) -> Result<Json, String> {
    let (Json::Object(my_members), Json::Object(their_members)) = (mine, theirs) else {
        return match () {
            () if mine.is(theirs) || theirs.is(was) => Ok(mine.clone()),
            () if mine.is(was) => Ok(theirs.clone()),
            () => Err(String::new()),
        };
    };
    let mut members = Vec::new();
    let further = my_members.iter().filter(|(name, _)| theirs.get(name).is_none());
    for (name, _) in their_members.iter().chain(further) {
        let value = match own.contains(&name.as_str()) {
            true => mine.get(name).cloned(),
            false => joined(was.get(name), mine.get(name), theirs.get(name))
                .map_err(|below| if below.is_empty() { name.clone() } else { format!("{name}.{below}") })?,
        };
        members.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(Json::Object(members))
}

/// What both versions of a member come to; none where it is gone.
fn joined(was: Option<&Json>, mine: Option<&Json>, theirs: Option<&Json>) -> Result<Option<Json>, String> {
    let same = |a: Option<&Json>, b: Option<&Json>| match (a, b) {
        (Some(a), Some(b)) => a.is(b),
        (None, None) => true,
        _ => false,
    };
    match (mine, theirs) {
        _ if same(mine, theirs) || same(theirs, was) => Ok(mine.cloned()),
        _ if same(mine, was) => Ok(theirs.cloned()),
        (Some(mine), Some(theirs)) => {
            let empty = Json::Object(Vec::new());
            merged(was.unwrap_or(&empty), mine, theirs, &[]).map(Some)
        }
        _ => Err(String::new()),
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Plain(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => writer.collect_map(members.iter().map(|(name, value)| (name, value))),
            Self::Array(values) => writer.collect_seq(values),
            Self::Plain(value) => value.serialize(writer),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn join(was: &str, mine: &str, theirs: &str) -> Result<String, String> {
        let [was, mine, theirs] = [was, mine, theirs].map(|text| Json::parse(text).unwrap());
        merged(&was, &mine, &theirs, &["id"]).map(|made| serde_json::to_string(&made).unwrap())
    }

    #[test]
    fn what_one_side_changes_is_taken() {
        let was = r#"{"id":"0","t":{"a":{"x":1},"b":{},"g":1},"l":[1]}"#;
        let mine = r#"{"id":"m","t":{"a":{"x":1},"b":{},"mine":2},"l":[1]}"#;
        let theirs = r#"{"id":"t","t":{"b":{},"a":{"x":2},"g":1,"theirs":3},"l":[1,2]}"#;
        assert_eq!(
            join(was, mine, theirs).unwrap(),
            r#"{"id":"m","t":{"b":{},"a":{"x":2},"theirs":3,"mine":2},"l":[1,2]}"#
        );
    }

    #[test]
    fn what_both_change_in_two_ways_is_named() {
        assert_eq!(join(r#"{"t":{"a":1}}"#, r#"{"t":{"a":2}}"#, r#"{"t":{"a":3}}"#), Err("t.a".into()));
        assert_eq!(join(r#"{"t":{"a":1}}"#, r#"{"t":{}}"#, r#"{"t":{"a":3}}"#), Err("t.a".into()));
        assert_eq!(join(r#"{"l":[1]}"#, r#"{"l":[1,2]}"#, r#"{"l":[1,3]}"#), Err("l".into()));
        assert_eq!(join(r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":2}"#).unwrap(), r#"{"a":2}"#);
        assert_eq!(join(r#"{}"#, r#"{"a":{"x":1}}"#, r#"{"a":{"y":1}}"#).unwrap(), r#"{"a":{"y":1,"x":1}}"#);
    }

    #[test]
    fn order_and_numbers_stay() {
        let text = r#"{"z":1,"a":[null,true,-2,1.5,"é\n"],"m":{}}"#;
        assert_eq!(serde_json::to_string(&Json::parse(text).unwrap()).unwrap(), text);
        assert!(Json::parse("{").is_err());
    }
}
