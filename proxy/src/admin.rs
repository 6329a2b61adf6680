//! The admin interface, JSON over HTTP on a listener of its own.
//!
//! | request | what it does |
//! |---|---|
//! | `GET /backends` | the ring in order, its version, and who is out of order |
//! | `POST /backends` `{"id": …, "address": "host:port"}` | adds a backend at the end, or moves it in place |
//! | `DELETE /backends/{id}` | forgets a backend |
//! | `PUT /backends` `[{"id": …, "address": …}, …]` | makes these the backends, in one publication |
//! | `GET /status` | the same as `/backends`, with counts |
//!
//! An empty list empties the registry, which is an outage as often as it is meant: `PUT /backends?allow=empty`.

use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, StatusCode};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::body::Answer;
use crate::failure::json_response;
use crate::fleet::{Fleet, Registered};
use crate::status;

/// More than 10,000 backends fit.
const BODY_LIMIT: usize = 1024 * 1024;
const ID_LIMIT: usize = 256;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    id: String,
    address: String,
}

/// What the caller did wrong.
struct Refusal(StatusCode, String);

type Done = Result<(StatusCode, Value), Refusal>;

/// Serves one request. There is always an answer, and it is always JSON.
pub(crate) async fn administer(fleet: Arc<Fleet>, request: Request<Incoming>) -> Response<Answer> {
    let allowed = allowed_methods(request.uri().path());
    let (status, body) =
        route(&fleet, request).await.unwrap_or_else(|Refusal(status, error)| (status, json!({ "error": error })));
    let mut response = json_response(status, &body);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    }
    if status.is_client_error() {
        // What is left of the body need not be read.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn allowed_methods(path: &str) -> &'static str {
    match path {
        "/status" => "GET",
        "/backends" => "GET, POST, PUT",
        _ => "DELETE",
    }
}

async fn route(fleet: &Fleet, request: Request<Incoming>) -> Done {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    match (&head.method, path, path.strip_prefix("/backends/")) {
        (&Method::GET, "/backends", _) => Ok((StatusCode::OK, status::backends(fleet))),
        (&Method::GET, "/status", _) => Ok((StatusCode::OK, status::full(fleet))),
        (&Method::POST, "/backends", _) => register(fleet, read(fleet, body).await?),
        (&Method::PUT, "/backends", _) => {
            let allow_empty = head.uri.query() == Some("allow=empty");
            replace_all(fleet, read(fleet, body).await?, allow_empty)
        }
        (&Method::DELETE, _, Some(id)) => deregister(fleet, id),
        (_, "/backends" | "/status", _) | (_, _, Some(_)) => {
            Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, format!("{path} knows no {}", head.method)))
        }
        _ => Err(Refusal(StatusCode::NOT_FOUND, "there are /backends, /backends/{id} and /status".into())),
    }
}

async fn read<T: DeserializeOwned>(fleet: &Fleet, body: Incoming) -> Result<T, Refusal> {
    let all = timeout(fleet.options().stall_timeout, Limited::new(body, BODY_LIMIT).collect());
    let all: Bytes = match all.await {
        Ok(Ok(all)) => all.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE, format!("more than {BODY_LIMIT} bytes")));
        }
        Ok(Err(_)) => return Err(bad("the body broke off")),
        Err(_) => return Err(Refusal(StatusCode::REQUEST_TIMEOUT, "the body stopped coming".into())),
    };
    serde_json::from_slice(&all).map_err(bad)
}

fn register(fleet: &Fleet, wanted: Wanted) -> Done {
    let (id, address) = check(wanted)?;
    let outcome = fleet.register(&id, address).map_err(|_| full())?;
    tracing::info!(backend = id, ?outcome, "registered");
    let status = if outcome == Registered::Added { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, json!({ "outcome": outcome, "version": fleet.version() })))
}

fn deregister(fleet: &Fleet, id: &str) -> Done {
    let id = percent_decode_str(id).decode_utf8().map_err(|_| bad("the id is not UTF-8"))?;
    if !fleet.deregister(&id) {
        return Err(Refusal(StatusCode::NOT_FOUND, format!("there is no backend {id:?}")));
    }
    tracing::info!(backend = &*id, "deregistered");
    Ok((StatusCode::OK, json!({ "outcome": "removed", "version": fleet.version() })))
}

fn replace_all(fleet: &Fleet, wanted: Vec<Wanted>, allow_empty: bool) -> Done {
    if wanted.is_empty() && !allow_empty {
        let error = "an empty list would stop everything; if that is meant, say PUT /backends?allow=empty";
        return Err(Refusal(StatusCode::CONFLICT, error.into()));
    }
    let wanted = wanted.into_iter().map(check).collect::<Result<Vec<_>, _>>()?;
    let changes = fleet.replace_all(wanted).map_err(|_| full())?;
    tracing::info!(?changes, "replaced all");
    let body = json!({
        "added": changes.added(),
        "removed": changes.removed(),
        "replaced": changes.replaced(),
        "unchanged": changes.unchanged(),
        "version": fleet.version(),
    });
    Ok((StatusCode::OK, body))
}

fn check(wanted: Wanted) -> Result<(String, Authority), Refusal> {
    let Wanted { id, address } = wanted;
    if id.is_empty() || id.len() > ID_LIMIT {
        return Err(bad(format!("an id has 1 to {ID_LIMIT} bytes")));
    }
    parse_address(&address).map(|address| (id, address)).map_err(bad)
}

/// `host:port`, and nothing else.
pub(crate) fn parse_address(address: &str) -> Result<Authority, String> {
    let wrong = || format!("{address:?} is not host:port");
    let parsed: Authority = address.parse().map_err(|_| wrong())?;
    let complete = parsed.port_u16().is_some_and(|port| port != 0) && !parsed.host().is_empty();
    if complete && !address.contains('@') { Ok(parsed) } else { Err(wrong()) }
}

fn bad(error: impl ToString) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, error.to_string())
}

fn full() -> Refusal {
    Refusal(StatusCode::INSUFFICIENT_STORAGE, "no more backends fit, see --max-backends".into())
}

#[cfg(test)]
mod tests {
    use super::parse_address;

    #[test]
    fn addresses_are_a_host_and_a_port() {
        for address in ["10.0.0.1:80", "[::1]:8080", "shop.internal:443"] {
            assert!(parse_address(address).is_ok(), "{address}");
        }
        for address in
            ["", ":80", "host", "host:", "host:0", "host:65536", "host:x", "a@host:80", "http://host:80", "h h:1"]
        {
            assert!(parse_address(address).is_err(), "{address}");
        }
    }
}
