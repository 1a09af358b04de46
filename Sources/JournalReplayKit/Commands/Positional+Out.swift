extension Positional {
    /// What a command makes.
    static let out = Positional(name: "OUT", help: "The file to be made; nothing may stand there.")
}
