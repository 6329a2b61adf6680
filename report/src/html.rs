//! The same report as one HTML file with its pictures in it, which needs no network.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:84rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto;font-size:.85rem}\
th,td{border-bottom:1px solid #ddd;padding:.35rem .7rem;text-align:left;vertical-align:top}\
th{border-bottom:2px solid #888;font-weight:600}\
td[style*=right]{font-variant-numeric:tabular-nums;white-space:nowrap}\
td:first-child{white-space:nowrap}td:not([style]):nth-child(2){min-width:15rem}td:not([style]):nth-child(3){min-width:7rem}\
svg{width:100%;max-width:900px;height:auto;border:1px solid #e4e4e4;border-radius:4px}\
code,pre{font-family:ui-monospace,monospace;background:#f5f5f5;border-radius:3px}code{padding:.1em .25em}\
pre{padding:.8rem;overflow-x:auto}pre code{padding:0}a{color:#005c9e}:target{background:#fff3bf}";

/// Renders a page. Pictures are looked up by their address; what is not found stays a link. Links to other files begin with
/// `base`, because the page need not lie where they do.
pub fn page(markdown: &str, pictures: &BTreeMap<String, String>, base: &str) -> String {
    let mut inside = None;
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Image { ref dest_url, .. }) => match pictures.get(&**dest_url) {
            Some(svg) => {
                inside = Some(());
                Some(Event::InlineHtml(CowStr::from(svg.clone())))
            }
            None => Some(event),
        },
        Event::End(TagEnd::Image) if inside.take().is_some() => None,
        _ if inside.is_some() => None, // its text: the picture has a title of its own
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let is_elsewhere = !dest_url.starts_with('#') && !dest_url.contains("://");
            let dest_url = if is_elsewhere { format!("{base}{dest_url}").into() } else { dest_url };
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        _ => Some(event),
    });
    let mut body = String::new();
    pulldown_cmark::html::push_html(&mut body, events);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>snapring: results</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_part_of_the_page() {
        let pictures = BTreeMap::from([("run/plots/a.svg".into(), "<svg>drawn</svg>".into())]);
        let html = page(
            "# T\n\n[c](#c1) [d](run/data)\n\n![alt](run/plots/a.svg)\n\n| a | b |\n|---|--:|\n| c | 1 |\n",
            &pictures,
            "../",
        );
        assert!(html.contains("<svg>drawn</svg>") && !html.contains("alt") && !html.contains("<img"), "{html}");
        assert!(html.contains("<table>") && html.contains("<h1>T</h1>"), "{html}");
        assert!(html.contains("href=\"#c1\"") && html.contains("href=\"../run/data\""), "{html}");
    }
}
