#!/usr/bin/env bash
# Claude Code itself, with a model that is played, edits files under the hook that `gatekeep init --hooks` writes.
#   tests/judges/claude.sh [GATEKEEP [CLAUDE]]     target/debug/gatekeep without it
# It needs Node.js. Without CLAUDE it installs npm's @anthropic-ai/claude-agent-sdk (514 MB) below a temporary folder: its licence lets it be
# used, not passed on. It runs with an environment and a home of its own, asks no server but the one played here, and sends no statistics.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
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

repository fenced
printf '[agents.ps3]\nowns = ["lib/**", "supabase/**"]\n' >gatekeep.toml
mkdir -p lib ops .claude supabase/migrations
touch lib/a.ts ops/a.yml supabase/config.toml supabase/migrations/20260101000000_init.sql
gatekeep init --hooks --yes >/dev/null
commit base
git branch -M main
git switch -q -c agent/ps3/work

node "$sources/tests/judges/fake_model.mjs" "$work/model" >"$work/port" &
model=$!
trap 'kill "$model" 2>/dev/null; rm -rf "$work"' EXIT
until [[ -s "$work/port" ]]; do sleep 0.1; done

# Asks Claude Code to write a file. $log is what the model was told.
asks_for() {
    : >"$work/model"
    env -i PATH="$PATH" HOME="$HOME" ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$work/port")" ANTHROPIC_API_KEY=none GATEKEEP_AGENT=ps3 \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 \
        timeout 120 "$claude" -p "write file $repository/$1" --permission-mode acceptEdits --output-format json </dev/null >"$work/said" 2>&1 ||
        { wrong "Claude Code ended with $?"; cat "$work/said"; }
    log=$(cat "$work/model")
    sed 's/^/    the model was told: /' "$work/model" | cut -c1-400 | sort -u
}

case_ 'a file outside the lane'
asks_for ops/new.yml
[[ ! -e ops/new.yml ]] || wrong 'the file is there'
says 'ps3.*ops/new.yml'
says '"error":true'

case_ 'a file in the lane'
asks_for lib/new.ts
is "$(cat lib/new.ts)" x
says '"error":false'
lacks gatekeep

case_ 'a version that another branch holds'
git stash -q -u
git switch -q -c other main
touch supabase/migrations/20260428000000_a.sql
commit other
git switch -q agent/ps3/work
asks_for supabase/migrations/20260428000000_b.sql
[[ ! -e supabase/migrations/20260428000000_b.sql ]] || wrong 'the file is there'
says '20260428000000.*Free: `supabase/migrations/[0-9]+_b.sql`'

case_ 'it wants to stop, and a command of its shell has taken a version twice'
touch supabase/migrations/20260101000000_again.sql
asks_for lib/other.ts
says '"back":.*20260101000000_again.sql'

finish
