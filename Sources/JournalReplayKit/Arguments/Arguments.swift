/// The parsed arguments of a command; every option value is validated.
struct Arguments: Hashable, Sendable {
    /// The values by option name, in the order they were given; a flag has one empty string per occurrence.
    var options: [String: [String]] = [:]
    /// The command line as it was typed.
    var line: [String] = []
    /// The values by positional name.
    var positionals: [String: String] = [:]

    subscript(flag: Flag) -> Bool {
        options[flag.name] != nil
    }

    /// The value of an option that counts once.
    subscript<Value>(option: Option<Value>) -> Value? {
        all(option).first
    }

    /// All values of an option that may be given several times.
    func all<Value>(_ option: Option<Value>) -> [Value] {
        (options[option.name] ?? []).compactMap(option.read)
    }

    /// Adds an option as it was given; a flag has an empty value.
    mutating func add(_ value: String, of row: any OptionRow) throws(UsageError) {
        guard row.isRepeatable || options[row.name] == nil else { throw UsageError("'--\(row.name)' is given twice.") }
        options[row.name, default: []].append(value)
    }

    /// The value of a positional; empty only if an optional one is omitted.
    subscript(positional: Positional) -> String {
        positionals[positional.name] ?? ""
    }
}
