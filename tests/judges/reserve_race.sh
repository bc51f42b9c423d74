#!/bin/sh
# Many processes reserve the next free name on one remote at once, and some of them are killed on the way.
#
#   tests/judges/reserve_race.sh PROGRAM daemon|http|file COUNT [KILLED]
#
# COUNT clones of one repository each run `gatekeep reserve` as an agent of their own; KILLED of them (default: none) are killed at a random
# moment, and then run again. What must hold afterwards, by git's own word on the remote:
#   - every process that ended by itself printed one key, and all keys are different;
#   - every key that was printed is held on the remote, by the agent that it was printed for;
#   - the keys follow each other without a gap: nobody jumped ahead.
# `daemon` needs `git daemon`, `http` needs lighttpd (Debian: apt-get install lighttpd) for git's own smart HTTP.
set -eu
program=$(realpath "$1") way=$2 count=$3 killed=${4:-0}
work=$(mktemp -d)
server=
cleanup() { [ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$work"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$work" TMPDIR="$work/tmp"
unset GATEKEEP_AGENT GIT_DIR 2>/dev/null || :
port=$((20000 + $$ % 20000))
mkdir -p "$work/srv" "$work/tmp" "$work/out"

git init -q -b main "$work/first"
mkdir -p "$work/first/docs/adr"
echo '# 1' > "$work/first/docs/adr/0001-x.md"
git -C "$work/first" add -A
git -C "$work/first" -c user.name=x -c user.email=x@example.org commit -qm first
git clone -q --bare "$work/first" "$work/srv/repo.git"
git -C "$work/srv/repo.git" config http.receivepack true

case $way in
file) url=file://$work/srv/repo.git ;;
daemon)
    git daemon --base-path="$work/srv" --export-all --enable=receive-pack --listen=127.0.0.1 --port="$port" --reuseaddr &
    server=$!
    url=git://127.0.0.1:$port/repo.git ;;
http)
    cat > "$work/lighttpd.conf" <<END
server.document-root = "$work/srv"
server.port = $port
server.bind = "127.0.0.1"
server.modules = ("mod_alias", "mod_setenv", "mod_cgi")
alias.url = ("/git" => "$(git --exec-path)/git-http-backend")
\$HTTP["url"] =~ "^/git" {
    cgi.assign = ("" => "")
    setenv.add-environment = ("GIT_PROJECT_ROOT" => "$work/srv", "GIT_HTTP_EXPORT_ALL" => "1", "REMOTE_USER" => "agent")
}
END
    lighttpd -D -f "$work/lighttpd.conf" 2> "$work/lighttpd.log" &
    server=$!
    url=http://127.0.0.1:$port/git/repo.git ;;
*) echo "daemon, http or file" >&2; exit 2 ;;
esac
for _ in 1 2 3 4 5 6 7 8 9 10; do git ls-remote -q "$url" > /dev/null 2>&1 && break; sleep 0.3; done
git clone -q "$url" "$work/clone"
n=1; while [ "$n" -le "$count" ]; do cp -r "$work/clone" "$work/c$n"; n=$((n + 1)); done

one() { # one agent's run: the key goes to a file of its own, the exit status to another
    rc=0
    (cd "$work/c$1" && exec "$program" reserve adr-numbers --agent "agent$1") > "$work/out/$1.key" 2> "$work/out/$1.err" || rc=$?
    echo "$rc" > "$work/out/$1.rc"
}
start=$(date +%s)
n=1
while [ "$n" -le "$count" ]; do
    if [ "$n" -le "$killed" ]; then
        (
            cd "$work/c$n" && "$program" reserve adr-numbers --agent "agent$n" > "$work/out/$n.lost" 2>/dev/null &
            pid=$!
            sleep "$(awk -v seed="$n$$" -v most="$count" 'BEGIN { srand(seed); print rand() * most / 5 }')"
            kill -9 "$pid" 2>/dev/null || :
        ) &
    else
        one "$n" &
    fi
    pids="${pids:-} $!"
    n=$((n + 1))
done
for pid in $pids; do wait "$pid" || :; done
first=$(($(date +%s) - start))
n=1; while [ "$n" -le "$killed" ]; do one "$n"; n=$((n + 1)); done

fail=0
say() { echo "FAIL: $*"; fail=1; }
n=1
while [ "$n" -le "$count" ]; do
    [ "$(cat "$work/out/$n.rc")" = 0 ] || say "agent$n ended with $(cat "$work/out/$n.rc"): $(cat "$work/out/$n.err")"
    n=$((n + 1))
done
# what the remote holds, by git alone: key and agent of each reservation
git -C "$work/srv/repo.git" for-each-ref --format='%(contents:subject)' refs/gatekeep/claims |
    awk '{ print $2, $NF }' | sort > "$work/held"
printed=$(cat "$work"/out/*.key | sort)
[ "$(echo "$printed" | uniq -d | wc -l)" = 0 ] || say "printed twice: $(echo "$printed" | uniq -d | tr '\n' ' ')"
n=1
while [ "$n" -le "$count" ]; do
    for key in $(cat "$work/out/$n.key" "$work/out/$n.lost" 2>/dev/null); do
        grep -qx "$key agent$n" "$work/held" || say "agent$n was told $key, and the remote holds: $(grep "^$key " "$work/held" || echo nothing)"
    done
    n=$((n + 1))
done
held=$(wc -l < "$work/held") last=$(tail -1 "$work/held" | cut -d' ' -f1 | sed 's/^0*//')
[ "$last" = $((held + 1)) ] || say "$held names are held, and the last of them is $last"
[ "$(find "$work/srv/repo.git" -name '*.lock' | wc -l)" = 0 ] || echo "note: the server left lock files behind"
left=$(find "$work/tmp" -maxdepth 1 -name 'gatekeep-*' | wc -l)
grep -c . "$work/held" > /dev/null
echo "$way: $count processes, $killed killed: $(echo "$printed" | sort -u | wc -l) different keys printed, $held held," \
    "the last $last, $first s; $left temporary folders of killed ones left"
exit $fail
