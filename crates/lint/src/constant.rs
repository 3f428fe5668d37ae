//! Ends, moves and goals that are the same in every state.

use gambol_ground::{Extent, GroundGame, RoleId};
use gambol_syntax::{Category, Diagnosis, Rules, Span, Symbol, Term, keyword, shown};
use rustc_hash::FxHashSet;

use crate::frame::take_apart;
use crate::notes::Notes;

pub(crate) fn look(rules: &Rules, game: &GroundGame, extent: &Extent, notes: &mut Notes) {
    check_goal_values(rules, extent, notes);
    if !notes.suspicious {
        check_terminal(rules, game, notes);
        check_moves(rules, game, notes);
        check_goals(rules, game, notes);
    }
}

fn check_terminal(rules: &Rules, game: &GroundGame, notes: &mut Notes) {
    let Some(span) = first_head(rules, keyword::TERMINAL, None) else { return };
    if is_explained(rules, keyword::TERMINAL, notes) {
        return;
    }
    let finding = match game.terminal.constant() {
        Some(false) => Diagnosis::warning(
            Category::NeverTerminal,
            span,
            "no state is terminal, so the game never ends",
        )
        .with_hint(
            "the conditions of terminal never hold; compare them with what init and next make true",
        ),
        Some(true) => Diagnosis::warning(
            Category::AlwaysTerminal,
            span,
            "every state is terminal, so the game ends before the first move",
        ),
        None => return,
    };
    notes.add_aside(finding);
}

fn check_moves(rules: &Rules, game: &GroundGame, notes: &mut Notes) {
    if is_explained(rules, keyword::LEGAL, notes) {
        return;
    }
    for (role, name) in game.roles.iter_ids() {
        let moves = possible_moves(game, role);
        if let &[only] = moves.as_slice() {
            report_idle(rules, game, name, only, notes);
        }
        if !moves.is_empty() {
            continue;
        }
        let span = first_head(rules, keyword::LEGAL, Some(name))
            .or_else(|| first_head(rules, keyword::ROLE, Some(name)));
        let message = format!("{} never has a legal move", shown(name));
        if let Some(span) = span {
            notes.add_aside(Diagnosis::warning(Category::RoleNeverMoves, span, message));
        }
    }
}

fn possible_moves(game: &GroundGame, role: RoleId) -> Vec<&str> {
    let of_role = game.moves.iter_ids().filter(|(_, it)| it.role == role);
    let possible = of_role.filter(|&(id, _)| game.legal[id].constant() != Some(false));
    possible.map(|(_, it)| &*it.name).collect()
}

/// A role that waits for ever though a rule speaks of moves of every role: most likely its turn never comes.
fn report_idle(rules: &Rules, game: &GroundGame, role: &str, only: &str, notes: &mut Notes) {
    let mut others = game.roles.iter_ids().filter(|(_, name)| ***name != *role);
    let busy = others.any(|(other, _)| possible_moves(game, other).len() > 1);
    let shared = rules.clauses.iter().find(|clause| {
        let &[mover, action] = clause.head.arguments.as_slice() else { return false };
        let variable = matches!(rules.term(mover), Term::Variable(_));
        let other = match rules.term(action) {
            Term::Function(name, _) => rules.symbols.text(name) != take_apart(only).0,
            Term::Variable(_) => false,
        };
        clause.head.relation == keyword::LEGAL && variable && other
    });
    if let Some(rule) = shared
        && busy
    {
        let (role, only) = (shown(role), shown(only));
        let message = format!("{role} never has another move than {only}");
        let finding = Diagnosis::warning(Category::RoleNeverMoves, rule.head.span, message);
        let hint = format!("this rule never applies to {role}: does its turn ever come?");
        notes.add_aside(finding.with_hint(hint));
    }
}

fn check_goals(rules: &Rules, game: &GroundGame, notes: &mut Notes) {
    if is_explained(rules, keyword::GOAL, notes) {
        return;
    }
    report_lesser(rules, game, notes);
    for (role, name) in game.roles.iter_ids().filter(|(_, name)| ***name != *"random") {
        let possible: Vec<u32> = goals(game, role).map(|(value, _)| value).collect();
        let stated = rules.clauses.iter().any(|clause| {
            clause.body.is_empty() && is_head(rules, clause, keyword::GOAL, Some(name))
        });
        let Some(span) = first_head(rules, keyword::GOAL, Some(name)) else { continue };
        let name = shown(name);
        let message = match possible.as_slice() {
            [] => format!("{name} never has a goal value"),
            &[value] if !stated && goals(game, role).all(|(_, constant)| constant) => {
                format!("the goal of {name} is {value} in every state")
            }
            _ => continue,
        };
        notes.add_aside(Diagnosis::warning(Category::ConstantGoal, span, message));
    }
}

/// The only role that can never have the best value, although it can have all others.
fn report_lesser(rules: &Rules, game: &GroundGame, notes: &mut Notes) {
    const BEST: u32 = 100;
    let values = |role: RoleId| -> Vec<u32> {
        let mut values: Vec<u32> = goals(game, role).map(|(value, _)| value).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let players: Vec<(RoleId, &str)> = game
        .roles
        .iter_ids()
        .map(|(role, name)| (role, &**name))
        .filter(|(_, name)| *name != "random")
        .collect();
    let (with, without): (Vec<_>, Vec<_>) =
        players.into_iter().partition(|(role, _)| values(*role).contains(&BEST));
    let (&[(role, name)], Some((other, _))) = (without.as_slice(), with.first()) else { return };
    let mut lacking = values(*other);
    lacking.retain(|&value| value != BEST);
    // Who gets nothing but 0 is there for another reason.
    if lacking.len() < 2 || values(role) != lacking {
        return;
    }
    if let Some(span) = first_head(rules, keyword::GOAL, Some(name)) {
        let message = format!("{} can never get {BEST}, and has all other values", shown(name));
        let finding = Diagnosis::warning(Category::ConstantGoal, span, message);
        let hint = format!("is a rule missing? (<= (goal {} {BEST}) …)", shown(name));
        notes.add_aside(finding.with_hint(hint));
    }
}

/// Values that a variable brings and that are no goal values. What is written out has been checked.
fn check_goal_values(rules: &Rules, extent: &Extent, notes: &mut Notes) {
    const MOST: u32 = 100;
    let Some(table) = extent.table(keyword::GOAL, 2) else { return };
    let names = extent.names();
    let is_value = |text: &str| text.parse().is_ok_and(|value: u32| value <= MOST);
    let values = table.rows().map(|row| names.text(row.term(1)));
    let Some(odd) = values.into_iter().find(|value| !is_value(value)) else { return };
    let varies = |clause: &&gambol_syntax::Clause| match clause.head.arguments.as_slice() {
        &[_, value] => matches!(rules.term(value), Term::Variable(_)),
        _ => false,
    };
    let goals = rules.clauses.iter().enumerate();
    let mut goals = goals.filter(|(_, clause)| clause.head.relation == keyword::GOAL);
    if let Some((index, clause)) = goals.find(|(_, clause)| varies(clause)) {
        let message =
            format!("a goal value can be {}, which is no whole number from 0 to 100", shown(&odd));
        let span = rules.term_span(clause.head.arguments[1]);
        notes.add(index, Diagnosis::warning(Category::GoalValue, span, message));
    }
}

/// The goal values a role can have, and whether it has them always.
fn goals(game: &GroundGame, role: RoleId) -> impl Iterator<Item = (u32, bool)> {
    let of_role = game.goals.iter().filter(move |goal| goal.role == role);
    of_role
        .filter(|goal| goal.when.constant() != Some(false))
        .map(|goal| (goal.value, goal.when.constant() == Some(true)))
}

fn first_head(rules: &Rules, relation: Symbol, role: Option<&str>) -> Option<Span> {
    let mut clauses = rules.clauses.iter();
    clauses.find(|clause| is_head(rules, clause, relation, role)).map(|clause| clause.head.span)
}

/// Whether a clause is for this relation, and may be for this role.
fn is_head(
    rules: &Rules,
    clause: &gambol_syntax::Clause,
    relation: Symbol,
    role: Option<&str>,
) -> bool {
    clause.head.relation == relation
        && role.is_none_or(|role| match clause.head.arguments.first() {
            Some(&argument) => match rules.term(argument) {
                Term::Variable(_) => true,
                Term::Function(name, _) => rules.symbols.text(name) == role,
            },
            None => false,
        })
}

/// Whether a finding concerns a rule that the relation depends on in one state.
fn is_explained(rules: &Rules, relation: Symbol, notes: &Notes) -> bool {
    let mut seen: FxHashSet<Symbol> = FxHashSet::from_iter([relation]);
    let mut open = vec![relation];
    while let Some(relation) = open.pop() {
        let clauses = rules.clauses.iter().enumerate();
        for (index, clause) in clauses.filter(|(_, clause)| clause.head.relation == relation) {
            if notes.clauses.contains(&index) || notes.unmet.contains(&index) {
                return true;
            }
            for condition in rules.conditions(&clause.body) {
                if let gambol_syntax::Literal::Atom(atom) = rules.literal(condition.literal)
                    && seen.insert(atom.relation)
                {
                    open.push(atom.relation);
                }
            }
        }
    }
    false
}
