//! The tables of all relations, kept in step: a fluent that can become true can be true, a move
//! that can be legal can be done, and the open relations hold what their shapes hold.

use gambol_index::{Id, IndexVec};
use gambol_syntax::{Symbol, keyword};
use rustc_hash::FxHashSet;

use crate::names::GroundTerm;
use crate::program::{Key, Program, RelationId, SUCCESSIONS, shape_offset, shaped_argument};
use crate::relation::Relation;

/// Where a row of an open relation comes from: the shape, and the row there.
pub(crate) type Origin = (RelationId, u32);

#[derive(Clone, Debug, Default)]
pub(crate) struct RelationTables {
    tables: IndexVec<RelationId, Relation>,
    /// For open relations that some rule reads: the origin of each row.
    origins: IndexVec<RelationId, Option<Vec<Origin>>>,
    roles: FxHashSet<u32>,
    /// Rows added since the last call of [`RelationTables::take_growth`], in bytes.
    growth: usize,
}

impl RelationTables {
    pub(crate) fn new(program: &Program) -> Self {
        let mut tables = Self::default();
        tables.cover(program);
        tables
    }

    /// Makes room for relations that the program got since.
    pub(crate) fn cover(&mut self, program: &Program) {
        while self.tables.len() < program.relations.len() {
            let info = &program.relations[RelationId::from_index(self.tables.len())];
            self.tables.push(Relation::new(info.arity));
            let open = matches!(info.key, Key::Named(name, arity)
                if shaped_argument(name, arity as usize).is_some());
            self.origins.push(open.then(Vec::new));
        }
    }

    pub(crate) fn get(&self, relation: RelationId) -> &Relation {
        &self.tables[relation]
    }

    pub(crate) fn get_mut(&mut self, relation: RelationId) -> &mut Relation {
        &mut self.tables[relation]
    }

    /// For an open relation: the origins of its rows.
    pub(crate) fn origins(&self, relation: RelationId) -> Option<&[Origin]> {
        self.origins[relation].as_deref()
    }

    /// The memory taken since the last call, in bytes.
    pub(crate) fn take_growth(&mut self) -> usize {
        std::mem::take(&mut self.growth)
    }

    /// Adds a row and all that follows from it.
    pub(crate) fn insert(&mut self, program: &mut Program, relation: RelationId, row: &[u32]) {
        match program.relations[relation].key {
            Key::Named(name, arity) if shaped_argument(name, arity as usize).is_some() => {
                let (shape, row) = take_apart(program, name, row);
                self.cover(program);
                self.insert_shape(program, shape, &row);
            }
            Key::Shape(..) => self.insert_shape(program, relation, row),
            Key::Named(keyword::ROLE, 1) => {
                self.roles.insert(row[0]);
                self.insert_plain(relation, row);
            }
            Key::Named(..) | Key::Auxiliary(_) => _ = self.insert_plain(relation, row),
        }
    }

    fn insert_plain(&mut self, relation: RelationId, row: &[u32]) -> Option<u32> {
        let table = &mut self.tables[relation];
        let number = table.insert(row)?;
        self.growth += table.bytes_per_row();
        Some(number)
    }

    fn insert_shape(&mut self, program: &mut Program, shape: RelationId, row: &[u32]) {
        let Key::Shape(name, functor, arity) = program.relations[shape].key else { return };
        let Some(number) = self.insert_plain(shape, row) else { return };
        self.insert_open(program, name, functor, (shape, number), row);
        for (from, to) in SUCCESSIONS {
            if from == name && (to != keyword::DOES || self.roles.contains(&row[0])) {
                let next = program.relation(Key::Shape(to, functor, arity));
                self.cover(program);
                self.insert_shape(program, next, row);
            }
        }
    }

    fn insert_open(
        &mut self,
        program: &mut Program,
        name: Symbol,
        functor: Symbol,
        origin: Origin,
        row: &[u32],
    ) {
        let offset = shape_offset(name);
        let key = Key::Named(name, if offset == 0 { 1 } else { 2 });
        let Some(open) = program.find_relation(key) else { return };
        let arguments: Vec<GroundTerm> =
            row[offset..].iter().map(|&term| GroundTerm::new(term)).collect();
        let term = program.names.term(functor, &arguments).number();
        let added = if offset == 0 {
            self.insert_plain(open, &[term])
        } else {
            self.insert_plain(open, &[row[0], term])
        };
        if let (Some(_), Some(origins)) = (added, &mut self.origins[open]) {
            origins.push(origin);
        }
    }
}

/// The shape relation and row of an atom of an open relation.
pub(crate) fn take_apart(
    program: &mut Program,
    name: Symbol,
    row: &[u32],
) -> (RelationId, Vec<u32>) {
    let place = row.len() - 1;
    let term = GroundTerm::new(row[place]);
    let arguments = program.names.arguments(term);
    let mut parts = row[..place].to_vec();
    parts.extend(arguments.iter().map(|argument| argument.number()));
    let arity = u32::try_from(arguments.len()).expect("bounded by the size of the text");
    let key = Key::Shape(name, program.names.functor(term), arity);
    (program.relation(key), parts)
}
