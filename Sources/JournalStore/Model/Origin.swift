/// Where an entry came from. More can be added: a `switch` needs `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Origin: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The app dispatched it.
    case dispatched = 0
    /// An effect sent it.
    case effect = 1
    /// A restart policy sent it.
    case restart = 2
    /// A linked machine sent it.
    case machine = 3

    /// The word that the SQL view `journal` shows.
    public var description: String {
        switch self {
        case .dispatched: "dispatched"
        case .effect: "effect"
        case .restart: "restart"
        case .machine: "machine"
        }
    }
}

/// Where an entry came from, as it is stored.
enum StoredOrigin: Int, Hashable, Sendable {
    case dispatched = 0
    case effect = 1
    case restart = 2
    case machine = 3
    /// An effect sent it, and it counts only if that effect is still live when its turn comes.
    case provisional = 4

    init(_ origin: Origin, isProvisional: Bool) {
        self =
            switch origin {
            case .dispatched: .dispatched
            case .effect: isProvisional ? .provisional : .effect
            case .restart: .restart
            case .machine: .machine
            }
    }

    var origin: Origin {
        switch self {
        case .dispatched: .dispatched
        case .effect, .provisional: .effect
        case .restart: .restart
        case .machine: .machine
        }
    }
}
