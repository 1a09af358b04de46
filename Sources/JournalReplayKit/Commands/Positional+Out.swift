extension Positional {
    /// The file that a command creates.
    static let out = Positional(name: "OUT", help: "The file to create; it must not exist.")
}

extension Arguments {
    /// A file to create, which is named in an argument.
    ///
    /// - Throws: ``UsageError`` for `-`: only `export` writes to standard output.
    static func newFile(_ path: String) throws(UsageError) -> String {
        guard path != "-" else {
            throw UsageError("This command does not write to standard output: name a file; ./- is one named '-'.")
        }
        return path
    }
}
