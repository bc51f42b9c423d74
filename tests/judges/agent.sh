# What claude.sh, codex.sh and gemini.sh share: a repository with a lane, a model that is played, and the cases. `asks_for PATH` is theirs: it has the agent
# write a file, and leaves in $log what the model was told.
# shellcheck shell=bash disable=SC2154 # `work` and `repository` come from cases.sh

# The repository, in which the agent named by its folder is in use.
fenced() {
    repository fenced
    printf '[agents.ps3]\nowns = ["lib/**", "supabase/**"]\n' >gatekeep.toml
    mkdir -p lib ops "$1" supabase/migrations
    touch lib/a.ts ops/a.yml "$1/README" supabase/config.toml supabase/migrations/20260101000000_init.sql
    gatekeep init --hooks --yes >/dev/null
    commit base
    git branch -M main
    git switch -q -c agent/ps3/work
}

played_model() {
    node "$1/tests/judges/fake_model.mjs" "$work/model" >"$work/port" &
    model=$!
    trap 'kill "$model" 2>/dev/null; rm -rf "$work"' EXIT
    until [[ -s "$work/port" ]]; do sleep 0.1; done
    url=http://127.0.0.1:$(cat "$work/port")
}

told() {
    log=$(cat "$work/model")
    sort -u "$work/model" | cut -c1-300 | sed 's/^/    the model was told: /'
}

cases() {
    case_ 'a file outside the lane'
    asks_for ops/new.yml
    [[ ! -e ops/new.yml ]] || wrong 'the file is there'
    says 'ops/new.yml.*ps3'

    case_ 'a file in the lane'
    asks_for lib/new.ts
    is "$(cat lib/new.ts)" x
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
}
