//! Bounded model checking: two lines of play from one state, of the same length, as clauses; and what would refute
//! a cut in the states that they lead to.

use gambol_analysis::{Answer, Budget, Encoding, Frame, Lit};
use gambol_index::IndexVec;
use gambol_net::{FluentId, GateId, MoveId, Net, RoleId, State};

use crate::decomposition::{Decomposition, Line, SubgameId};
use crate::prove::refinement::joint;

/// Parts that are looked at in pairs.
const MOST_PARTS: usize = 12;

/// Two lines of play. In the last states every role still moves.
pub(crate) struct Scene<'a> {
    net: &'a Net,
    found: &'a Decomposition,
    encoding: Encoding<'a>,
    lines: [Vec<Frame>; 2],
    /// For each part, a literal that makes the last states agree on it.
    equal: IndexVec<SubgameId, Lit>,
    /// The same for what is in no part.
    rest_equal: Lit,
    effort: u64,
}

/// What a question was answered with.
pub(crate) struct Seen {
    /// The parts in which the last states must differ, as few as possible.
    pub(crate) differing: Vec<SubgameId>,
    /// The moves that lead to the last states.
    pub(crate) lines: [Vec<Vec<MoveId>>; 2],
    /// The moves made there.
    pub(crate) last: [Vec<MoveId>; 2],
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        net: &'a Net,
        found: &'a Decomposition,
        start: &State,
        steps: usize,
        effort: u64,
        budget: &Budget,
    ) -> Self {
        let mut encoding = Encoding::new(net, budget);
        let fluents: Vec<FluentId> = net.fluents.ids().filter(|&f| start.holds(f)).collect();
        let lines = [(); 2].map(|()| line(&mut encoding, net, &fluents, steps));
        let (one, other) = (lines[0][steps], lines[1][steps]);
        let parts = found.subgames.iter();
        let equal: Vec<Lit> = parts
            .map(|part| agree(&mut encoding, one, other, part.fluents.iter().copied()))
            .collect();
        let rest_equal = agree(&mut encoding, one, other, found.rest.iter().copied());
        Self { net, found, encoding, lines, equal: equal.into(), rest_equal, effort }
    }

    fn last(&self) -> [Frame; 2] {
        self.lines.each_ref().map(|line| line[line.len() - 1])
    }

    /// Two states that agree on a clock, and do not afterwards. In a series clocks may be set anew when
    /// a stage is over.
    pub(crate) fn clock(&mut self, id: SubgameId) -> Option<Seen> {
        if !self.found.crossing_points.is_empty() {
            return None;
        }
        let changes = self.become_different(&self.found.subgames[id].fluents);
        let fixed = vec![self.equal[id], changes];
        let others: Vec<SubgameId> = self.found.subgames.ids().filter(|&one| one != id).collect();
        self.ask_with_moves(fixed, &others)
    }

    /// Two states that agree on what is in no part and on the clocks, after which the former differs.
    pub(crate) fn rest(&mut self) -> Option<Seen> {
        let changes = self.become_different(&self.found.rest);
        let mut fixed = vec![self.rest_equal, changes];
        fixed.extend(self.clocks_equal());
        let others = self.played(|_| true);
        self.ask_with_moves(fixed, &others)
    }

    /// Two states that agree on a part and on the clocks, left by the same moves, after which the part
    /// differs.
    pub(crate) fn closure(&mut self, id: SubgameId) -> Option<Seen> {
        let mut fixed = self.alike_for(id);
        fixed.extend([self.same_moves(), self.become_different(&self.found.subgames[id].fluents)]);
        let others = self.same_stage(id);
        self.ask(fixed, &others)
    }

    /// Two states that agree on a part and on the clocks; some class of moves is possible in the first
    /// only.
    pub(crate) fn availability(&mut self, id: SubgameId) -> Option<(Seen, usize)> {
        let alike = self.alike_for(id);
        let others = self.same_stage(id);
        let [one, other] = self.last();
        let classes = &self.found.subgames[id].meta_actions;
        classes.iter().enumerate().filter(|(_, class)| !class.idle).find_map(|(place, class)| {
            let here = self.legal_any(one, &class.moves);
            let there = self.legal_any(other, &class.moves);
            let fixed = alike.iter().copied().chain([here, !there]).collect();
            Some((self.ask(fixed, &others)?, place))
        })
    }

    /// A state in which a move that is held to be idle in a part changes it, and another move of the same
    /// role would not, the other roles' moves being the same.
    pub(crate) fn idle(&mut self, id: SubgameId) -> Option<(Seen, RoleId)> {
        let part = &self.found.subgames[id];
        let [one, other] = self.last();
        let mut acts = Vec::with_capacity(part.fluents.len());
        for &fluent in &part.fluents {
            let gate = self.net.next[fluent];
            let (now, next) = (self.encoding.fluent(one, fluent), self.encoding.gate(one, gate));
            let without = self.encoding.gate(other, gate);
            let (changed, caused) =
                (self.encoding.differ(now, next), self.encoding.differ(next, without));
            acts.push(self.encoding.and(vec![changed, caused]));
        }
        let acts = self.encoding.or(acts);
        let mut fixed: Vec<Lit> = self.equal.iter().copied().collect();
        fixed.extend([self.rest_equal, acts]);
        self.net.roles.ids().find_map(|role| {
            let idle = part.meta_actions.iter().filter(|class| class.role == role && class.idle);
            let idle = idle.flat_map(|class| &class.moves);
            let idle: Vec<Lit> = idle.map(|&action| self.encoding.does(one, action)).collect();
            let asked = self.encoding.fresh();
            self.encoding.add(&[idle.as_slice(), &[!asked]].concat());
            for action in self.net.moves.ids().filter(|&a| self.net.moves[a].role != role) {
                let (a, b) = (self.encoding.does(one, action), self.encoding.does(other, action));
                self.encoding.add(&[!asked, !a, b]);
            }
            let question = fixed.iter().copied().chain([asked]).collect();
            Some((self.ask(question, &[])?, role))
        })
    }

    /// A state and classes that are possible there each, but not in one move of a role.
    pub(crate) fn join(&mut self, role: RoleId) -> Option<Seen> {
        let state = self.last()[0];
        let asked = self.encoding.fresh();
        let mut picks: Vec<(SubgameId, usize, Lit)> = Vec::new();
        for id in self.played(|_| true) {
            for (place, class) in self.found.subgames[id].meta_actions.iter().enumerate() {
                if class.role == role && !class.idle {
                    let pick = self.encoding.fresh();
                    let legal = self.legal_any(state, &class.moves);
                    self.encoding.add(&[!pick, legal]);
                    picks.push((id, place, pick));
                }
            }
        }
        for action in self.net.moves_of(role).map(MoveId::new) {
            let legal = self.encoding.gate(state, self.net.legal[action]);
            let mut clause = vec![!asked, !legal];
            for of_part in picks.chunk_by(|one, other| one.0 == other.0) {
                clause.push(self.misses(of_part, action));
            }
            self.encoding.add(&clause);
        }
        self.ask(vec![asked], &[])
    }

    /// A state in which one move of a role changes two parts.
    pub(crate) fn two_at_once(&mut self, role: RoleId) -> Option<Seen> {
        let state = self.last()[0];
        let mut changed: Vec<(SubgameId, Lit)> = Vec::new();
        for id in self.played(|_| true).into_iter().take(MOST_PARTS) {
            let part = &self.found.subgames[id];
            let mut acts: Vec<Lit> = Vec::new();
            for &fluent in &part.fluents {
                let now = self.encoding.fluent(state, fluent);
                let next = self.encoding.gate(state, self.net.next[fluent]);
                acts.push(self.encoding.differ(now, next));
            }
            let acting = part.moves.iter().filter(|&&action| self.net.moves[action].role == role);
            let does = acting.map(|&action| self.encoding.does(state, action)).collect();
            let (any, does) = (self.encoding.or(acts), self.encoding.or(does));
            changed.push((id, self.encoding.and(vec![any, does])));
        }
        let mut pairs = Vec::new();
        for (place, &(_, one)) in changed.iter().enumerate() {
            for &(_, other) in &changed[..place] {
                pairs.push(self.encoding.and(vec![one, other]));
            }
        }
        let both = self.encoding.or(pairs);
        self.ask(vec![both], &[])
    }

    /// Whether a class is picked in a part, but not the one of this move.
    fn misses(&mut self, picks: &[(SubgameId, usize, Lit)], action: MoveId) -> Lit {
        let has = |&(id, place, _): &(SubgameId, usize, Lit)| {
            self.found.subgames[id].meta_actions[place].moves.binary_search(&action).is_ok()
        };
        let others = picks.iter().filter(|pick| !has(pick)).map(|&(_, _, pick)| pick).collect();
        self.encoding.or(others)
    }

    /// The parts that are played and satisfy something.
    fn played(&self, wanted: impl Fn(SubgameId) -> bool) -> Vec<SubgameId> {
        let parts = self.found.subgames.iter_ids();
        let parts = parts.filter(|&(id, part)| part.action_dependent && wanted(id));
        parts.map(|(id, _)| id).collect()
    }

    fn clocks_equal(&self) -> Vec<Lit> {
        let parts = self.found.subgames.iter_ids().filter(|(_, part)| !part.action_dependent);
        parts.map(|(id, _)| self.equal[id]).collect()
    }

    /// Parts of a series are apart although one waits for the other: stages are not compared.
    fn is_other_stage(&self, one: SubgameId, other: SubgameId) -> bool {
        self.found.crossing_points.iter().any(|point| {
            point.before.contains(&one) != point.before.contains(&other)
                || point.after.contains(&one) != point.after.contains(&other)
        })
    }

    fn same_stage(&self, id: SubgameId) -> Vec<SubgameId> {
        self.played(|other| other != id && !self.is_other_stage(id, other))
    }

    /// The last states agree on a part, on the clocks, and on what is not to be compared with it.
    fn alike_for(&self, id: SubgameId) -> Vec<Lit> {
        let apart = self.played(|other| self.is_other_stage(id, other));
        let mut fixed = vec![self.equal[id], self.rest_equal];
        fixed.extend(apart.into_iter().map(|other| self.equal[other]));
        fixed.extend(self.clocks_equal());
        fixed
    }

    /// The fluents are not the same after the last moves.
    fn become_different(&mut self, fluents: &[FluentId]) -> Lit {
        let [one, other] = self.last();
        let mut differences = Vec::with_capacity(fluents.len());
        for &fluent in fluents {
            let gate = self.net.next[fluent];
            let (a, b) = (self.encoding.gate(one, gate), self.encoding.gate(other, gate));
            differences.push(self.encoding.differ(a, b));
        }
        self.encoding.or(differences)
    }

    fn legal_any(&mut self, frame: Frame, moves: &[MoveId]) -> Lit {
        let gates: Vec<GateId> = moves.iter().map(|&action| self.net.legal[action]).collect();
        let legal = gates.into_iter().map(|gate| self.encoding.gate(frame, gate)).collect();
        self.encoding.or(legal)
    }

    /// The same moves in the last states.
    fn same_moves(&mut self) -> Lit {
        let [one, other] = self.last();
        let same = self.encoding.fresh();
        for action in self.net.moves.ids() {
            let (a, b) = (self.encoding.does(one, action), self.encoding.does(other, action));
            self.encoding.add(&[!same, !a, b]);
            self.encoding.add(&[!same, a, !b]);
        }
        same
    }

    /// With the same moves in the last states, if that will do: then it is the states that matter.
    fn ask_with_moves(&mut self, fixed: Vec<Lit>, others: &[SubgameId]) -> Option<Seen> {
        let mut with_same = fixed.clone();
        with_same.push(self.same_moves());
        self.ask(with_same, others).or_else(|| self.ask(fixed, others))
    }

    /// A model, in which as few as possible of the parts differ.
    fn ask(&mut self, mut fixed: Vec<Lit>, free: &[SubgameId]) -> Option<Seen> {
        if self.encoding.solve(&fixed, self.effort) != Answer::Model {
            return None;
        }
        let mut differing = Vec::new();
        for &part in free {
            fixed.push(self.equal[part]);
            if self.encoding.solve(&fixed, self.effort) != Answer::Model {
                fixed.pop();
                differing.push(part);
            }
        }
        let again = self.encoding.solve(&fixed, self.effort) == Answer::Model;
        again.then(|| self.seen(differing))
    }

    /// What the model says.
    fn seen(&self, differing: Vec<SubgameId>) -> Seen {
        let moves = |frame: Frame| joint(self.net, self.encoding.moves_in_model(frame));
        let before = |line: &[Frame]| line[..line.len() - 1].iter().copied().map(moves).collect();
        Seen {
            differing,
            lines: self.lines.each_ref().map(|line| before(line)),
            last: self.last().map(moves),
        }
    }
}

/// A line of legal steps from a state, and a legal move after it.
fn line(encoding: &mut Encoding<'_>, net: &Net, start: &[FluentId], steps: usize) -> Vec<Frame> {
    let mut frames = vec![encoding.state_of(start)];
    for place in 0..steps {
        frames.push(encoding.step(frames[place]));
    }
    encoding.choose(frames[steps]);
    let terminal = encoding.gate(frames[steps], net.terminal);
    encoding.add(&[!terminal]);
    frames
}

/// A literal that makes two states agree on fluents.
pub(crate) fn agree(
    encoding: &mut Encoding<'_>,
    one: Frame,
    other: Frame,
    fluents: impl IntoIterator<Item = FluentId>,
) -> Lit {
    let equal = encoding.fresh();
    for fluent in fluents {
        let (a, b) = (encoding.fluent(one, fluent), encoding.fluent(other, fluent));
        encoding.add(&[!equal, !a, b]);
        encoding.add(&[!equal, a, !b]);
    }
    equal
}

impl Seen {
    /// The lines with the states they lead to.
    pub(crate) fn lines(self, ends: [&State; 2]) -> Vec<Line> {
        let lines = self.lines.into_iter().zip(ends);
        lines.map(|(moves, end)| Line { moves, state: end.fluents() }).collect()
    }
}
