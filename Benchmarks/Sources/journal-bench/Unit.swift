/// What the numbers of a row count.
enum Unit: String, Sendable {
    /// So many a second; more is better.
    case rate
    /// Seconds; less is better.
    case time
    /// Bytes of memory.
    case memory
    /// Bytes of a file.
    case bytes

    /// A number as people read it.
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

    /// What the library is beside its floor: a part of its rate, or so many times its time.
    func ratioText(_ value: Double) -> String {
        self == .rate ? NumberText.decimal(value, 2) : NumberText.decimal(value, 2) + " x"
    }
}
