/// The unit of a row's numbers.
enum Unit: String, Sendable {
    /// Entries per second; more is better.
    case rate
    /// Seconds; less is better.
    case time
    /// Bytes of memory.
    case memory
    /// Bytes of a file.
    case bytes

    /// A number with its unit.
    func text(_ value: Double) -> String {
        switch self {
        case .rate: NumberText.grouped(value) + "/s"
        case .time:
            switch value {
            case ..<0.001: NumberText.decimal(value * 1_000_000, 0) + " µs"
            case ..<1: NumberText.decimal(value * 1_000, 1) + " ms"
            default: NumberText.decimal(value, 2) + " s"
            }
        case .memory: NumberText.decimal(value / 1_048_576, 1) + " MiB"
        case .bytes: NumberText.decimal(value, 1) + " B"
        }
    }

    /// The ratio library / floor: a fraction of the rate, or a multiple of the time.
    func ratioText(_ value: Double) -> String {
        self == .rate ? NumberText.decimal(value, 2) : NumberText.decimal(value, 2) + " x"
    }
}
