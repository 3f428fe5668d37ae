//! Units: the smallest pieces that a state is made of.
//!
//! A variable of the game is usually written as several fluents of which one is true: `(cell 1 1 b)`,
//! `(cell 1 1 x)`, `(cell 1 1 o)`. Such fluents differ in one argument, or in few; where no two of
//! them are ever met together, they are taken as one unit; and so are the constants of a game that
//! has always one of them. Every other fluent is a unit by itself.

use gambol_index::{Id, IndexVec, define_id};
use gambol_net::{FluentId, Net, State};
use rustc_hash::FxHashMap;

use crate::sample::interventions::Observation;
use crate::variables::term::{Shape, Term};

define_id! {
    /// A unit.
    pub(crate) struct UnitId;
}

/// Fluents with more arguments are not grouped.
const MOST_ARGUMENTS: usize = 12;
/// States that are looked at.
const STATES: usize = 1_500;

/// A state's fluents in units.
pub(crate) struct Units {
    pub(crate) fluents: IndexVec<UnitId, Vec<FluentId>>,
    pub(crate) of_fluent: IndexVec<FluentId, UnitId>,
}

impl Units {
    /// Finds the units.
    pub(crate) fn of(net: &Net, seen: &Observation) -> Self {
        let terms: IndexVec<FluentId, Term> =
            net.fluents.iter().map(|name| Term::read(name)).collect::<Vec<_>>().into();
        let mut by_shape: FxHashMap<Shape<'_>, Vec<FluentId>> = FxHashMap::default();
        for (fluent, term) in terms.iter_ids() {
            let (function, arity) = term.shape();
            // Fluents without arguments are one family: places of a walk, often.
            let function = if arity == 0 { "" } else { function };
            by_shape.entry((function, arity)).or_default().push(fluent);
        }
        let mut families: Vec<Vec<FluentId>> = by_shape.into_values().collect();
        families.sort_unstable();
        let mut groups: Vec<Vec<FluentId>> =
            families.iter().flat_map(|family| groups_of(family, &terms, seen, net)).collect();
        groups.sort_unstable();
        Self::from_groups(net, groups)
    }

    fn from_groups(net: &Net, groups: Vec<Vec<FluentId>>) -> Self {
        let mut of_fluent = IndexVec::filled(UnitId::new(0), net.next.len());
        for (unit, group) in groups.iter().enumerate() {
            group.iter().for_each(|&fluent| of_fluent[fluent] = UnitId::from_index(unit));
        }
        Self { fluents: groups.into(), of_fluent }
    }

    pub(crate) fn len(&self) -> usize {
        self.fluents.len()
    }
}

/// The grouping of a family by as few freed arguments as possible in which every group always has
/// exactly one true fluent. "At most one" is no reason: of several lamps only one may be new.
fn groups_of(
    family: &[FluentId],
    terms: &IndexVec<FluentId, Term>,
    seen: &Observation,
    net: &Net,
) -> Vec<Vec<FluentId>> {
    let alone = || family.iter().map(|&fluent| vec![fluent]).collect();
    let arity = terms[family[0]].arguments.len();
    if family.len() < 2 || arity > MOST_ARGUMENTS {
        return alone();
    }
    let initial = State::initial(net);
    let states: Vec<&State> = std::iter::once(&initial)
        .chain(seen.met.iter().take(STATES).flat_map(|met| [&met.state, &met.next]))
        .collect();
    let mut masks: Vec<u32> = (1..1u32 << arity).filter(|mask| mask.count_ones() <= 3).collect();
    masks.sort_by_key(|mask| (mask.count_ones(), u32::MAX - mask.reverse_bits()));
    let whole = vec![family.to_vec()];
    let groupings = masks.into_iter().map(|freed| group_by(family, terms, freed));
    let real = groupings.filter(|groups| groups.len() < family.len());
    real.chain([whole]).find(|groups| have_exactly_one(groups, &states)).unwrap_or_else(alone)
}

/// The family in groups that agree on all arguments but the freed ones.
fn group_by(
    family: &[FluentId],
    terms: &IndexVec<FluentId, Term>,
    freed: u32,
) -> Vec<Vec<FluentId>> {
    let mut groups: FxHashMap<Vec<&str>, Vec<FluentId>> = FxHashMap::default();
    for &fluent in family {
        let arguments = terms[fluent].arguments.iter().enumerate();
        let kept = arguments.filter(|(place, _)| freed >> place & 1 == 0);
        groups.entry(kept.map(|(_, name)| name.as_str()).collect()).or_default().push(fluent);
    }
    let mut groups: Vec<Vec<FluentId>> = groups.into_values().collect();
    groups.sort_unstable();
    groups
}

/// Whether each group has exactly one true fluent in every state.
fn have_exactly_one(groups: &[Vec<FluentId>], states: &[&State]) -> bool {
    let one = |group: &Vec<FluentId>, state: &State| {
        group.iter().filter(|&&fluent| state.holds(fluent)).take(2).count() == 1
    };
    groups.iter().all(|group| states.iter().all(|state| one(group, state)))
}
