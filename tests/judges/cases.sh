# What the scripts beside this file share: a folder that is thrown away, repositories in it, and cases that count.
# shellcheck shell=bash disable=SC2164 # they run under `set -e`

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

needs() {
    command -v "$1" >/dev/null || { echo "$1 is not on the PATH: $2" >&2; exit 2; }
}

# The settings and the tools of the person who runs this have no say.
git_identity() {
    export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
    mkdir -p "$HOME"
    git config --global user.name judge
    git config --global user.email judge@example.invalid
    git config --global init.defaultBranch main
    unset GITHUB_TOKEN GH_TOKEN GATEKEEP_AGENT
}

# A new repository, and into it.
repository() {
    repository=$work/$1
    git init -q "$repository"
    cd "$repository"
    git remote add origin "https://github.com/acme/$1.git"
}

commit() {
    git add -A
    git commit -q -m "$1"
}

case_() {
    case_name=$1
    echo "· $1"
}

wrong() {
    failures=$((failures + 1))
    printf '  WRONG in «%s»: %s\n' "$case_name" "$1"
}

is() {
    [[ "$1" == "$2" ]] || { wrong "is \`$1\`, and should be \`$2\`"; printf '%s\n' "${log-}" | tail -15 | sed 's/^/    /'; }
}

says() {
    grep -Eq -- "$1" <<<"$log" || { wrong "nothing matches \`$1\` in"; printf '%s\n' "$log" | sed 's/^/    /'; }
}

lacks() {
    ! grep -Eq -- "$1" <<<"$log" || wrong "this matches \`$1\`: $(grep -E -- "$1" <<<"$log" | head -3)"
}

finish() {
    if [[ $failures != 0 ]]; then
        echo "$failures wrong"
        exit 1
    fi
    echo "all as it should be"
}
