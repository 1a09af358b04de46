extension Positional {
    /// The file that a command creates.
    static let out = Positional(name: "OUT", help: "The file to create; it must not exist.")
}
