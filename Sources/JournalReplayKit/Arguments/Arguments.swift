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

    /// The value of an option; the last one if it is given several times.
    subscript<Value>(option: Option<Value>) -> Value? {
        all(option).last
    }

    /// All values of an option that may be given several times.
    func all<Value>(_ option: Option<Value>) -> [Value] {
        (options[option.name] ?? []).compactMap(option.read)
    }

    /// The value of a positional; empty only if an optional one is omitted.
    subscript(positional: Positional) -> String {
        positionals[positional.name] ?? ""
    }
}
