#!/bin/sh
# Measures solving: joint against factored, and single-player games of a directory of rulesheets.
#
#   run.sh joint GAME...      the same game as a whole and part by part, as a table
#   run.sh puzzles GAME...    each game within 60 s; one line of JSON per game
#
# GAMBOL names the program (default: gambol), SECONDS_CAP the limit per run (default: 60).
set -u
program=${GAMBOL:-gambol}
cap=${SECONDS_CAP:-60}

field() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }

measure() {
    "$program" solve "$@" --json --quiet --time "$cap" 2>/dev/null
}

joint() {
    echo "| game | whole: solved, nodes, s | by parts: solved, nodes, s |"
    echo "|---|---|---|"
    for game in "$@"; do
        row="| $(basename "$game" .kif) |"
        for flags in "--no-factoring" "--method factored"; do
            # The flags are words of their own on purpose.
            # shellcheck disable=SC2086
            answer=$(measure "$game" $flags)
            solved=$(echo "$answer" | field optimal)
            nodes=$(echo "$answer" | field nodes)
            seconds=$(echo "$answer" | field seconds)
            row="$row ${solved:-no}, ${nodes:--}, $(printf '%.2f' "${seconds:-0}") |"
        done
        echo "$row"
    done
}

puzzles() {
    for game in "$@"; do
        answer=$(measure "$game")
        echo "{\"game\":\"$(basename "$game")\",\"answer\":${answer:-null}}"
    done
}

command=$1
shift
case $command in
    joint) joint "$@" ;;
    puzzles) puzzles "$@" ;;
    *) echo "run.sh joint|puzzles GAME..." >&2; exit 2 ;;
esac
