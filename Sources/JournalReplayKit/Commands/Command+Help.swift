extension Command {
    /// `help [COMMAND]`
    static let help = Command(
        name: "help",
        summary: "Show help for the program, or for a command.",
        positionals: [topic],
        work: .help)

    /// The command to show help for.
    static let topic = Positional(
        name: "COMMAND", help: "The command; without it, the program.", completion: .commands, isOptional: true)
}
