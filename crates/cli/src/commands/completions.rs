//! `gambol completions`: what a shell needs to complete commands, options and games.

use std::io::Write;

use clap::{Args, Command, ValueEnum};
use gambol::bundled_games;

use crate::outcome::Outcome;
use crate::session::Session;

/// For which shell.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// The shells.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Shell {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
}

pub(crate) fn run(
    arguments: &Arguments,
    command: &Command,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let words = Words::of(command);
    let script = match arguments.shell {
        Shell::Bash => bash(&words),
        Shell::Zsh => format!(
            "#compdef gambol\nautoload -U +X bashcompinit && bashcompinit\n{}",
            bash(&words)
        ),
        Shell::Fish => fish(&words),
    };
    write!(session.out, "{script}")?;
    Ok(Outcome::Yes)
}

/// What can be completed.
struct Words {
    commands: Vec<CommandWords>,
    games: Vec<String>,
}

struct CommandWords {
    name: String,
    about: String,
    /// The long options with what they do.
    options: Vec<(String, String)>,
    takes_game: bool,
}

impl Words {
    fn of(command: &Command) -> Self {
        let global = options(command);
        let subcommands = command.get_subcommands().filter(|it| !it.is_hide_set());
        let commands = subcommands.map(|it| {
            let mut own = options(it);
            own.extend(global.iter().cloned());
            CommandWords {
                name: it.get_name().to_string(),
                about: it.get_about().map(ToString::to_string).unwrap_or_default(),
                options: own,
                takes_game: it
                    .get_positionals()
                    .any(|it| it.get_id() == "game" || it.get_id() == "games"),
            }
        });
        let games = bundled_games().iter().map(|game| game.name().to_string()).collect();
        Self { commands: commands.collect(), games }
    }
}

fn options(command: &Command) -> Vec<(String, String)> {
    let long = command.get_opts().chain(command.get_arguments().filter(|it| !it.is_positional()));
    let mut options: Vec<(String, String)> = long
        .filter_map(|it| {
            let help = it.get_help().map(ToString::to_string).unwrap_or_default();
            Some((format!("--{}", it.get_long()?), help))
        })
        .collect();
    options.sort();
    options.dedup();
    options
}

fn bash(words: &Words) -> String {
    let commands: Vec<&str> = words.commands.iter().map(|it| it.name.as_str()).collect();
    let mut cases = String::new();
    for command in &words.commands {
        let options: Vec<&str> = command.options.iter().map(|(name, _)| name.as_str()).collect();
        let games = if command.takes_game { " $games" } else { "" };
        cases += &format!("    {}) words=\"{}{games}\" ;;\n", command.name, options.join(" "));
    }
    format!(
        "_gambol() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= words= word
  local games=\"{games}\"
  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command in
    '') words=\"{commands}\" ;;
{cases}  esac
  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))
}}
complete -o default -F _gambol gambol
",
        games = words.games.join(" "),
        commands = commands.join(" "),
    )
}

fn fish(words: &Words) -> String {
    let mut script = String::from("complete -c gambol -n __fish_use_subcommand -f\n");
    let games = words.games.join(" ");
    for CommandWords { name, about, options, takes_game } in &words.commands {
        script += &format!(
            "complete -c gambol -n __fish_use_subcommand -a {name} -d '{}'\n",
            quoted(about)
        );
        let here = format!("complete -c gambol -n '__fish_seen_subcommand_from {name}'");
        if *takes_game {
            script += &format!("{here} -a '{games}'\n");
        }
        for (option, help) in options {
            script += &format!("{here} -l {} -d '{}'\n", &option[2..], quoted(help));
        }
    }
    script
}

/// Text between single quotes of fish.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', " ")
}
