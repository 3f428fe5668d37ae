//! Rules in which one role is chance: what the solver says on average, held to the judge.

use std::time::Duration;

use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::{Choice, SolveOptions, solve};

use crate::judge::Judged;
use crate::played::{self, Played};
use crate::tape::Tape;
use crate::{NEAR, rules};

/// Whether the game was solved; none if it has one role only, or too many positions.
pub(crate) fn check_chance(numbers: &[u16]) -> Option<bool> {
    let text = rules::text(&mut Tape::of(numbers)).replace("r1", "random");
    let rules = played::rules_of(&text);
    let net = gambol_net::build(&gambol_ground::instantiate(&rules, &Default::default()).ok()?);
    let net = gambol_net::simplify(&net.ok()?);
    let chance = net.roles.iter().position(|role| &**role == "random")?;
    let judged = Judged::of(&mut Played::new(&rules), 400)?;
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("the net is small");
    let mut solved = false;
    for choice in [Choice::Auto, Choice::Listing] {
        let mut options = SolveOptions::default();
        options.choice = choice;
        options.limits.time = Some(Duration::from_secs(20));
        let Ok(solution) = solve(&net, &circuit, &options) else { continue };
        for role in (0..judged.roles).filter(|&role| role != chance) {
            let bounds = &solution.values[role];
            let (least, most) = (bounds.least.as_f64(), bounds.most.as_f64());
            let [(worst, exact), (best, _)] =
                [false, true].map(|best| judged.on_average(role, chance, best));
            let slack = if exact { NEAR } else { 1.0 };
            let said = format!("{choice:?}: {role} gets {} to {}\n{text}", worst[0], best[0]);
            assert!(least <= worst[0] + slack, "not {least} or more; {said}");
            assert!(most >= best[0] - NEAR, "not {most} or less; {said}");
        }
        solved |= solution.unfinished.is_none();
    }
    Some(solved)
}
