//! Report, claims and comparison over runs that nobody measured.

mod common;

use std::fs;

use common::Synthetic;
use snapring_report::claims::{Verdict, evaluate, evaluate_in, overall, parse};
use snapring_report::compare::{Direction, compare};
use snapring_report::generate;
use snapring_report::run::Run;
use tempfile::TempDir;

fn run(synthetic: &Synthetic) -> Run {
    let folder = tempfile::tempdir().unwrap();
    synthetic.write(folder.path());
    Run::load(folder.path()).unwrap()
}

/// A folder of results with this run in it.
fn results(synthetic: &Synthetic) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("2030-01-02-imaginary-9000-2c-01234567");
    fs::create_dir(&run).unwrap();
    synthetic.write(&run);
    fs::write(folder.path().join("claims.toml"), CLAIM).unwrap();
    folder
}

const CLAIM: &str = r#"
    [[claim]]
    id = "C1"
    says = "A leased handle is at least {at_least} times as fast as {who}, with {threads}."
    of = { next = { who = "arc-swap + counter", n = 16, threads = 1, writer = "none" } }
    over = { next = { who = "leased 256", n = 16, threads = 1, writer = "none" } }
    at_least = 10
    scope = { max_cores = 8 }
"#;

fn verdict(claim: &str, synthetic: &Synthetic) -> Verdict {
    let (claims, run) = (parse(claim).unwrap(), run(synthetic));
    evaluate_in(&claims[0], &run).verdict
}

#[test]
fn a_claim_holds_or_not_or_cannot_be_told() {
    let run = Synthetic::default();
    assert_eq!(verdict(CLAIM, &run), Verdict::Holds);
    assert_eq!(verdict(&CLAIM.replace("at_least = 10", "at_least = 20"), &run), Verdict::Fails);
    assert_eq!(verdict(&CLAIM.replace("at_least = 10", "at_least = 16"), &run), Verdict::Undecided);
    assert_eq!(verdict(&CLAIM.replace("at_least = 10", "at_least = 10\nat_most = 12"), &run), Verdict::Fails);
}

#[test]
fn a_claim_does_not_apply_everywhere() {
    let verdict = verdict(CLAIM, &Synthetic { cores: 64, ..Synthetic::default() });
    assert_eq!(verdict, Verdict::OutOfScope("64 cores".into()));
}

#[test]
fn a_claim_holds_if_it_does_on_the_newest_run_of_each_machine() {
    let folder = results(&Synthetic::default());
    let record = |name: &str, synthetic: Synthetic| {
        fs::create_dir(folder.path().join(name)).unwrap();
        synthetic.write(&folder.path().join(name));
    };
    let verdicts = |claim: &str| {
        let (claims, runs) = (parse(claim).unwrap(), Run::recorded(folder.path()).unwrap());
        let evaluations = evaluate(&claims[0], &runs);
        let each: Vec<_> = evaluations.iter().map(|evaluation| evaluation.verdict.clone()).collect();
        (each, overall(&evaluations))
    };
    let slowed = Some(("leased 256", 2.0));
    record("2030-01-03-other-1-2c-01234567", Synthetic { cpu: "Other 1", slowed, ..Synthetic::default() });
    assert_eq!(verdicts(CLAIM), (vec![Verdict::Fails, Verdict::Holds], Verdict::Fails));
    let there = CLAIM.replace("max_cores = 8", "cpu = \"Imaginary\"");
    assert_eq!(verdicts(&there), (vec![Verdict::Holds], Verdict::Holds));
    let nowhere = verdicts(&CLAIM.replace("max_cores = 8", "cpu = \"Unheard of\"")).1;
    assert!(matches!(nowhere, Verdict::OutOfScope(_)), "{nowhere}");
    let generated = generate::generate(folder.path()).unwrap();
    let page = &generated.files[std::path::Path::new("README.md")];
    assert!(page.contains("### Imaginary 9000, 2 cores") && page.contains("### Other 1, 2 cores"), "{page}");

    record("2030-01-04-other-1-2c-01234567", Synthetic { cpu: "Other 1", ..Synthetic::default() });
    assert_eq!(verdicts(CLAIM), (vec![Verdict::Holds, Verdict::Holds], Verdict::Holds));
}

#[test]
fn too_many_disturbed_windows_are_refused_and_a_few_are_left_out() {
    let few = Synthetic { disturbed: 8, ..Synthetic::default() };
    assert_eq!(verdict(CLAIM, &few), Verdict::Holds);
    let most = Synthetic { disturbed: 18, ..few };
    assert!(matches!(verdict(CLAIM, &most), Verdict::Refused(why) if why.contains("not disturbed")));
    let too_short = Synthetic { rounds: 12, disturbed: 4, ..Synthetic::default() };
    assert!(matches!(verdict(CLAIM, &too_short), Verdict::Refused(why) if why.contains("8 undisturbed rounds of 12")));
    let quick = Synthetic { quick: true, ..Synthetic::default() };
    assert!(matches!(verdict(CLAIM, &quick), Verdict::Refused(_)));
    let elsewhere = CLAIM.replace("n = 16", "n = 17");
    assert!(
        matches!(verdict(&elsewhere, &Synthetic::default()), Verdict::Refused(why) if why == "it was not measured")
    );
}

#[test]
fn other_quantities_can_be_claimed_as_well() {
    let claim = |of: &str, bounds: &str| {
        format!("[[claim]]\nid = \"C1\"\nsays = \"{{who}}, {{place}}.\"\nof = {{ {of} }}\n{bounds}")
    };
    let holds = |of: &str, bounds: &str| verdict(&claim(of, bounds), &Synthetic::default()) == Verdict::Holds;
    let lists = r#"lists = { who = "leased 256", situation = "busy readers" }"#;
    assert!(holds(lists, "at_most = 5\nworst = true") && !holds(lists, "at_most = 3\nworst = true"));
    let tail = r#"tail = { who = "mutex", n = 4096, share = 0.9999 }"#;
    assert!(holds(tail, "at_least = 300\nat_most = 4_000") && !holds(tail, "at_most = 200"));
    let update = r#"update = { who = "mutex", n = 16, call = "register a new id" }"#;
    assert!(holds(update, "at_least = 200\nat_most = 1_000") && !holds(update, "at_most = 200"));
}

#[test]
fn a_slowed_implementation_is_noticed_and_nothing_else() {
    let before = run(&Synthetic::default());
    let same = run(&Synthetic { seed: 2, ..Synthetic::default() });
    let moved = |after: &Run| {
        let changes = compare(&before, after);
        assert!(changes.len() > 40, "{}", changes.len());
        let moved: Vec<_> = changes.iter().filter(|change| change.direction() != Direction::Same).cloned().collect();
        moved.into_iter().map(|change| (change.quantity.who().to_owned(), change.direction())).collect::<Vec<_>>()
    };
    assert_eq!(moved(&same), []);
    let slower = run(&Synthetic { seed: 2, slowed: Some(("epoch", 1.15)), ..Synthetic::default() });
    let moved = moved(&slower);
    assert!(moved.len() >= 10, "{moved:?}");
    assert!(moved.iter().all(|change| *change == ("epoch".to_owned(), Direction::Worse)), "{moved:?}");
}

#[test]
fn the_report_says_what_is_in_the_data() {
    let folder = results(&Synthetic::default());
    let generated = generate::generate(folder.path()).unwrap();
    let page = &generated.files[std::path::Path::new("README.md")];
    assert!(page.contains("Imaginary 9000") && page.contains("0123456789abcdef"), "{page}");
    assert!(page.contains("<a id=\"c1\"></a>C1") && page.contains("| holds |"), "{page}");
    for (name, svg) in generated.files.iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "svg")) {
        let name = name.to_str().unwrap();
        assert!(page.contains(&format!("]({name})")), "{name} is not shown");
        assert!(svg.contains("leased 256") || svg.contains("handle registry"), "{name}");
    }
    assert!(generated.files.len() > 8, "{:?}", generated.files.keys());
    let html = generated.html("");
    assert!(html.contains("<svg") && !html.contains("<img") && !html.contains("src="));
}

#[test]
fn a_difference_is_found_wherever_it_is() {
    let folder = results(&Synthetic::default());
    let differences = || generate::differences(folder.path(), &generate::generate(folder.path()).unwrap()).unwrap();
    assert!(!differences().is_empty(), "nothing is there yet");
    generate::write(folder.path(), &generate::generate(folder.path()).unwrap()).unwrap();
    assert_eq!(differences(), [] as [String; 0]);

    let readme = folder.path().join("README.md");
    let text = fs::read_to_string(&readme).unwrap();
    fs::write(&readme, text.replacen("16", "17", 1)).unwrap();
    assert!(differences()[0].starts_with("README.md differs"));
    fs::write(&readme, text).unwrap();

    let stale = folder.path().join("2030-01-02-imaginary-9000-2c-01234567/plots/old.svg");
    fs::write(&stale, "").unwrap();
    assert!(differences()[0].ends_with("old.svg is left over"));
    generate::write(folder.path(), &generate::generate(folder.path()).unwrap()).unwrap();
    assert!(!stale.exists());

    let samples = folder.path().join("2030-01-02-imaginary-9000-2c-01234567/next/samples.csv");
    let text = fs::read_to_string(&samples).unwrap();
    fs::write(&samples, text.lines().take(400).collect::<Vec<_>>().join("\n")).unwrap();
    assert!(!differences().is_empty(), "other data, another report");
}

#[test]
fn runs_are_not_mixed_and_not_broken_off() {
    let folder = results(&Synthetic::default());
    let name = "2030-01-02-imaginary-9000-2c-01234567";
    let other = tempfile::tempdir().unwrap();
    Synthetic { commit: "fedcba9876543210", ..Synthetic::default() }.write(other.path());
    fs::copy(other.path().join("tails/machine.json"), folder.path().join(name).join("tails/machine.json")).unwrap();
    let error = format!("{:#}", Run::recorded(folder.path()).unwrap_err());
    assert!(error.contains("`tails` was measured elsewhere"), "{error}");

    let folder = results(&Synthetic { sealed: false, ..Synthetic::default() });
    let error = format!("{:#}", Run::recorded(folder.path()).unwrap_err());
    assert!(error.contains("broken off"), "{error}");
}
