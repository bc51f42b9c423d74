#!/usr/bin/env bash
# Reads the action, the workflows and the manifest of hooks with the linters of others: `pip install -r tests/judges/requirements.txt`.
# Workflows that the documents tell people to paste are read too.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in zizmor actionlint check-jsonschema pre-commit; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: pip install -r tests/judges/requirements.txt" >&2; exit 2; }
done
pasted=$(mktemp -d)
trap 'rm -rf "$pasted"' EXIT
mkdir -p "$pasted/.github/workflows"
git init -q "$pasted" # actionlint looks for the top of a repository

# Every block of YAML in a document that is a workflow as a whole: it says `on:` at its beginning.
awk -v folder="$pasted/.github/workflows" '
    FNR == 1 { within = 0 }
    /^```yaml/ { within = 1; text = ""; next }
    /^```/ && within { within = 0; if (text ~ /(^|\n)on:/) { printf "%s", text > (folder "/" ++count ".yml") } next }
    within { text = text $0 "\n" }
    END { if (!count) { print "no workflow in the documents" > "/dev/stderr"; exit 1 } }
' README.md docs/*.md

said() { echo "+ $*"; "$@"; }
said zizmor --offline --no-progress --persona pedantic .
said actionlint
said check-jsonschema --builtin-schema vendor.github-actions action.yml
said check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
said check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
said pre-commit validate-manifest .pre-commit-hooks.yaml
said check-jsonschema --builtin-schema vendor.github-workflows "$pasted"/.github/workflows/*.yml
(cd "$pasted" && said actionlint)
# what people paste names this action by a tag that moves, and all others by their commits
cat >"$pasted/zizmor.yml" <<'YAML'
rules:
  unpinned-uses:
    config:
      policies:
        gatekeep-cli/*: ref-pin
        '*': hash-pin
YAML
said zizmor --offline --no-progress --config "$pasted/zizmor.yml" "$pasted/.github/workflows"
