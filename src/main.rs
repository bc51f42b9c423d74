//! The program: parse, run, print a fatal error, return the status; nothing else.

fn main() -> std::process::ExitCode {
    gatekeep::cli::main()
}
