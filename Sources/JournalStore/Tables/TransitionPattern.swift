/// Which inputs, or which states, a row of a ``TransitionTable`` matches.
///
/// In a row, a value, a predicate and ``any`` need no pattern: the operators make it. Use a pattern to give a predicate
/// a name for diagrams, or to match several values or a case with a payload.
///
/// ```swift
/// [.logout, .forceLogout] | .where("canLogOut", canLogOut) => .loggingOut,
/// .case(Input.loginOK) | .loggingIn => .loggedIn,
/// ```
public struct TransitionPattern<Value: Sendable>: Sendable {
    enum Kind: Sendable {
        case any
        case values([Value])
        case predicate
        /// - Parameter isDecided: whether the case of a value decides, and its payload does not matter.
        case enumCase(isDecided: @Sendable (Value) -> Bool)
        case oneOf([TransitionPattern])
    }

    let kind: Kind
    /// The name in diagrams, if there is one.
    let name: String?
    /// Whether a value meets the pattern, given that it is one of ``cases``.
    let test: @Sendable (Value) -> Bool

    private init(_ kind: Kind, name: String? = nil, test: @escaping @Sendable (Value) -> Bool) {
        (self.kind, self.name, self.test) = (kind, name, test)
    }

    /// Matches every value.
    public static var any: TransitionPattern { TransitionPattern(.any) { _ in true } }

    /// Matches the values that meet a condition.
    ///
    /// - Parameters:
    ///   - name: the name in diagrams.
    ///   - condition: the condition. It must be pure, because every replay evaluates it again.
    public static func `where`(
        _ name: String? = nil, _ condition: @escaping @Sendable (Value) -> Bool
    ) -> TransitionPattern {
        TransitionPattern(.predicate, name: name, test: condition)
    }

    /// Matches all values of a case, whatever their payload. For an enum that is `CustomReflectable`, or a payload that
    /// is a function, it matches nothing: use ``where(_:_:)``.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Input.loginOK`. It must pass its payload on unchanged.
    ///   - name: the name in diagrams: a constructor does not know its name.
    public static func `case`<Payload>(
        _ constructor: @escaping @Sendable (Payload) -> Value, _ name: String? = nil
    ) -> TransitionPattern {
        let reader = PayloadReader<Value>()
        // The constructor of a case with an optional can take a value: then nil does not match.
        return TransitionPattern(.enumCase { !reader.unwraps($0, to: Payload.self) }, name: name) {
            reader.payload(of: $0, in: constructor) != nil
        }
    }

    /// Matches the values that one of several patterns matches.
    static func oneOf(_ patterns: [TransitionPattern]) -> TransitionPattern {
        TransitionPattern(.oneOf(patterns)) { value in patterns.contains { $0.test(value) } }
    }

    /// Matches the payloads for which a case path extracts something.
    static func path<Payload>(_ path: CasePath<Value, Payload>, name: String?) -> TransitionPattern {
        TransitionPattern(.enumCase { _ in false }, name: name) { path.extract(from: $0) != nil }
    }
}

extension TransitionPattern where Value: Equatable {
    /// Matches equal values of the same case.
    public static func values(_ values: [Value]) -> TransitionPattern {
        // `==` may call values of different cases equal, but the index looks at the cases first.
        let tag = EnumTag<Value>()
        return TransitionPattern(.values(values)) { value in
            values.contains { $0 == value && tag?.of($0) == tag?.of(value) }
        }
    }
}

extension TransitionPattern: ExpressibleByArrayLiteral where Value: Equatable {
    /// Matches equal values of the same case.
    public init(arrayLiteral values: Value...) {
        self = .values(values)
    }
}

extension TransitionPattern: CustomStringConvertible {
    /// The pattern as diagrams print it: the values, or the name of the predicate in brackets.
    public var description: String {
        switch kind {
        case .any: "any"
        case .values(let values): TransitionPattern.text(of: values)
        case .predicate: "[\(name ?? "predicate")]"
        case .enumCase: name ?? "[case]"
        case .oneOf(let patterns): patterns.map(\.description).joined(separator: ", ")
        }
    }

    /// Values as diagrams print them.
    static func text(of values: [Value]) -> String { values.map { "\($0)" }.joined(separator: ", ") }

    /// The guard that a diagram prints beside the values: the name of a predicate.
    var guardText: String? {
        if case .predicate = kind { description } else { nil }
    }
}

/// Matches every input or every state in a row of a ``TransitionTable``: the type of ``any``.
public struct Anything: Sendable {}

/// Matches every input or every state: `.reset | any => .idle`.
public let any = Anything()
