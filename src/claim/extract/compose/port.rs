//! What a service publishes: the short and the long way to say it (go-connections `nat.ParsePortSpec`, compose-spec `ports`).

use std::net::IpAddr;

use super::{
    super::{document::Node, dotenv::Variables},
    service::{member, text},
};

/// A port of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub(super) number: u16,
    pub(super) protocol: String,
    /// Where it is bound, as a path: nothing is every address, `4` every one of IPv4, `4/127.0.0.1` this one.
    pub(super) address: String,
}

/// The ports that one entry takes. None where docker picks one that is free, and where a part can't be resolved.
pub(super) fn published(entry: &Node, variables: &Variables) -> Vec<Port> {
    if let Some(short) = text(entry, variables) {
        return of_short(&short).unwrap_or_default();
    }
    let field = |name: &str| member(entry, name).and_then(|(_, node)| text(node, variables));
    let Some(host) = field("published") else { return Vec::new() };
    let ip = field("host_ip").unwrap_or_default();
    let protocol = field("protocol").unwrap_or_else(|| "tcp".to_owned());
    match (range(&host), address(&ip)) {
        // of a range one is picked when the container starts
        (Some((from, to)), Some(address)) if from == to => made(from, to, &protocol, &address),
        _ => Vec::new(),
    }
}

/// `[[IP:]HOST:]CONTAINER[/PROTOCOL]`, where HOST and CONTAINER may be ranges.
fn of_short(text: &str) -> Option<Vec<Port>> {
    let (ports, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
    let (rest, container) = ports.rsplit_once(':')?;
    let (ip, host) = rest.rsplit_once(':').unwrap_or(("", rest));
    let (from, to) = range(host)?;
    let (first, last) = range(container)?;
    if to - from != last - first {
        return None; // more than the container needs: one of them is picked
    }
    Some(made(from, to, protocol, &address(ip)?))
}

fn made(from: u16, to: u16, protocol: &str, address: &str) -> Vec<Port> {
    let protocol = protocol.to_ascii_lowercase();
    if !["tcp", "udp", "sctp"].contains(&protocol.as_str()) {
        return Vec::new();
    }
    let port = |number| Port { number, protocol: protocol.clone(), address: address.to_owned() };
    (from..=to).map(port).collect()
}

/// A port, or a range of them. 0 is none: the machine picks one.
fn range(text: &str) -> Option<(u16, u16)> {
    let port = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0 && !text.starts_with('+'));
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (port(from)?, port(to)?);
    (from <= to).then_some((from, to))
}

/// An address as a path; none where it is none.
fn address(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address: IpAddr = bare.parse().ok()?;
    let family = if address.is_ipv4() { "4" } else { "6" };
    Some(if address.is_unspecified() { family.to_owned() } else { format!("{family}/{address}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> Vec<String> {
        let ports = of_short(text).unwrap_or_default();
        ports.iter().map(|port| format!("{} {} {}", port.number, port.protocol, port.address)).collect()
    }

    #[test]
    fn the_short_way() {
        assert_eq!(short("3000:80"), ["3000 tcp "]);
        assert_eq!(short("53:53/udp"), ["53 udp "]);
        assert_eq!(short("127.0.0.1:3000:80/TCP"), ["3000 tcp 4/127.0.0.1"]);
        assert_eq!(short("[::1]:3000:80"), ["3000 tcp 6/::1"]);
        assert_eq!(short("::1:3000:80"), ["3000 tcp 6/::1"]);
        assert_eq!(short("0.0.0.0:3000:80"), ["3000 tcp 4"]);
        assert_eq!(short("[::]:3000:80"), ["3000 tcp 6"]);
        assert_eq!(short("3000-3002:80-82"), ["3000 tcp ", "3001 tcp ", "3002 tcp "]);
        assert_eq!(short("1-65535:1-65535").len(), 65535);
    }

    #[test]
    fn what_takes_no_port_by_name() {
        for text in [
            "80",
            "",
            ":",
            ":80",
            "127.0.0.1::80",
            "3000-3010:80",
            "0:80",
            "3000:",
            "3001-3000:80-81",
            "3000-3001:80-82",
            "99999:80",
            "${PORT}:80",
            "+1:80",
            "localhost:3000:80",
            "3000:80/http",
            "-1:80",
        ] {
            assert_eq!(short(text), [""; 0], "{text}");
        }
    }
}
