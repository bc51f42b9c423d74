#!/usr/bin/env bash
# Times gatekeep against git on a repository with branches feature/*, in one run. usage: fleet.sh GATEKEEP REPOSITORY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
gatekeep=$(realpath "$1")
cd "$2"
pairs="git for-each-ref --format='main...%(refname)' refs/heads/feature/ | xargs git rev-parse | awk 'NR%3==2{a=\$1} NR%3==1{t=\$1} NR%3==0{print substr(\$1,2) \"^{tree}\"; print t \"^{tree}\"}' | git cat-file --batch-check='%(objectname)' | paste -d' ' - -"
first=$(git for-each-ref --count=1 --format='%(refname:short)' refs/heads/feature/)
hyperfine --ignore-failure --warmup 2 --runs 9 \
    "$gatekeep scan --branches 'feature/*' --only supabase-migrations --config $here/fleet.toml --format json" \
    "$pairs | git diff-tree -r --stdin --name-status --no-renames -- db supabase" \
    "$gatekeep scan --branches 'feature/*' --format json" \
    "$pairs | git diff-tree -r --stdin --name-status --no-renames" \
    "$gatekeep scan --base main --head $first" \
    "git diff --name-status -M main...$first" \
    "$gatekeep scan --staged" \
    "git diff --cached --name-status"
"$gatekeep" scan --branches 'feature/*' --only supabase-migrations --config "$here/fleet.toml" --format json --stats >/dev/null || true
