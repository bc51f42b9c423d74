//! Which database a connection URL leads to: server and name, never user or password.
//!
//! These are no URLs of RFC 3986: there may be several hosts, a scheme with a driver in it, and no host at all.

use std::{
    borrow::Cow,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Schemes of one server, without the driver that some put behind a `+`; its word in a key, and the port that it listens on by itself.
const SERVERS: [(&[&str], &str, u16); 6] = [
    (&["postgres", "postgresql", "postgis", "pgsql"], "postgres", 5432),
    (&["cockroachdb", "cockroach"], "postgres", 26257), // speaks the protocol of Postgres
    (&["mysql", "mysql2", "mariadb", "trilogy"], "mysql", 3306),
    (&["mongodb"], "mongodb", 27017),
    (&["redis", "rediss", "valkey", "valkeys"], "redis", 6379),
    (&["sqlserver", "mssql"], "sqlserver", 1433),
];
/// Found through DNS: hosts and ports are not in the URL.
const MONGODB_SRV: &str = "mongodb+srv";

/// Names of this machine, also as containers know it.
const LOCAL: [&str; 5] = [
    "localhost",
    "host.docker.internal",
    "gateway.docker.internal",
    "host.containers.internal",
    "docker.for.mac.localhost",
];

/// Parameters that lead elsewhere than host, port and path say (libpq, MySQL clients).
const ELSEWHERE: [&str; 10] =
    ["host", "hostaddr", "port", "dbname", "database", "service", "socket", "unix_socket", "unixsocket", "unix-socket"];

/// Folders at the top of a machine. `sqlite:///x` is `x` for SQLAlchemy and `/x` for others: only a path that begins with one of these is
/// surely no relative one.
const TOPS: [&str; 12] =
    ["home", "Users", "tmp", "var", "srv", "opt", "mnt", "root", "private", "Volumes", "usr", "run"];

/// The canonical text of a database: `postgres://localhost:5432/app`, `sqlite:/home/me/app.db`. None for all that is no such URL, that
/// leaves a part to be filled in, and that depends on where it is read: a relative path, a host that only a container's network knows.
pub(super) fn normalize(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let bare = text.strip_prefix("jdbc:").unwrap_or(text);
    let (scheme, rest) = bare.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    let plain = scheme.split('+').next().unwrap_or_default();
    let made = match plain {
        "sqlite" | "sqlite3" | "file" => file(plain, rest)?,
        _ => server(&scheme, plain, rest.strip_prefix("//")?)?,
    };
    Some(if made == text { Cow::Borrowed(text) } else { Cow::Owned(made) })
}

fn server(scheme: &str, plain: &str, rest: &str) -> Option<String> {
    let (word, port) = match scheme {
        MONGODB_SRV => (MONGODB_SRV, None),
        _ if plain == "redis" && scheme != plain => return None, // a socket, or sentinels that know where
        _ => SERVERS.iter().find(|(names, ..)| names.contains(&plain)).map(|(_, word, port)| (*word, Some(*port)))?,
    };
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if tail.contains(['@', '#']) {
        return None; // a password that was not escaped
    }
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let mut places = Vec::new();
    for host in hosts.split(',') {
        places.push(place(host, word, port)?);
    }
    places.sort();
    places.dedup();
    let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
    let query = Query::read(query)?;
    let named = path.strip_prefix('/').unwrap_or(path);
    let name = match word {
        "redis" => query.number.as_deref().or(Some(named).filter(|named| !named.is_empty())).unwrap_or("0"),
        _ => named,
    };
    let name = plain_text(name)?;
    if word == "redis" && (name.len() > 9 || !name.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let name = if word == "redis" { name.trim_start_matches('0').to_owned() } else { name };
    let name = if name.is_empty() { "0" } else { &name };
    let schema =
        query.schema.filter(|schema| schema != "public").map_or_else(String::new, |schema| format!("?schema={schema}"));
    Some(format!("{word}://{}/{name}{schema}", places.join(",")))
}

/// Host and port; none where the host has a meaning only in some network of containers, or is none.
fn place(text: &str, word: &str, default: Option<u16>) -> Option<String> {
    let bracket = text.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match text[bracket..].find(':') {
        Some(at) => (&text[..bracket + at], Some(&text[bracket + at + 1..])),
        None => (text, None),
    };
    let port = match port.filter(|port| !port.is_empty()) {
        Some(port) => Some(port.parse::<u16>().ok().filter(|number| *number > 0 && !port.starts_with('+'))?),
        None => default,
    };
    let host = self::host(host, word)?;
    Some(port.map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
}

fn host(text: &str, word: &str) -> Option<String> {
    if text.is_empty() {
        return (word == "postgres").then(|| "localhost".to_owned()); // the socket of the server on this machine
    }
    let host = text.to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Ok(address) = inner.unwrap_or(host).parse::<IpAddr>() {
        return match address {
            IpAddr::V4(Ipv4Addr::LOCALHOST | Ipv4Addr::UNSPECIFIED)
            | IpAddr::V6(Ipv6Addr::LOCALHOST | Ipv6Addr::UNSPECIFIED) => Some("localhost".into()),
            IpAddr::V4(address) => Some(address.to_string()),
            IpAddr::V6(address) => Some(format!("[{address}]")),
        };
    }
    if LOCAL.contains(&host) || host.ends_with(".localhost") {
        return Some("localhost".into());
    }
    // a name without a dot is that of a service beside the container: another one in each project
    let named = host.contains('.') && !host.starts_with('.');
    let sound = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    (named && sound).then(|| host.to_owned())
}

/// What the parameters of a URL say of the place.
#[derive(Default)]
struct Query {
    /// Prisma's `schema`, JDBC's `currentSchema`, a `search_path`: a database of its own within the database.
    schema: Option<String>,
    /// The `db` of redis clients.
    number: Option<String>,
}

impl Query {
    fn read(text: &str) -> Option<Self> {
        let mut found = Self::default();
        for (name, value) in text.split('&').filter_map(|pair| pair.split_once('=')) {
            let name = name.to_ascii_lowercase();
            match name.as_str() {
                "schema" | "currentschema" | "search_path" => found.schema = Some(plain_text(value)?),
                "options" => {
                    let value = decoded(&value.replace('+', " "))?;
                    if let Some((_, path)) = value.split_once("search_path=") {
                        found.schema = Some(plain_text(path.split([' ', ',']).next().unwrap_or_default())?);
                    }
                }
                "db" => found.number = Some(value.to_owned()),
                _ if ELSEWHERE.contains(&name.as_str()) => return None,
                _ => {}
            }
        }
        Some(found)
    }
}

/// The name of a database or schema: letters, digits and few signs. Anything else may be a secret that went astray, or is to be filled in.
fn plain_text(text: &str) -> Option<String> {
    let text = decoded(text)?;
    let sound = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    (sound && !text.is_empty() && text.len() <= 128).then_some(text)
}

/// The text with its escapes resolved; none where that is no ASCII.
fn decoded(text: &str) -> Option<String> {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        made.push_str(&rest[..at]);
        let byte = u8::from_str_radix(rest.get(at + 1..at + 3)?, 16).ok().filter(u8::is_ascii)?;
        made.push(char::from(byte));
        rest = &rest[at + 3..];
    }
    made.push_str(rest);
    made.is_ascii().then_some(made)
}

/// A database in a file. Relative paths lead to another file from each place.
fn file(scheme: &str, rest: &str) -> Option<String> {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if query.contains("mode=memory") || path.contains(['$', '{', '@', '\\']) || path.chars().any(char::is_control) {
        return None;
    }
    let slashes = path.len() - path.trim_start_matches('/').len();
    let below = &path[slashes..];
    let is_drive = |text: &str| matches!(text.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let known = ["db", "db3", "sqlite", "sqlite3"];
    if below.is_empty() || scheme == "file" && !known.contains(&below.rsplit('.').next().unwrap_or_default()) {
        return None;
    }
    if is_drive(below) {
        return Some(format!("sqlite:{below}"));
    }
    let absolute = match slashes {
        1 | 4 => true,
        3 => scheme == "file" || TOPS.contains(&below.split('/').next().unwrap_or_default()),
        _ => false,
    };
    absolute.then(|| format!("sqlite:/{below}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Option<String> {
        normalize(text).map(Cow::into_owned)
    }

    #[track_caller]
    fn same(texts: &[&str], want: &str) {
        for text in texts {
            assert_eq!(key(text).as_deref(), Some(want), "{text}");
        }
        assert_eq!(key(want).as_deref(), Some(want));
    }

    #[test]
    fn many_ways_to_one_server() {
        same(
            &[
                "postgres://app:secret@localhost:5432/app_a",
                "postgres://other:hidden@127.0.0.1/app_a",
                "postgresql://[::1]/app_a?sslmode=disable",
                "postgresql+asyncpg://LOCALHOST./app%5Fa",
                "jdbc:postgresql://localhost/app_a?currentSchema=public",
                "postgres://u:p%40ss@host.docker.internal:5432/app_a",
                "postgres://u:pa@ss@localhost/app_a",
                "postgres:///app_a",
                "postgres://u:${PASSWORD}@localhost/app_a",
                " postgres://0.0.0.0/app_a\n",
            ],
            "postgres://localhost:5432/app_a",
        );
        same(&["mysql://localhost/x", "mariadb+pymysql://u@127.0.0.1:3306/x"], "mysql://localhost:3306/x");
        same(
            &["redis://localhost", "rediss://:p@localhost:6379/0", "redis://localhost/?db=00"],
            "redis://localhost:6379/0",
        );
        same(&["mongodb://b.example,a.example:1/x?replicaSet=r"], "mongodb://a.example:1,b.example:27017/x");
        same(&["mongodb+srv://u:p@c.abc.mongodb.net/x"], "mongodb+srv://c.abc.mongodb.net/x");
        same(&["cockroachdb://db.example/x"], "postgres://db.example:26257/x");
        same(&["postgres://[fe80::0:1]:1/x"], "postgres://[fe80::1]:1/x");
    }

    #[test]
    fn a_schema_is_a_database_of_its_own() {
        same(
            &["postgres://localhost/x?schema=a", "postgres://localhost/x?options=-c%20search_path%3Da,public"],
            "postgres://localhost:5432/x?schema=a",
        );
        assert_ne!(key("postgres://localhost/x?schema=a"), key("postgres://localhost/x?schema=b"));
    }

    #[test]
    fn files_by_their_whole_path() {
        same(
            &["sqlite:////home/me/a.db", "sqlite:///home/me/a.db", "file:/home/me/a.db", "file:///home/me/a.db?x=1"],
            "sqlite:/home/me/a.db",
        );
        same(&["sqlite:///C:/a.db"], "sqlite:C:/a.db");
        for text in [
            "sqlite:///dev.db",
            "sqlite://dev.db",
            "sqlite:dev.db",
            "file:./dev.db",
            "sqlite::memory:",
            "file:/a/b.log",
            "file:x.db",
        ] {
            assert_eq!(key(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_database_or_not_known() {
        for text in [
            "",
            "localhost:5432/app",
            "http://localhost/app",
            "postgres://localhost",
            "postgres://localhost/",
            "postgres://db:5432/app",
            "postgres://${HOST}/app",
            "postgres://localhost:${PORT}/app",
            "postgres://localhost/${NAME}",
            "postgres://localhost/a/b",
            "postgres://localhost/a?host=/tmp",
            "postgres://%2Ftmp/a",
            "postgres://localhost:0/a",
            "postgres://localhost:99999/a",
            "prisma+postgres://localhost:51213/a?api_key=secret",
            "redis+socket:///tmp/redis.sock",
            "redis://localhost/x",
            "mysql:///x",
            "mongodb://localhost/?authSource=admin",
            "sqlserver://localhost:1433;database=x;user=u;password=p",
        ] {
            assert_eq!(key(text), None, "{text}");
        }
    }

    #[test]
    fn a_password_that_was_not_escaped_stays_out() {
        for text in [
            "postgres://app:12/34@localhost/x",
            "postgres://app:12?34@localhost/x",
            "postgres://app:12#34@localhost/x",
            "postgres://app:1#2@h.example/x",
            "redis://:se/cret@localhost/1",
        ] {
            assert_eq!(key(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic_and_nothing_changes_twice(
            text in "(jdbc:)?(postgres|mysql|redis|mongodb|mongodb\\+srv|sqlite|file|sqlserver):(//)?([a-z0-9.:/@,%?#\\[\\]é$]|localhost|%2F|\\?schema=|db=){0,12}"
        ) {
            if let Some(once) = key(&text) {
                proptest::prop_assert_eq!(key(&once), Some(once));
            }
        }
    }
}
