//! `gambol man`: the manual page, made from what the commands say of themselves.

use std::io::Write;

use clap::{Arg, Args, Command};

use crate::outcome::Outcome;
use crate::session::Session;

/// Nothing to choose.
#[derive(Args, Debug)]
pub(crate) struct Arguments {}

pub(crate) fn run(mut command: Command, session: &mut Session) -> anyhow::Result<Outcome> {
    command.build();
    write!(session.out, "{}", page(&command))?;
    Ok(Outcome::Yes)
}

fn page(command: &Command) -> String {
    let version = command.get_version().unwrap_or("");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = format!(
        ".TH GAMBOL 1 \"\" \"gambol {version}\" \"User Commands\"\n.SH NAME\ngambol \\- takes games apart\n\
         .SH SYNOPSIS\n.B gambol\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n",
        escaped(&about)
    );
    command.get_arguments().for_each(|argument| page += &option(argument));
    page += ".SH COMMANDS\n";
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        page += &section(subcommand);
    }
    if let Some(words) = command.get_after_help() {
        page += &format!(".SH NOTES\n.nf\n{}\n.fi\n", escaped(&words.to_string()));
    }
    page
}

fn section(command: &Command) -> String {
    let positionals = command.get_positionals().map(|it| it.to_string());
    let usage: Vec<String> = positionals.collect();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!(
        ".SS {} {}\n{}\n",
        escaped(command.get_name()),
        escaped(&usage.join(" ")),
        escaped(&about)
    );
    let own = command.get_arguments().filter(|it| !it.is_global_set());
    own.for_each(|argument| text += &option(argument));
    if let Some(examples) = command.get_after_help() {
        text += &format!(".PP\n.nf\n{}\n.fi\n", escaped(&examples.to_string()));
    }
    text
}

fn option(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    format!(".TP\n\\fB{}\\fR\n{}\n", escaped(&argument.to_string()), escaped(&help))
}

/// Text in which roff finds no commands.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let protect = |line: &str| {
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_string() }
    };
    text.lines().map(protect).collect::<Vec<_>>().join("\n")
}
