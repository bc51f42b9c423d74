#!/usr/bin/env bash
# Claude Code itself, with a model that is played, edits files under the hook that `gatekeep init --hooks` writes.
#   tests/judges/claude.sh [GATEKEEP [CLAUDE]]     target/debug/gatekeep without it
# It needs Node.js. Without CLAUDE it installs npm's @anthropic-ai/claude-agent-sdk (514 MB) below a temporary folder: its licence lets it be
# used, not passed on. It runs with an environment and a home of its own, asks no server but the one played here, and sends no statistics.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
source tests/judges/agent.sh
sources=$PWD
needs node 'Node.js 20'
mkdir -p "$work/bin"
ln -s "$(realpath "${1:-target/debug/gatekeep}")" "$work/bin/gatekeep"
claude=${2-}
if [[ -z "$claude" ]]; then
    (cd "$work" && npm install --silent --no-save --ignore-scripts @anthropic-ai/claude-agent-sdk >/dev/null)
    claude=$(find "$work/node_modules" -path '*claude-agent-sdk-linux-*/claude' -type f | head -1)
fi
export PATH=$work/bin:$PATH
git_identity

fenced .claude
played_model "$sources"

# Asks Claude Code to write a file. $log is what the model was told.
asks_for() {
    : >"$work/model"
    env -i PATH="$PATH" HOME="$HOME" ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=none GATEKEEP_AGENT=ps3 \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
        timeout 120 "$claude" -p "write file $repository/$1" --permission-mode acceptEdits --output-format json </dev/null >"$work/said" 2>&1 ||
        { wrong "Claude Code ended with $?"; cat "$work/said"; }
    told
}

cases
finish
