#!/usr/bin/env bash
# Codex itself, with a model that is played, edits files under the hook that `gatekeep init --hooks` writes.
#   tests/judges/codex.sh [GATEKEEP [CODEX]]     target/debug/gatekeep without it
# It needs Node.js. Without CODEX it installs npm's @openai/codex (Apache-2.0) below a temporary folder. It runs with an environment and a home of
# its own, and asks no server but the one played here. Codex runs a repository's hooks once a person trusts them; here it is told to.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
source tests/judges/agent.sh
sources=$PWD
needs node 'Node.js 20'
mkdir -p "$work/bin"
ln -s "$(realpath "${1:-target/debug/gatekeep}")" "$work/bin/gatekeep"
codex=${2-}
if [[ -z "$codex" ]]; then
    (cd "$work" && npm install --silent --no-save --ignore-scripts @openai/codex >/dev/null)
    codex=$(find "$work/node_modules" -path '*/bin/codex' -type f -size +1M | head -1)
fi
export PATH=$work/bin:$PATH
git_identity

fenced .codex
played_model "$sources"

mkdir -p "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<EOT
model = "gpt-5.5"
model_provider = "played"
[model_providers.played]
name = "played"
base_url = "$url/v1"
wire_api = "responses"
env_key = "PLAYED_KEY"
[projects."$repository"]
trust_level = "trusted"
EOT

asks_for() {
    : >"$work/model"
    env -i PATH="$PATH" HOME="$HOME" PLAYED_KEY=none GATEKEEP_AGENT=ps3 \
        timeout 120 "$codex" exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust "write file $1" </dev/null \
        >"$work/said" 2>&1 || { wrong "Codex ended with $?"; cat "$work/said"; }
    told
}

cases
finish
