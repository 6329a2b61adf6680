//! What a proxy must not pass on, and what it must add.

use std::net::IpAddr;

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

/// Fields that speak of one connection, not of the message (RFC 9110, section 7.6.1).
static HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
static FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Removes those, and the ones that `Connection` names.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let mut named = Vec::new();
    for value in headers.get_all(header::CONNECTION) {
        let names = value.as_bytes().split(|byte| *byte == b',');
        named.extend(names.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok()));
    }
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}

/// Makes the fields of a request those of the request to a backend. `Host` stays: it names the site, not the backend.
pub(crate) fn to_backend(headers: &mut HeaderMap, client: IpAddr) {
    remove_hop_by_hop(headers);
    // We have answered this one ourselves, by the time the body is read.
    headers.remove(header::EXPECT);

    // One field, since some backends read only the first. What is already there may be anything: it is the client's word.
    let mut path = Vec::new();
    for value in headers.get_all(&FORWARDED_FOR) {
        path.extend_from_slice(value.as_bytes());
        path.extend_from_slice(b", ");
    }
    let client = client.to_canonical().to_string();
    path.extend_from_slice(client.as_bytes());
    let value = HeaderValue::from_bytes(&path).or_else(|_| HeaderValue::from_str(&client));
    headers.remove(&FORWARDED_FOR);
    if let Ok(value) = value {
        headers.insert(FORWARDED_FOR.clone(), value);
    }
    headers.entry(&FORWARDED_PROTO).or_insert(HeaderValue::from_static("http"));
}

/// Makes the fields of a backend's answer those of ours.
pub(crate) fn to_client(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn fields_that_connection_names_stay_here() {
        let mut headers = HeaderMap::new();
        headers.append("connection", HeaderValue::from_static("close, X-Secret,, ,\"quoted\""));
        headers.append("connection", HeaderValue::from_static("x-other"));
        for name in ["x-secret", "x-other", "te", "upgrade", "transfer-encoding", "keep-alive", "x-kept"] {
            headers.append(name, HeaderValue::from_static("1"));
        }
        to_client(&mut headers);
        assert_eq!(headers, map(&[("x-kept", "1")]));
    }

    #[test]
    fn the_path_of_a_request_grows_by_one() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_static("203.0.113.9"));
        headers.append("x-forwarded-for", HeaderValue::from_static("198.51.100.1"));
        headers.append("host", HeaderValue::from_static("shop.example"));
        headers.append("expect", HeaderValue::from_static("100-continue"));
        to_backend(&mut headers, "192.0.2.7".parse().unwrap());
        let expected = [
            ("host", "shop.example"),
            ("x-forwarded-for", "203.0.113.9, 198.51.100.1, 192.0.2.7"),
            ("x-forwarded-proto", "http"),
        ];
        assert_eq!(headers, map(&expected));
    }

    #[test]
    fn a_path_of_odd_bytes_is_kept() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_bytes(b"\xff\xfe").unwrap());
        to_backend(&mut headers, "::ffff:192.0.2.7".parse().unwrap());
        assert_eq!(headers["x-forwarded-for"].as_bytes(), b"\xff\xfe, 192.0.2.7");
    }
}
