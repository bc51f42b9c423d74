#!/usr/bin/env bash
# The inspector of the Model Context Protocol's authors lists the tools of `gatekeep mcp` and calls each.
#   tests/judges/mcp.sh [GATEKEEP [INSPECTOR]]     target/debug/gatekeep without it
# It needs Node.js 20. Without INSPECTOR it installs npm's @modelcontextprotocol/inspector (147 MB) below a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/judges/cases.sh
needs node 'Node.js 20'
gatekeep=$(realpath "${1:-target/debug/gatekeep}")
inspector=${2-}
if [[ -z "$inspector" ]]; then
    (cd "$work" && npm install --silent --no-save --ignore-scripts @modelcontextprotocol/inspector >/dev/null)
    inspector=$work/node_modules/.bin/mcp-inspector
fi
git_identity

repository asked
printf '[agents.ps3]\nowns = ["docs/**"]\n' >gatekeep.toml
mkdir -p docs/adr ops
printf '# 1. Use ADRs\n' >docs/adr/0001-use-adrs.md
commit base
git branch -M main
git remote remove origin
git switch -q -c other
printf '# 2. Other\n' >docs/adr/0002-other.md
commit other
git switch -q -c agent/ps3/work main

asks() {
    log=$("$inspector" --cli -e GATEKEEP_AGENT=ps3 "$gatekeep" mcp --method "$@" 2>&1) || true
    printf '%s\n' "$log" | sed 's/^/    /'
}

case_ 'the tools'
asks tools/list
for tool in name_is_free next_name may_touch scan_change; do says "\"name\": \"$tool\""; done

case_ 'a name that a branch holds'
asks tools/call --tool-name name_is_free --tool-arg namespace=adr-numbers name=0002
says '"free": false'
says 'other'

case_ 'a free name'
asks tools/call --tool-name name_is_free --tool-arg namespace=adr-numbers name=0003
says '"free": true'

case_ 'the next name'
asks tools/call --tool-name next_name --tool-arg namespace=adr-numbers slug=cache-policy
says 'docs/adr/0003-cache-policy.md'

case_ 'files in and outside the lane'
asks tools/call --tool-name may_touch --tool-arg path=docs/x.md
says '"may": true'
asks tools/call --tool-name may_touch --tool-arg path=ops/x.yml
says '"may": false'
says 'ps3'

case_ 'a change with an error'
printf '# 1. Again\n' >docs/adr/0001-again.md
asks tools/call --tool-name scan_change
says '"errors": [1-9]'
says '0001-again.md'

case_ 'what no tool takes'
asks tools/call --tool-name next_name --tool-arg namespace=nonsense
says '"isError": true'

finish
