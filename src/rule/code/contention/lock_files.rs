//! Files that a package manager writes whole: nobody merges them, they are made again.

/// Names of lock files, sorted.
const LOCK_FILES: [&str; 45] = [
    ".terraform.lock.hcl",
    "Berksfile.lock",
    "Brewfile.lock.json",
    "Cargo.lock",
    "Cartfile.resolved",
    "Chart.lock",
    "Gemfile.lock",
    "Gopkg.lock",
    "MODULE.bazel.lock",
    "Manifest.toml",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "buf.lock",
    "bun.lock",
    "bun.lockb",
    "cabal.project.freeze",
    "composer.lock",
    "conan.lock",
    "conda-lock.yml",
    "deno.lock",
    "flake.lock",
    "gems.locked",
    "glide.lock",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "paket.lock",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "pylock.toml",
    "rebar.lock",
    "renv.lock",
    "shard.lock",
    "stack.yaml.lock",
    "uv.lock",
    "vcpkg-lock.json",
    "yarn.lock",
];

/// Whether a file with this name (without its folder) is a lock file.
pub(super) fn is_lock_file(name: &[u8]) -> bool {
    LOCK_FILES.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_of_all_ecosystems_are_known() {
        let all = "package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb Cargo.lock poetry.lock uv.lock Pipfile.lock \
            Gemfile.lock composer.lock go.sum flake.lock mix.lock pubspec.lock Podfile.lock packages.lock.json \
            gradle.lockfile deno.lock pdm.lock npm-shrinkwrap.json Package.resolved";
        for name in all.split_whitespace() {
            assert!(is_lock_file(name.as_bytes()), "{name}");
        }
        for name in ["package.json", "Cargo.toml", "lock", "my-yarn.lock", "yarn.lock.bak"] {
            assert!(!is_lock_file(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn names_are_sorted() {
        assert!(LOCK_FILES.is_sorted());
    }
}
