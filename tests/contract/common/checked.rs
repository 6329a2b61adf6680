//! [`Checked`]: a registry and the model side by side. Every answer, version and list must agree.

use snapring::{Changes, NoBackends, Outcome, Stale, Start, Token};

use super::model::{Answer, Entry, Model};
use super::{Census, Counted, Kind, Shared, caught};

pub struct Checked {
    pub registry: Shared<Counted>,
    pub model: Model,
    census: Census,
    /// Every token ever issued, with the serial of the member that came with it.
    tokens: Vec<(Token, u64)>,
}

fn entry(member: &Counted) -> Entry {
    Entry { number: member.number, contents: member.contents, serial: member.serial }
}

impl Checked {
    pub fn new(kind: Kind, members: &[(u64, u64)], start: Start) -> Self {
        let census = Census::new();
        let members: Vec<_> = members.iter().map(|&(number, contents)| census.member(number, contents)).collect();
        let capacity = 1 << (start.count_bits.clamp(2, 28) - 1);
        let model = Model::new(members.iter().map(entry).collect(), start.version, start.count, capacity);
        let checked = Self { registry: kind.starting(members, start), model, census, tokens: Vec::new() };
        checked.agree();
        checked
    }

    /// Members `0..n`.
    pub fn of(kind: Kind, n: u64) -> Self {
        Self::new(kind, &(0..n).map(|number| (number, 0)).collect::<Vec<_>>(), Start::default())
    }

    pub fn register(&mut self, number: u64, contents: u64) {
        let member = self.census.member(number, contents);
        let new = entry(&member);
        let expected = self.model.register(new);
        let answer = caught(|| self.registry.register(member));
        match (&answer, expected) {
            (Err(_), Answer::Full) => {}
            (Ok(registration), expected) => {
                let outcome = match registration.outcome() {
                    Outcome::Added => Answer::Added,
                    Outcome::Unchanged => Answer::Unchanged,
                    Outcome::Replaced(old) => Answer::Replaced(entry(old)),
                };
                assert_eq!(outcome, expected);
                self.tokens.push((registration.token().clone(), new.serial));
            }
            (Err(_), expected) => panic!("a panic instead of {expected:?}"),
        }
        self.agree();
    }

    pub fn deregister(&mut self, number: u64) {
        let removed = self.registry.deregister(&number).map(|member| entry(&member));
        assert_eq!(removed, self.model.deregister(number));
        self.agree();
    }

    /// Revokes with the token of any registration that there has been, counted round.
    pub fn revoke(&mut self, which: usize) {
        let Some(at) = which.checked_rem(self.tokens.len()) else { return };
        let (token, serial) = &self.tokens[at];
        let removed = self.registry.revoke(token).map(|member| entry(&member));
        assert_eq!(removed, self.model.revoke(*serial).ok_or(Stale));
        self.agree();
    }

    pub fn replace_all(&mut self, members: &[(u64, u64)]) {
        let members: Vec<_> = members.iter().map(|&(number, contents)| self.census.member(number, contents)).collect();
        let expected = self.model.replace_all(members.iter().map(entry).collect());
        let before = self.registry.snapshot().len();
        let changes = caught(|| self.registry.replace_all(members)).ok();
        let counts = |c: &Changes| [c.added(), c.removed(), c.replaced(), c.unchanged()];
        assert_eq!(changes.as_ref().map(counts), expected);
        if let Some(changes) = changes {
            assert_eq!((changes.before(), changes.after()), (before, self.model.ring.len()));
            assert_eq!(changes.is_empty(), changes.added() + changes.removed() + changes.replaced() == 0);
        }
        self.agree();
    }

    pub fn next(&mut self) -> Option<u64> {
        let pick = self.registry.next().map(|member| entry(&member));
        assert_eq!(pick, self.model.next().ok_or(NoBackends));
        pick.ok().map(|pick| pick.number)
    }

    pub fn picks(&mut self, times: usize) {
        for _ in 0..times {
            self.next();
        }
    }

    /// The list: same members, same order, same version; and found by id.
    pub fn agree(&self) {
        let snapshot = self.registry.snapshot();
        assert_eq!(snapshot.iter().map(|member| entry(member)).collect::<Vec<_>>(), self.model.ring);
        assert_eq!(snapshot.version(), self.model.version);
        for expected in &self.model.ring {
            assert_eq!(snapshot.get(&expected.number).map(|member| entry(member)), Some(*expected));
        }
    }

    /// The end: nothing is left over.
    pub fn finish(self) {
        let Self { registry, census, .. } = self;
        drop(registry);
        assert_eq!(census.live(), 0, "everything is freed with the registry");
    }
}
