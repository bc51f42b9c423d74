#!/usr/bin/env bash
# Two branches make a table each with drizzle-kit; `gatekeep fix` mends the later one, and drizzle-kit says what it thinks of the merge.
#
#     tests/judges/fix_drizzle.sh [GATEKEEP]        default target/debug/gatekeep; tools go to /tmp/gatekeep-judges/drizzle-kit
#
# Exit status: 0 drizzle-kit agrees.
set -euo pipefail
gatekeep=$(realpath "${1:-target/debug/gatekeep}")
tools=/tmp/gatekeep-judges/drizzle-kit
mkdir -p "$tools"
cd "$tools"
[ -f package.json ] || echo '{ "private": true }' > package.json # else npm takes that of a folder above
[ -x node_modules/.bin/drizzle-kit ] || npm install --no-audit --no-fund --silent drizzle-kit@0.31.10 drizzle-orm@0.45.4
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=a GIT_{AUTHOR,COMMITTER}_EMAIL=a@example.org
rm -rf case && mkdir case && cd case
git init --quiet --initial-branch=main
echo 'import { defineConfig } from "drizzle-kit"; export default defineConfig({ dialect: "sqlite", out: "./drizzle", schema: "./schema/*.ts" });' > drizzle.config.ts
table() { mkdir -p schema; echo "import { sqliteTable, integer } from 'drizzle-orm/sqlite-core'; export const $1 = sqliteTable('$1', { id: integer() });" > "schema/$1.ts"; }
kit() { ../node_modules/.bin/drizzle-kit "$@"; }
commit() { git add --all && git commit --quiet --message "$1"; }
table first; kit generate --name first > /dev/null; commit first
git checkout --quiet -b branch; table mine; kit generate --name mine > /dev/null; commit mine
git checkout --quiet main; table theirs; kit generate --name theirs > /dev/null; commit theirs
git checkout --quiet branch
"$gatekeep" fix --base main
commit fix
git checkout --quiet main
git merge --quiet --no-edit branch || test "$(git diff --name-only --diff-filter=U)" = drizzle/meta/_journal.json # nothing else is in git's way
python3 - <<'P'
import json, subprocess
show = lambda side: json.loads(subprocess.run(["git", "show", f"{side}:drizzle/meta/_journal.json"], capture_output=True, text=True, check=True).stdout)
ours, theirs = show("main"), show("branch")
ours["entries"] += [entry for entry in theirs["entries"] if entry not in ours["entries"]]
open("drizzle/meta/_journal.json", "w").write(json.dumps(ours, indent=2))
P
git add --all && git commit --quiet --message merge
"$gatekeep" scan
kit check
kit generate | tee generated
grep --quiet "No schema changes" generated
