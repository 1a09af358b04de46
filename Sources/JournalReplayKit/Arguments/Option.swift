import JournalStore

/// One option of a command, as the parser, the help and the completions see it.
protocol OptionRow: Sendable {
    /// Without the dashes.
    var name: String { get }
    var short: Character? { get }
    /// The name of the value in help; nil if the option takes no value.
    var placeholder: String? { get }
    var help: String { get }
    var completion: Completion { get }
    /// Whether it may be given several times.
    var isRepeatable: Bool { get }
    /// Whether the command refuses to run without it.
    var isRequired: Bool { get }

    /// The error for an invalid value; nil if the value is valid.
    func complaint(about value: String) -> UsageError?
}

extension OptionRow {
    /// The option with the name of its value: `--at STEP`.
    var usage: String { "--" + name + (placeholder.map { " " + $0 } ?? "") }

    /// The help, with the words that the option accepts.
    var helpWithWords: String {
        guard case .words(let words) = completion else { return help }
        return help + " One of \(words.joined(separator: ", "))."
    }
}

/// What a shell offers to complete an argument.
enum Completion: Hashable, Sendable {
    case nothing
    case files
    case words([String])
    case commands
}

/// An option without a value.
struct Flag: OptionRow {
    let name: String
    var short: Character?
    let help: String

    var placeholder: String? { nil }
    var completion: Completion { .nothing }
    /// A second flag says the same as the first.
    var isRepeatable: Bool { true }
    var isRequired: Bool { false }

    init(_ name: String, short: Character? = nil, help: String) {
        self.name = name
        self.short = short
        self.help = help
    }

    func complaint(about value: String) -> UsageError? { nil }
}

/// An option with a value.
struct Option<Value: Sendable>: OptionRow {
    let name: String
    let short: Character?
    let placeholder: String?
    private(set) var help: String
    let completion: Completion
    private(set) var isRepeatable = false
    private(set) var isRequired = false
    /// The accepted values, as the end of the sentence "'--last' takes …".
    let expected: String
    let read: @Sendable (String) -> Value?

    init(
        _ name: String, short: Character? = nil, _ placeholder: String, help: String, completion: Completion = .nothing,
        expected: String, read: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.help = help
        self.completion = completion
        self.expected = expected
        self.read = read
    }

    /// The same option as a list of values.
    var asList: Self {
        var list = self
        list.isRepeatable = true
        list.help += " May be given several times."
        return list
    }

    /// The same option for a command that needs it: the usage line and the help show that.
    var asRequired: Self {
        var option = self
        option.isRequired = true
        option.help += " Required."
        return option
    }

    func complaint(about value: String) -> UsageError? {
        guard read(value) == nil else { return nil }
        var error = UsageError("'--\(name)' takes \(expected)", butNot: value)
        if case .words(let words) = completion { error.suggestion = Suggestion.closest(to: value, among: words) }
        return error
    }
}

// MARK: The kinds of values

extension Option<String> {
    static func text(_ name: String, _ placeholder: String, help: String) -> Self {
        Option(name, placeholder, help: help, expected: "a text") { $0 }
    }
}

extension Option<String> {
    static func file(_ name: String, _ placeholder: String, help: String) -> Self {
        Option(name, placeholder, help: help, completion: .files, expected: "a path") { $0 }
    }
}

extension Option<Int> {
    static func count(
        _ name: String, short: Character? = nil, _ placeholder: String, least: Int = 1, help: String, most: Int = .max
    ) -> Self {
        let expected =
            most == .max ? "a number of \(least) or more" : "a number from \(least) to \(Quantity.grouped(most))"
        return Option(name, short: short, placeholder, help: help, expected: expected) { text in
            Int(digits: text).flatMap { (least...most).contains($0) ? $0 : nil }
        }
    }

    /// A number of seconds, up to a day.
    static func seconds(_ name: String, help: String) -> Self {
        count(name, "SECONDS", help: help, most: 86_400)
    }
}

extension Option<Timestamp> {
    static func time(_ name: String, help: String) -> Self {
        Option(name, "TIME", help: help, expected: Timestamp.examples) { Timestamp(argument: $0) }
    }
}

extension Option where Value: Sendable {
    /// An option whose value is one of a fixed set of words.
    static func word(
        _ name: String, _ placeholder: String, help: String, _ values: [(word: String, value: Value)]
    ) -> Self {
        let words = values.map(\.word)
        return Option(
            name, placeholder, help: help, completion: .words(words),
            expected: "one of " + words.joined(separator: ", ")
        ) { text in values.first { $0.word == text }?.value }
    }
}
