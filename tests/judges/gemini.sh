#!/usr/bin/env bash
# Gemini CLI itself, with a model that is played, edits files under the hook that `gatekeep init --hooks` writes.
#   tests/judges/gemini.sh [GATEKEEP [GEMINI]]     target/debug/gatekeep without it
# It needs Node.js. Without GEMINI (bundle/gemini.js of npm's @google/gemini-cli, Apache-2.0) it installs that below a temporary folder. It runs with
# an environment and a home of its own, and asks no server but the one played here.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
source tests/judges/agent.sh
sources=$PWD
needs node 'Node.js 20'
mkdir -p "$work/bin"
ln -s "$(realpath "${1:-target/debug/gatekeep}")" "$work/bin/gatekeep"
gemini=${2-}
if [[ -z "$gemini" ]]; then
    (cd "$work" && npm install --silent --no-save --ignore-scripts @google/gemini-cli >/dev/null)
    gemini=$work/node_modules/@google/gemini-cli/bundle/gemini.js
fi
export PATH=$work/bin:$PATH
git_identity

fenced .gemini
played_model "$sources"

mkdir -p "$HOME/.gemini"
printf '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}' \
    >"$HOME/.gemini/settings.json"

asks_for() {
    : >"$work/model"
    env -i PATH="$PATH" HOME="$HOME" GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="$url" GEMINI_CLI_TRUST_WORKSPACE=true GATEKEEP_AGENT=ps3 \
        timeout 120 node "$gemini" --model gemini-2.5-flash --yolo -p "write file $repository/$1" </dev/null >"$work/said" 2>&1 ||
        { wrong "Gemini CLI ended with $?"; cat "$work/said"; }
    told
}

cases
finish
