#!/bin/sh
# Shows gatekeep's reports to the programs that read them: Microsoft's SARIF validator with GitHub's rules, Jenkins' schema of
# JUnit, a validator of reviewdog's format, and a second writer of GitLab's. (SchemaStore's codeclimate.json is about that
# program's settings, not about its reports.)
#
#     tests/judges/formats.sh [FOLDER]        where the programs go, and stay for the next run; default /tmp/gatekeep-formats
#
# It needs cargo, npm with Node.js 20, and Python 3.11. The reports are those of `cargo test --test it report::formats`: findings
# of every kind, hostile names, a thousand branches, and nothing at all.
#
# Exit status: 0 all readers are content; 1 one is not; 2 a program could not be installed.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-/tmp/gatekeep-formats}
reports=$work/reports
python=$work/python/bin
failed=0

install() {
    mkdir -p "$work" && cd "$work" || return
    [ -f package.json ] || echo '{"private": true}' > package.json
    [ -d node_modules/@umbrelladocs/rdformat-validator ] ||
        npm install --no-audit --no-fund --silent @microsoft/sarif-multitool@5.7.0 @umbrelladocs/rdformat-validator@1.0.1 || return
    chmod u+x node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool || return
    [ -x "$python/check-jsonschema" ] ||
        { python3 -m venv python && "$python/pip" install --quiet xmlschema==4.3.2 sarif-tools==3.0.5 check-jsonschema==0.39.0; } || return
    [ -f junit-10.xsd ] || # Jenkins' schema, which pytest carries for its own tests
        { "$python/pip" download --quiet --no-deps --no-build-isolation --no-binary pytest pytest==8.4.2 || true
          tar xzf pytest-8.4.2.tar.gz && cp pytest-8.4.2/testing/example_scripts/junit-10.xsd .; }
}

# says WHAT COMMAND…: runs a reader and tells how that went.
says() {
    what=$1
    shift
    if output=$("$@" 2>&1); then
        echo "ok    $what"
    else
        failed=1
        echo "FAIL  $what"
        echo "$output" | head -n 20 | sed 's/^/      /'
    fi
}

# The validator ends with 0 whatever it finds, so its results are counted. A value that no enumeration has makes it find
# nothing at all: that is what the schema is asked first for.
validate_sarif() {
    "$work/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool" validate "$1" --rule-kind Ghas \
        --output "$1.validated" --log ForceOverwrite --level 'Error;Warning;Note' > "$1.log" 2>&1 || { cat "$1.log"; return 1; }
    "$python/python" - "$1.validated" << 'PYTHON'
import collections, json, sys
run, = json.load(open(sys.argv[1]))["runs"]
found = collections.Counter((one.get("level", "warning"), one["ruleId"]) for one in run["results"])
for (level, rule), count in sorted(found.items()):
    print(level, rule, count, next(one for one in run["results"] if one["ruleId"] == rule)["message"])
sys.exit(any(level in ("error", "warning") for level, _ in found))
PYTHON
}

# A second program turns our SARIF into GitLab's format. Both must name the same codes at the same paths and lines.
same_as_codeclimate() {
    "$python/sarif" --check none codeclimate --output "$1.codeclimate" "$1" > "$1.log" 2>&1 || { cat "$1.log"; return 1; }
    "$python/python" - "$1.codeclimate" "${1%.sarif}.gitlab" << 'PYTHON'
import json, sys
from urllib.parse import unquote
theirs, ours = (json.load(open(name)) for name in sys.argv[1:])
place = lambda one: (one["check_name"].split(" ")[0], unquote(one["location"]["path"], errors="replace"), one["location"]["lines"]["begin"])
missing = {place(one) for one in ours} - {place(one) for one in theirs}
print("not in theirs:", sorted(missing)[:3])
sys.exit(bool(missing))
PYTHON
}

install || { echo "the readers could not be installed in $work" >&2; exit 2; }
rm -rf "$reports"
cd "$here" && GATEKEEP_REPORTS=$reports cargo test --quiet --test it report::formats::no_line > "$work/cargo.log" 2>&1 ||
    { cat "$work/cargo.log" >&2; exit 2; }
schema=$work/node_modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json
for report in "$reports"/*.sarif; do
    name=$(basename "$report")
    says "$name: the standard's schema" "$python/check-jsonschema" --schemafile "$schema" "$report"
    says "$name: Sarif.Multitool with GitHub's rules" validate_sarif "$report"
done
for report in "$reports"/*.junit; do
    says "$(basename "$report"): Jenkins' schema" "$python/xmlschema-validate" --schema "$work/junit-10.xsd" "$report"
done
for report in "$reports"/fixture.sarif "$reports"/thousand.sarif; do
    says "$(basename "$report"): sarif-tools finds what the GitLab report has" same_as_codeclimate "$report"
done
for report in "$reports"/*.rdjson; do
    says "$(basename "$report"): rdformat-validator" "$work/node_modules/.bin/rdformat-validator" --strict "$report"
done
exit $failed
