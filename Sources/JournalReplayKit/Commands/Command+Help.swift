extension Command {
    /// `help [COMMAND]`
    static let help = Command(
        name: "help",
        summary: "Show the help of the program, or of a command.",
        positionals: [topic],
        work: .help)

    /// The command that help is asked for.
    static let topic = Positional(
        name: "COMMAND", help: "The command; none for the program.", completion: .commands, isOptional: true)
}
