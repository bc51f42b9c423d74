#!/usr/bin/env bash
# The action: takes its inputs from the environment, gets a gatekeep, and runs `gatekeep ci`. Its exit status is gatekeep's own; 2 where
# there is none to run. No input is evaluated. It has to run in bash 3.2 (macOS) and in the bash of Git for Windows.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=action/install.sh
source "$here/install.sh"

# A build runs scripts of other people's packages: the token is not theirs to see.
token=${INPUT_TOKEN-}
unset INPUT_TOKEN GITHUB_TOKEN GH_TOKEN

workspace=$(slashes "${GITHUB_WORKSPACE:-$PWD}")
in_workspace() {
    case "$1" in
        /* | [A-Za-z]:[\\/]*) slashes "$1" ;;
        *) printf '%s/%s\n' "$workspace" "$1" ;;
    esac
}

arguments=(ci)
option() { if [[ -n "$2" ]]; then arguments+=("$1" "$2"); fi; }
option --fail-on "${INPUT_FAIL_ON-}"
option --pull-requests "${INPUT_PULL_REQUESTS-}"
option --check "${INPUT_CHECK-}"
option --comment "${INPUT_COMMENT-}"
option --sweep "${INPUT_SWEEP-}"
if [[ -n "${INPUT_SARIF-}" ]]; then
    arguments+=(--output "sarif=$(in_workspace "$INPUT_SARIF")")
fi
case "${INPUT_ALLOW_INCOMPLETE-}" in
    true) arguments+=(--allow-incomplete) ;;
    false | '') ;;
    *) stop "\`allow-incomplete\` is \`true\` or \`false\`, and not \`$INPUT_ALLOW_INCOMPLETE\`" ;;
esac
# read ends with 1 where its text ends
IFS=$' \t\r\n' read -r -d '' -a further <<<"${INPUT_ARGS-}" || true
arguments+=(${further[@]+"${further[@]}"})

if [[ -n "${INPUT_BIN-}" ]]; then
    gatekeep=$(in_workspace "$INPUT_BIN")
    [[ -f "$gatekeep" && -x "$gatekeep" ]] || stop "\`bin\` names no program: $gatekeep"
else
    obtain "${INPUT_VERSION-}"
fi
cd "$(in_workspace "${INPUT_WORKING_DIRECTORY:-.}")" || stop "there is no folder \`$INPUT_WORKING_DIRECTORY\` in the workspace"
if [[ -n "$token" ]]; then export GITHUB_TOKEN="$token"; fi
exec "$gatekeep" "${arguments[@]}"
