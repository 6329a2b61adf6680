//! One question and its answer, over HTTP.

use std::io;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ureq::Agent;

use super::error::PollError;
use super::options::Options;

/// Everything but what is unreserved in a path, and the dot: `..` is a name here, no way up.
const IN_A_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// What is asked for, again and again.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) path: String,
    /// For the query string, `passing` or nothing.
    pub(super) flag: &'static str,
    pub(super) blocking: bool,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) body: Vec<u8>,
    /// 0 if there is none.
    pub(super) index: u64,
}

pub(super) fn health_path(service: &str) -> String {
    format!("/v1/health/service/{}", utf8_percent_encode(service, IN_A_PATH))
}

/// An agent of its own for each poller, so that shutting it down ends no others. It keeps no connections: one that was
/// left alone for minutes is as likely as not closed by the other side.
pub(super) fn agent(options: &Options) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .max_idle_connections(0)
        .timeout_resolve(Some(options.connect_timeout))
        .timeout_connect(Some(options.connect_timeout))
        .timeout_send_request(Some(options.read_timeout))
        .timeout_recv_body(Some(options.read_timeout));
    config.build().new_agent()
}

pub(super) fn url(base: &str, question: &Question, index: Option<u64>, wait: Duration) -> String {
    let mut url = format!("{}{}", base.trim_end_matches('/'), question.path);
    // Consul takes a wait of 0 for its default of 5 minutes.
    let index = index.map(|index| format!("index={index}&wait={}ms", wait.as_millis().max(1)));
    let parts = [Some(question.flag.to_owned()).filter(|flag| !flag.is_empty()), index];
    for (part, sign) in parts.into_iter().flatten().zip(['?', '&']) {
        url.push(sign);
        url.push_str(&part);
    }
    url
}

/// Asks, and waits for the whole answer.
pub(super) fn ask(
    agent: &Agent,
    options: &Options,
    question: &Question,
    index: Option<u64>,
) -> Result<Answer, PollError> {
    let wait = index.map_or(Duration::ZERO, |_| options.longest_wait());
    let url = url(&options.url, question, index, options.wait);
    let mut request = agent.get(url).config();
    request = request.timeout_recv_response(Some(options.read_timeout.saturating_add(wait)));
    request = request.timeout_global(Some(options.overall_timeout.saturating_add(wait)));
    let mut request = request.build().header("Connection", "close");
    if let Some(token) = &options.token {
        request = request.header("X-Consul-Token", &token.0);
    }
    let mut response = request.call().map_err(|error| failed(error, options))?;
    if response.status() != 200 {
        return Err(PollError::Status(response.status().as_u16()));
    }
    let index = match response.headers().get("X-Consul-Index") {
        None => 0,
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            number.ok_or_else(|| PollError::Index(String::from_utf8_lossy(value.as_bytes()).into_owned()))?
        }
    };
    let body = response.body_mut().with_config().limit(options.max_body).read_to_vec();
    Ok(Answer { body: body.map_err(|error| failed(error, options))?, index })
}

fn failed(error: ureq::Error, options: &Options) -> PollError {
    match error {
        ureq::Error::Timeout(timeout) => PollError::Timeout(timeout.to_string()),
        ureq::Error::BodyExceedsLimit(_) => PollError::TooLarge(options.max_body),
        ureq::Error::Io(error) => PollError::Connection(error),
        ureq::Error::HostNotFound => PollError::Connection(io::Error::new(io::ErrorKind::NotFound, "host not found")),
        other => PollError::Http(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_query_strings() {
        assert_eq!(health_path("web"), "/v1/health/service/web");
        assert_eq!(health_path("a b/c?d&é..%"), "/v1/health/service/a%20b%2Fc%3Fd%26%C3%A9%2E%2E%25");
        let wait = Duration::from_secs(60);
        let mut question = Question { path: "/p".to_owned(), flag: "passing", blocking: true };
        assert_eq!(url("http://h:1/", &question, Some(7), wait), "http://h:1/p?passing&index=7&wait=60000ms");
        assert_eq!(url("http://h:1", &question, None, wait), "http://h:1/p?passing");
        question.flag = "";
        assert_eq!(url("http://h:1", &question, Some(7), wait), "http://h:1/p?index=7&wait=60000ms");
        assert_eq!(url("http://h:1", &question, None, wait), "http://h:1/p");
        assert_eq!(url("http://h:1", &question, Some(7), Duration::ZERO), "http://h:1/p?index=7&wait=1ms");
    }
}
