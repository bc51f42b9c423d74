# Gets a gatekeep for the action. `action/run.sh` reads this file; nothing runs by itself.
# shellcheck shell=bash disable=SC2154,SC2164 # what `action/run.sh` sets

# Where the archives of releases are. A mirror will do: what comes from it has to have the checksum that the action carries.
releases=${GATEKEEP_RELEASES:-https://github.com/gatekeep-cli/gatekeep/releases/download}
sources=$(cd "$here/.." && pwd)

# Says why there is nothing to run, where people look. Status 2, as for all that can't be used.
stop() {
    local text=$1
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '::error title=gatekeep::%s\n' "${text//$'\n'/%0A}"
    exit 2
}

# Windows takes both kinds of slash; bash's own tools only this one.
slashes() {
    if [[ "${RUNNER_OS-}" == Windows ]]; then printf '%s\n' "${1//\\//}"; else printf '%s\n' "$1"; fi
}

# The digest of what comes in; a name on the command line would change how some print it.
sha256() {
    local line
    if command -v sha256sum >/dev/null; then line=$(sha256sum); else line=$(shasum -a 256); fi
    printf '%s\n' "${line%% *}"
}

# What releases call this machine; nothing where there are none for it.
target() {
    case "${RUNNER_OS-}-${RUNNER_ARCH-}" in
        Linux-X64) echo x86_64-unknown-linux-musl ;;
        Linux-ARM64) echo aarch64-unknown-linux-musl ;;
        macOS-X64) echo x86_64-apple-darwin ;;
        macOS-ARM64) echo aarch64-apple-darwin ;;
        Windows-X64) echo x86_64-pc-windows-msvc ;;
        Windows-ARM64) echo aarch64-pc-windows-msvc ;;
    esac
}

# The checksum of an archive, as the action carries it; nothing where it carries none.
checksum() {
    awk -v name="$1" '$2 == name || $2 == "*" name { print $1; exit }' "$here/checksums.txt"
}

# The version of the action's own sources.
own_version() {
    awk -F'"' '/^version *=/ { print $2; exit }' "$sources/Cargo.toml"
}

# Sets `gatekeep` to the program for what the input `version` asks for.
obtain() {
    local version=${1#v} tag archive
    exe=gatekeep
    if [[ "${RUNNER_OS-}" == Windows ]]; then exe=gatekeep.exe; fi
    cache=$(slashes "${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:-/tmp}}")/gatekeep
    if [[ "$version" == source ]]; then
        build
        return
    fi
    if [[ -n "$version" && ! "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]]; then
        stop "\`version\` is a version such as 0.1.0, or \`source\`, and not \`$version\`"
    fi
    tag=v${version:-$(own_version)}
    archive=gatekeep-$tag-$(target).tar.gz
    if [[ -n "$(checksum "$archive")" ]]; then
        release "$tag" "$archive" "$(checksum "$archive")"
    elif [[ -n "$version" ]]; then
        stop "this commit of the action knows no checksum of $archive; use a later commit of it, or leave \`version\` out"
    else
        build
    fi
}

# Unpacks a release. The archive is kept, and looked at anew each time: whoever can write the cache can't change what runs.
release() {
    local tag=$1 archive=$2 sum=$3 kept=$cache/$2 folder
    if [[ ! -f "$kept" || "$(sha256 <"$kept")" != "$sum" ]]; then
        mkdir -p "$cache"
        download "$releases/$tag/$archive" "$kept" "$sum"
    fi
    folder=$(mktemp -d "$(slashes "${RUNNER_TEMP:-/tmp}")/gatekeep.XXXXXX")
    tar -xzf - -C "$folder" "$exe" <"$kept" || stop "$archive holds no $exe"
    gatekeep=$folder/$exe
}

# Downloads an archive, and lets it into the cache only if it is the right one.
download() {
    local from=$1 kept=$2 sum=$3 got part
    part=$(mktemp "$kept.XXXXXX")
    if command -v curl >/dev/null; then
        curl -fsSL --retry 3 --connect-timeout 20 --max-time 300 -o "$part" "$from" || got=none
    else
        wget -q --tries=3 --timeout=60 -O "$part" "$from" || got=none
    fi
    if [[ "${got-}" == none ]]; then
        rm -f "$part"
        stop "$from could not be downloaded. GATEKEEP_RELEASES may name a mirror, \`bin\` a program that is there, and \`version: source\` builds one"
    fi
    got=$(sha256 <"$part")
    if [[ "$got" != "$sum" ]]; then
        rm -f "$part"
        stop "$from is not what was released: its SHA-256 is $got, and should be $sum. It was not run"
    fi
    mv -f "$part" "$kept"
}

# Builds the action's own sources, once for each state of them. What cargo looks for in the folders above is looked for there too, and not
# in the checkout that is to be judged: its settings could name programs to run.
build() {
    local files digest root
    cd "$sources"
    files=$(find Cargo.toml Cargo.lock src rules -type f | LC_ALL=C sort)
    digest=$({ echo "$files" && xargs cat <<<"$files"; } | sha256)
    root=$cache/source-$digest-${RUNNER_OS-}-${RUNNER_ARCH-}
    gatekeep=$root/bin/$exe
    if [[ -x "$gatekeep" ]]; then return; fi
    command -v cargo >/dev/null \
        || stop "there is no release of gatekeep $(own_version) for ${RUNNER_OS-} ${RUNNER_ARCH-} that this commit of the action knows of, and no \`cargo\` to build it with. \`bin\` may name a program that is there"
    printf 'gatekeep: building %s from %s, which takes some minutes\n' "$(own_version)" "$sources" >&2
    cargo install --locked --path . --root "$root" --target-dir "$(slashes "${RUNNER_TEMP:-/tmp}")/gatekeep-build" >&2 \
        || stop "gatekeep could not be built, which needs Rust $(awk -F'"' '/^rust-version *=/ { print $2 }' Cargo.toml) or newer; the log says why"
}
