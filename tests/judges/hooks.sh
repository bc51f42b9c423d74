#!/usr/bin/env bash
# Commits, merges and pushes under the hooks that docs/hooks.md tells of, each run by its own tool. The snippets are read from there.
#   tests/judges/hooks.sh [GATEKEEP]     the program that the hooks run; target/debug/gatekeep without it
# `pip install -r tests/judges/requirements.txt`; husky comes from npm, where npm is there. The manifest's `language: rust` builds gatekeep,
# which takes minutes, so here it says `system` and finds the program on the PATH.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
sources=$PWD
needs pre-commit 'pip install -r tests/judges/requirements.txt'
needs prek 'pip install -r tests/judges/requirements.txt'
needs lefthook 'pip install -r tests/judges/requirements.txt'
mkdir -p "$work/bin"
ln -s "$(realpath "${1:-target/debug/gatekeep}")" "$work/bin/gatekeep"
export PATH=$work/bin:$PATH
git_identity
export PRE_COMMIT_HOME=$work/pre-commit PREK_HOME=$work/prek LEFTHOOK_QUIET=meta
M=supabase/migrations

# The block below `<!-- hook: TOOL FILE -->` of docs/hooks.md, as that file.
snippet() {
    mkdir -p "$(dirname "$2")"
    awk -v mark="<!-- hook: $1 $2 -->" '$0 == mark { at = 1; next } at && /^```/ { if (++fence == 2) exit; next } at && fence' \
        "$sources/docs/hooks.md" >"$2"
    [[ -s "$2" ]] || { echo "docs/hooks.md has no block for $1 $2" >&2; exit 2; }
}

git_hooks() {
    snippet git .githooks/pre-commit
    cp .githooks/pre-commit .githooks/pre-merge-commit
    snippet git .githooks/pre-push
    chmod +x .githooks/*
}

use_git() {
    git_hooks
    git config core.hooksPath .githooks
}

# Where the manifest comes from: a repository, as these tools want it.
manifest() {
    if [[ -d "$work/manifest" ]]; then return; fi
    git init -q "$work/manifest"
    sed 's/language: rust/language: system/' "$sources/.pre-commit-hooks.yaml" >"$work/manifest/.pre-commit-hooks.yaml"
    (cd "$work/manifest" && commit manifest && git tag v0.1.0)
}

use_pre_commit() {
    manifest
    snippet pre-commit .pre-commit-config.yaml
    sed -i "s|https://github.com/gatekeep-cli/gatekeep|$work/manifest|" .pre-commit-config.yaml
    "${1:-pre-commit}" install >"$work/log" 2>&1 || { cat "$work/log"; exit 2; }
}

use_prek() { use_pre_commit prek; }

use_lefthook() {
    git_hooks
    snippet lefthook lefthook.yml
    lefthook install >"$work/log" 2>&1 || { cat "$work/log"; exit 2; }
}

use_husky() {
    snippet husky .husky/pre-commit
    cp .husky/pre-commit .husky/pre-merge-commit
    git_hooks
    cp .githooks/pre-push .husky/pre-push
    husky_prepare
}

# What `npm install` runs: it writes scripts that git ignores, so each worktree has to do it.
husky_prepare() { node -e "import('$work/node_modules/husky/index.js').then(husky => process.stdout.write(husky.default()))"; }

# The verdict of a command of git: `passes`, or `refused` with what gatekeep said.
try() {
    local wanted=$1
    shift
    log=$("$@" 2>&1) && verdict=passes || verdict=refused
    is "$verdict" "$wanted"
    if [[ "$wanted" == refused ]]; then says "$because"; fi
}

because='supabase-migrations/duplicate'
sql() { mkdir -p "$M"; for name in "$@"; do echo "-- $name" >"$M/$name.sql"; done; }
back() { git reset -q --hard && git clean -qfd; }

under() {
    tool=$1
    repository "under-$tool"
    mkdir -p supabase
    touch supabase/config.toml
    sql 20260101000000_first
    printf '[[protected]]\npaths = ["docs/**"]\nnot-deleted = true\n' >gatekeep.toml
    mkdir docs
    echo plan >docs/plan.md
    commit trunk
    "use_$tool"
    git add -A
    git commit -q --no-verify -m hooks
    git clone -q --bare . "$work/$tool.git"
    git remote set-url origin "$work/$tool.git"
    git fetch -q

    case_ "$tool: a commit"
    sql 20260102000000_a 20260102000000_b
    git add -A
    try refused git commit -m both
    git rm -q --cached "$M/20260102000000_b.sql"
    try passes git commit -m 'one, the other left untracked'
    rm "$M/20260102000000_b.sql"

    case_ "$tool: a commit of what is staged, whatever the working tree says by now"
    sql 20260103000000_a 20260103000000_b
    git add -A
    echo '-- more' >>"$M/20260103000000_a.sql"
    try refused git commit -m staged
    back

    case_ "$tool: commit -a holds what the working tree has, and not what was staged"
    sql 20260103000000_a 20260103000000_b
    git add -A
    rm "$M/20260103000000_b.sql"
    try passes git commit -a -m a
    back

    case_ "$tool: commit PATH, from a subfolder, holds that path alone"
    sql 20260104000000_a 20260104000000_b
    git add -A
    cd "$M"
    try passes git commit -m one 20260104000000_a.sql
    cd "$repository"
    back
    git mv "$M/20260104000000_a.sql" "$M/20260104000000_c.sql"
    cd supabase
    try refused git commit -m 'and not the other half of a move' migrations/20260104000000_c.sql
    cd "$repository"
    back

    case_ "$tool: a linked worktree has an index of its own"
    sql 20260105000000_a 20260105000000_b
    git add -A
    git worktree add -q "$work/$tool-linked" -b linked
    cd "$work/$tool-linked"
    if [[ "$tool" == husky ]]; then husky_prepare; fi
    sql 20260106000000_a
    git add -A
    try passes git commit -m fine
    sql 20260106000000_b
    git add -A
    try refused git commit -m both
    cd "$repository"
    back

    case_ "$tool: a merge that git does without a word"
    git switch -qc left
    sql 20260107000000_a
    git add -A
    try passes git commit -m left
    git switch -q main
    git switch -qc right
    sql 20260107000000_b
    git add -A
    try passes git commit -m right
    try refused git merge --no-edit left
    git merge --abort
    git switch -q main

    case_ "$tool: a commit that only deletes"
    git rm -q docs/plan.md
    because='protected/removed' try refused git commit -m gone
    back

    case_ "$tool: a push of another branch than the one that is checked out"
    git push -q --no-verify origin main
    git switch -qc bad
    sql 20260108000000_a 20260108000000_b
    git add -A
    git commit -q --no-verify -m both
    git switch -q main
    try refused git push origin bad
    git switch -q bad
    try passes git push origin left
    try passes git push origin :left
    git switch -q main
}

under git
under pre_commit
under prek
under lefthook
if command -v npm >/dev/null && npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" husky@9.1.7 >"$work/log" 2>&1; then
    under husky
else
    echo 'husky was not tried: npm is not there, or could not install it' >&2
fi

case_ 'the manifest is one for both tools'
for tool in pre-commit prek; do
    log=$("$tool" validate-manifest "$sources/.pre-commit-hooks.yaml" 2>&1) || wrong "$tool validate-manifest: $log"
done
finish
