//! Counterexamples to score independence: four terminal states in an exclusive-or pattern.
//!
//! Four ends of the game, the corners of a square: along one side only one part differs, along the
//! other only another part. If a role has its highest score in two opposite corners and in neither of
//! the two others, then which of two states of a part is the better one depends on the other part. No
//! evaluation of the part by itself can tell, whatever is made of the evaluations afterwards: a
//! conjunction, a disjunction, a sum, or anything else in which to do better in a part is never worse.

use gambol_analysis::{Answer, Budget, Encoding, Frame, Lit};
use gambol_index::IndexVec;
use gambol_net::{FluentId, GateId, MoveId, Net, RoleId, State};

use crate::decomposition::{Decomposition, RoleInGoal, SubgameId};
use crate::goals::score_form::highest;
use crate::prove::bounded_runs::agree;
use crate::prove::refinement::joint;

/// Four lines of play to ends of the game.
pub(crate) struct Square<'a> {
    net: &'a Net,
    found: &'a Decomposition,
    encoding: Encoding<'a>,
    lines: [Vec<Frame>; 4],
    /// For each side and part, a literal that makes the ends of the side agree on the part.
    equal: [IndexVec<SubgameId, Lit>; 4],
    rest_equal: [Lit; 4],
    effort: u64,
}

/// The corners that a side joins, and which of the two parts differs along it.
pub(crate) const SIDES: [([usize; 2], usize); 4] =
    [([0, 1], 0), ([2, 3], 0), ([0, 2], 1), ([1, 3], 1)];
/// In which corners the role wins.
pub(crate) const WINS: [bool; 4] = [true, false, false, true];

/// What was found.
pub(crate) struct Corners {
    pub(crate) role: RoleId,
    pub(crate) parts: [SubgameId; 2],
    /// The moves that lead to each corner.
    pub(crate) lines: [Vec<Vec<MoveId>>; 4],
}

/// Pairs of parts that are looked at.
const MOST_PAIRS: usize = 28;

impl<'a> Square<'a> {
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
        let lines = [(); 4].map(|()| line(&mut encoding, net, &fluents, steps));
        let ends = |side: usize| SIDES[side].0.map(|corner| lines[corner][steps]);
        let mut alike = |side: usize, fluents: &[FluentId]| {
            let [one, other] = ends(side);
            agree(&mut encoding, one, other, fluents.iter().copied())
        };
        let equal = [0, 1, 2, 3].map(|side| {
            let parts = found.subgames.iter().map(|part| alike(side, &part.fluents));
            parts.collect::<Vec<_>>().into()
        });
        let rest_equal = [0, 1, 2, 3].map(|side| alike(side, &found.rest));
        Self { net, found, encoding, lines, equal, rest_equal, effort }
    }

    /// A role and two parts whose scores do not split.
    pub(crate) fn find(&mut self) -> Option<Corners> {
        let pairs = self.pairs();
        self.net.roles.ids().find_map(|role| {
            let wins = self.wins(highest(self.net, role)?);
            pairs.iter().find_map(|&parts| self.ask(role, wins, parts))
        })
    }

    /// Pairs of parts that count for the score.
    fn pairs(&self) -> Vec<[SubgameId; 2]> {
        let counts = |id: &SubgameId| {
            let part = &self.found.subgames[*id];
            part.action_dependent && part.role_in_goal != RoleInGoal::None
        };
        let parts: Vec<SubgameId> = self.found.subgames.ids().filter(counts).collect();
        let pairs = (0..parts.len())
            .flat_map(|one| (one + 1..parts.len()).map(move |other| [one, other]))
            .map(|pair| pair.map(|place| parts[place]));
        pairs.take(MOST_PAIRS).collect()
    }

    /// A literal that makes a gate true in two opposite corners and false in the others.
    fn wins(&mut self, gate: GateId) -> Lit {
        let asked = self.encoding.fresh();
        for (line, wins) in self.lines.iter().zip(WINS) {
            let score = self.encoding.gate(line[line.len() - 1], gate);
            self.encoding.add(&[!asked, if wins { score } else { !score }]);
        }
        asked
    }

    fn ask(&mut self, role: RoleId, wins: Lit, parts: [SubgameId; 2]) -> Option<Corners> {
        let mut asked = vec![wins];
        for (side, (_, differs)) in SIDES.iter().enumerate() {
            let others = self.equal[side].iter_ids().filter(|(id, _)| *id != parts[*differs]);
            asked.extend(others.map(|(_, &equal)| equal).chain([self.rest_equal[side]]));
        }
        if self.encoding.solve(&asked, self.effort) != Answer::Model {
            return None;
        }
        let moves = |frame: &Frame| joint(self.net, self.encoding.moves_in_model(*frame));
        let lines = self.lines.each_ref();
        let lines = lines.map(|line| line[..line.len() - 1].iter().map(moves).collect());
        Some(Corners { role, parts, lines })
    }
}

/// A line of legal steps from a state to an end of the game.
fn line(encoding: &mut Encoding<'_>, net: &Net, start: &[FluentId], steps: usize) -> Vec<Frame> {
    let mut frames = vec![encoding.state_of(start)];
    for place in 0..steps {
        frames.push(encoding.step(frames[place]));
    }
    let terminal = encoding.gate(frames[steps], net.terminal);
    encoding.add(&[terminal]);
    frames
}
