//! Matches that differ in one literal only, gathered into shared disjunctions.

use fixedbitset::FixedBitSet;

use super::Emitter;
use super::each::Head;
use crate::family::{Family, Group};
use crate::formulas::Signal;
use crate::limits::Halt;
use crate::program::{Literal, Pattern, RelationId, Sign, Test};
use crate::relation::Relation;
use crate::tables::RelationTables;

impl Emitter<'_> {
    /// As [`Emitter::join_each`], but matches that differ only in the member are one disjunction.
    pub(super) fn join_family(
        &mut self,
        head: &Head,
        family: &Family,
        mut report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let member = &head.body[family.member];
        let (member_table, group_table) = (
            self.projection(head, family.member, &family.own)?,
            self.projection(head, family.member, &family.group)?,
        );
        let (choices, chosen) = self.choices(head, family, member_table)?;
        let mut groups: Vec<Group> = Vec::new();
        groups.resize_with(self.tables.get(group_table).len() as usize, Group::default);
        let at = |variable: &u32| {
            member.arguments.iter().position(|pattern| *pattern == Pattern::Variable(*variable))
        };
        let (own_at, group_at): (Vec<_>, Vec<_>) = (
            family.own.iter().filter_map(at).collect::<Vec<usize>>(),
            family.group.iter().filter_map(at).collect::<Vec<usize>>(),
        );
        for (row, &signal) in
            self.tables.get(member.relation).rows().zip(&self.signals[member.relation])
        {
            let pick =
                |columns: &[usize]| columns.iter().map(|&column| row[column]).collect::<Vec<u32>>();
            let own = self.tables.get(member_table).find(&pick(&own_at));
            let group = self.tables.get(group_table).find(&pick(&group_at));
            if let (Some(own), Some(group)) = (own, group)
                && matches_constants(&member.arguments, row)
            {
                groups[group as usize].add(own, signal);
            }
        }
        let atom = |relation: RelationId, variables: &[u32]| Literal {
            relation,
            arguments: variables.iter().map(|&variable| Pattern::Variable(variable)).collect(),
            sign: Sign::Filter,
        };
        let mut body: Vec<Literal> =
            family.outer.iter().map(|&place| head.body[place].clone()).collect();
        body.push(atom(group_table, &family.group));
        body.push(atom(choices, &family.choice));
        let tests: Vec<Test> =
            family.outer_tests.iter().map(|&place| head.tests[place].clone()).collect();
        let rows =
            Head { body: &body, tests: &tests, variables: head.variables, shown: head.shown };
        let (group_literal, choice_literal) = (body.len() - 2, body.len() - 1);
        self.join_rows(&rows, |tables, formulas, row, matched| {
            let group = &mut groups[matched[group_literal] as usize];
            let signal = group.chosen(&chosen[matched[choice_literal] as usize], formulas);
            if signal != Signal::FALSE {
                report(tables, row, signal);
            }
        })
    }

    /// The table of the values that some variables of a literal take in its rows.
    fn projection(
        &mut self,
        head: &Head,
        literal: usize,
        shown: &[u32],
    ) -> Result<RelationId, Halt> {
        let body = [as_filter(&head.body[literal])];
        let shown = as_patterns(shown);
        let relation = self.program.auxiliary(shown.len());
        self.cover();
        let mut table = Relation::new(shown.len());
        let head = Head { body: &body, tests: &[], variables: head.variables, shown: &shown };
        self.join_rows(&head, |_, _, row, _| _ = table.insert(row))?;
        *self.tables.get_mut(relation) = table;
        Ok(relation)
    }

    /// The table of the choices, and the members that each contains.
    fn choices(
        &mut self,
        head: &Head,
        family: &Family,
        members: RelationId,
    ) -> Result<(RelationId, Vec<FixedBitSet>), Halt> {
        let literals = family.links.iter().chain(&family.binders).chain([&family.member]);
        let body: Vec<Literal> = literals.map(|&place| as_filter(&head.body[place])).collect();
        let tests: Vec<Test> =
            family.link_tests.iter().map(|&place| head.tests[place].clone()).collect();
        let choice_and_own: Vec<u32> = family.choice.iter().chain(&family.own).copied().collect();
        let shown = as_patterns(&choice_and_own);
        let width = family.choice.len();
        let relation = self.program.auxiliary(width);
        self.cover();
        let (mut table, mut chosen) = (Relation::new(width), Vec::new());
        let pairs = Head { body: &body, tests: &tests, variables: head.variables, shown: &shown };
        self.join_rows(&pairs, |tables, _, row, _| {
            let members = tables.get(members);
            let (choice, new) = table.insert_or_find(&row[..width]);
            if new {
                chosen.push(FixedBitSet::with_capacity(members.len() as usize));
            }
            if let Some(member) = members.find(&row[width..]) {
                chosen[choice as usize].insert(member as usize);
            }
        })?;
        let bits: usize = chosen.iter().map(FixedBitSet::len).sum();
        self.meter.charge(bits / 8 + table.len() as usize * table.bytes_per_row());
        *self.tables.get_mut(relation) = table;
        Ok((relation, chosen))
    }
}

/// The literal, to be looked up and not to become a gate. A negative one already is that: it does
/// not depend on the state, or it would be a second member.
fn as_filter(literal: &Literal) -> Literal {
    match literal.sign {
        Sign::Negative => literal.clone(),
        Sign::Positive | Sign::Filter => Literal { sign: Sign::Filter, ..literal.clone() },
    }
}

fn as_patterns(variables: &[u32]) -> Vec<Pattern> {
    variables.iter().map(|&variable| Pattern::Variable(variable)).collect()
}

fn matches_constants(arguments: &[Pattern], row: &[u32]) -> bool {
    arguments.iter().enumerate().all(|(column, pattern)| match pattern {
        Pattern::Ground(term) => term.number() == row[column],
        // A variable that occurs twice must have one value.
        Pattern::Variable(_) => arguments[..column]
            .iter()
            .zip(row)
            .all(|(earlier, &value)| earlier != pattern || value == row[column]),
        Pattern::Function(..) => true,
    })
}
