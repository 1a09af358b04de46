/// What a command was given: parsed, and every value checked.
struct Arguments: Hashable, Sendable {
    /// The values by the option's name, in the order they were given; for a flag an empty text each time.
    var options: [String: [String]] = [:]
    /// The words as they were typed.
    var line: [String] = []
    /// The values by the positional's name.
    var positionals: [String: String] = [:]

    subscript(flag: Flag) -> Bool {
        options[flag.name] != nil
    }

    /// The value of an option; the last one where it is given several times.
    subscript<Value>(option: Option<Value>) -> Value? {
        all(option).last
    }

    /// All values of an option that may be given several times.
    func all<Value>(_ option: Option<Value>) -> [Value] {
        (options[option.name] ?? []).compactMap(option.read)
    }

    /// The value of a positional; empty only for an optional one.
    subscript(positional: Positional) -> String {
        positionals[positional.name] ?? ""
    }
}
