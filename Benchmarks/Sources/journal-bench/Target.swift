/// The bound that the result of a row must meet.
enum Target: Hashable, Sendable {
    case atLeast(Double)
    case atMost(Double)

    /// - Parameter value: as measured, not as printed.
    func isMet(by value: Double) -> Bool {
        switch self {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    var bound: Double {
        switch self {
        case .atLeast(let bound), .atMost(let bound): bound
        }
    }

    func text(_ text: (Double) -> String) -> String {
        switch self {
        case .atLeast(let bound): "at least \(text(bound))"
        case .atMost(let bound): "at most \(text(bound))"
        }
    }
}
