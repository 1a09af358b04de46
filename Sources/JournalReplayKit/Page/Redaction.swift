import JournalStore

/// Leaves payloads out: the values of members that a path names, in every action, state and effect.
///
/// A path matches at any depth, so that a member that moves is not revealed: `card` matches each member `card`,
/// `payment.card` each `card` directly in a `payment`. `*` is any name or index, and alone also a whole value.
///
/// `Codable` writes `_0` between a case and its value without a label. People do not see it, and need not write it:
/// `payment.card` also matches the card of `{"payment":{"_0":{"card":1}}}`.
struct Redaction: Sendable {
    private let paths: [StatePath]
    /// The path `*`, if it is one of them.
    private let whole: StatePath?
    private let matches = RedactionMatches()

    /// What stands for a value that was left out.
    static let mark = "‹left out›"

    init(_ paths: [StatePath]) {
        self.paths = paths.filter { !$0.steps.isEmpty }
        whole = paths.first { $0.steps == ["*"] }
    }

    static let option = Option<StatePath>(
        "redact", "PATH", help: "Leave out the values at this path.",
        expected: "a path such as payment.card, or * for all values"
    ) { text in
        // The empty path, a whole state elsewhere, would leave out nothing.
        (try? StatePath(text)).flatMap { $0.steps.isEmpty ? nil : $0 }
    }.asList

    var isEmpty: Bool { paths.isEmpty }

    /// The paths that have matched nothing so far.
    var unmatched: [StatePath] { paths.filter { !matches.contain($0) } }

    /// A stored text that should be JSON, as text.
    func json(_ text: String) -> String {
        isEmpty ? text : value(of: text).json
    }

    /// The value of a stored text that should be JSON. If it is not, no path says what is in it, so all of it is left
    /// out.
    func value(of text: String) -> JSON {
        guard let value = JSON(text) else { return .text(isEmpty ? text : Redaction.mark) }
        return apply(value)
    }

    private func apply(_ value: JSON) -> JSON {
        guard !isEmpty else { return value }
        switch value {
        case .object, .list: return walk(value, [])
        default:
            guard let whole else { return value }
            matches.add(whole)
            return .text(Redaction.mark)
        }
    }

    /// Text that people or libraries wrote, such as an error: it can quote any payload.
    func prose(_ text: String?) -> String? {
        isEmpty ? text : text.map { _ in Redaction.mark }
    }

    /// An ID: JSON with the name of its type.
    func id(_ text: String?) -> String? {
        text.map(json)
    }

    private func walk(_ value: JSON, _ way: [String]) -> JSON {
        switch value {
        case .object(let members):
            .object(members.map { JSON.Member(key: $0.key, value: part($0.value, way + [$0.key])) })
        case .list(let elements):
            .list(elements.enumerated().map { part($0.element, way + [String($0.offset)]) })
        default: value
        }
    }

    private func part(_ value: JSON, _ way: [String]) -> JSON {
        let named = paths.filter { Redaction.names($0.steps, way) }
        guard !named.isEmpty else { return walk(value, way) }
        for path in named { matches.add(path) }
        // Another path can match a part of what is left out.
        if paths.count > 1 { _ = walk(value, way) }
        return .text(Redaction.mark)
    }

    private static func names(_ path: [String], _ way: [String]) -> Bool {
        isEnd(path, of: way) || way.contains("_0") && isEnd(path, of: way.filter { $0 != "_0" })
    }

    private static func isEnd(_ path: [String], of way: [String]) -> Bool {
        path.count <= way.count && zip(path, way.suffix(path.count)).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
