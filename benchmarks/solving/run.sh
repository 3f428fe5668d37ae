#!/bin/sh
# Measures solving.
#
#   run.sh joint [GAME...]     the same game as a whole and part by part, as a table
#   run.sh puzzles [GAME...]   one player: each game within 60 s; one line of JSON per game, then the share
#   run.sh certificates [GAME...]  solves, writes the proof and has it checked
#
# Without games: compound games, puzzles or bundled games and, for the first two, those of a collection
# of rulesheets (COLLECTION, default ../shared/games beside the repository) as far as they are there.
# GAMBOL names the program (default: gambol), SECONDS_CAP the limit per run (default: 60).
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
program=${GAMBOL:-gambol}
cap=${SECONDS_CAP:-60}
collection=${COLLECTION:-$root/../shared/games}

compounds="multiple-buttons-and-lights best-buttons-and-lights best-buttons-and-lights-fuse
all-buttons-and-lights joint-buttons-and-lights joint-buttons-and-lights-gap four-lamps nim nim-2-3-4
double-tic-tac-toe multiple-tic-tac-toe noughts-and-heap joint-tic-tac-toe"
found_compounds="base/nim1 base/nim2 base/nim3 base/nim4 base/ticTacToeParallel base/doubletictactoe
base/doubletoetictac base/double_tictactoe_dengji stanford/multipletictactoe base/lightsOnParallel
base/blocksWorldParallel base/blocksWorldSerial base/ticTacToeSerial base/snakeParallel stanford/jointbuttonandlights
stanford/multiplebuttonsandlights"

# A field of the JSON on standard input that holds no comma or brace.
field() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }
# The values of the roles.
values() { sed -n 's/.*"value":{\([^}]*\)}.*/\1/p' | sed 's/"[^"]*"://g'; }

measure() {
    "$program" solve "$@" --json --quiet --time "$cap"
}

in_collection() {
    for name in "$@"; do
        [ -f "$collection/$name.kif" ] && echo "$collection/$name.kif"
    done
}

joint() {
    echo "| game | whole: value, nodes, s | by parts: value, nodes, s |"
    echo "|---|---|---|"
    for game in "$@"; do
        row="| $(basename "$game" .kif) |"
        found=""
        for flags in "--no-factoring" "--method factored"; do
            # The flags are words of their own on purpose.
            # shellcheck disable=SC2086
            answer=$(measure "$game" $flags 2>/dev/null)
            value=$(echo "$answer" | values)
            nodes=$(echo "$answer" | field nodes)
            seconds=$(echo "$answer" | field seconds)
            case $(echo "$answer" | field optimal) in
                true) found="$found $value" ;;
                *) value=$(echo "$answer" | field unfinished | tr -d '"') ;;
            esac
            row="$row ${value:-no answer}, ${nodes:--}, $(printf '%.2f' "${seconds:-0}") |"
        done
        echo "$row"
        different=$(echo "$found" | tr ' ' '\n' | grep -v '^$' | sort -u | wc -l)
        [ "$different" -gt 1 ] && echo "$game: the two values differ:$found" >&2
    done
}

puzzles() {
    all=0
    solved=0
    for game in "$@"; do
        answer=$(measure "$game" 2>/dev/null)
        echo "{\"game\":\"$(basename "$game")\",\"answer\":${answer:-null}}"
        all=$((all + 1))
        [ "$(echo "$answer" | field optimal)" = true ] && solved=$((solved + 1))
    done
    echo "$solved of $all solved" >&2
}

certificates() {
    proof=$(mktemp)
    accepted=0
    refused=0
    echo "| game | entries | KB | solved in s | checked in s |"
    echo "|---|---|---|---|---|"
    for game in "$@"; do
        name=$(basename "$game" .kif)
        if answer=$(measure "$game" --certificate "$proof" 2>"$proof.why"); then
            check=$("$program" verify "$game" "$proof" --quiet --json)
            case $(echo "$check" | field accepted) in
                true) accepted=$((accepted + 1)) ;;
                *)
                    refused=$((refused + 1))
                    name="$name (refused)"
                    ;;
            esac
            size=$(($(wc -c <"$proof") / 1000))
            seconds=$(echo "$answer" | field seconds)
            checked=$(echo "$check" | field seconds)
            printf '| %s | %s | %s | %.2f | %.2f |\n' "$name" "$(echo "$check" | field entries)" "$size" "$seconds" "$checked"
        else
            echo "| $name | $(tail -1 "$proof.why") | | | |"
        fi
    done
    rm -f "$proof" "$proof.why"
    echo "$accepted accepted, $refused refused"
}

# Games of one player in the collections base and stanford.
found_puzzles() {
    [ -f "$collection/INDEX.tsv" ] || return
    tab=$(printf '\t')
    while IFS=$tab read -r id roles rest; do
        case $id in base/* | stanford/*) [ "$roles" = 1 ] && echo "$collection/$id.kif" ;; esac
    done <"$collection/INDEX.tsv"
}

usage() {
    echo "run.sh joint|puzzles|certificates [GAME...]" >&2
    exit 2
}

[ $# -gt 0 ] || usage
command=$1
shift
if [ $# -eq 0 ]; then
    # The lists are words.
    # shellcheck disable=SC2046,SC2086
    case $command in
        joint) set -- $compounds $(in_collection $found_compounds) ;;
        puzzles) set -- $(found_puzzles) ;;
        certificates) set -- $(cd "$root/games" && ls -d -- */ | tr -d /) ;;
    esac
fi
case $command in
    joint) joint "$@" ;;
    puzzles) puzzles "$@" ;;
    certificates) certificates "$@" ;;
    *) usage ;;
esac
