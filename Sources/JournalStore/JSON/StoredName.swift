/// The stored name of a type: the same at every launch.
package struct StoredName: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }

    package init?(intValue: Int) { nil }

    /// The qualified name, without the address in the name of a private or local type.
    static func of(_ type: Any.Type) -> String {
        var name = String(reflecting: type)
        // Names of the standard library are stored without their module.
        if name.hasPrefix("Swift.") { name.removeFirst("Swift.".count) }
        for bracket in ["<", "(", " "] { name = name.replacing("\(bracket)Swift.", with: bracket) }
        guard name.contains("(unknown context at ") else { return name }
        var stripped = ""
        var rest = Substring(name)
        while let start = rest.firstRange(of: "(unknown context at "),
            let end = rest[start.upperBound...].firstRange(of: ").")
        {
            stripped += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return stripped + rest
    }

    /// The name of an enum's case, followed by the case inside it if the payload is an enum again: `counter.increment`.
    ///
    /// For a value that is not an enum, or whose case has no name, it is the name of its type.
    package static func ofCase<Value>(_ value: Value) -> String { caseName(of: value).name }

    /// The name of a value's case.
    struct CaseName: Sendable {
        var name: String
        /// The name that version 0.1.0 gave the case, if that was another one: where the innermost case has no payload
        /// and its enum a description of its own, it left the case out. Live effects are recorded with such names.
        var earlierName: String?
    }

    static func caseName<Value>(of value: Value) -> CaseName {
        // A custom mirror could show something else for each value.
        guard let tag = EnumTag<Value>()?.of(value), !(Value.self is any CustomReflectable.Type) else {
            return reflected(value).found
        }
        let enumCase = CaseOfType(type: ObjectIdentifier(Value.self), tag: tag)
        if let found = known.withLock({ $0[enumCase] }) { return found }
        let (found, hasPayload) = reflected(value)
        if !hasPayload { known.withLock { $0[enumCase] = found } }
        return found
    }

    /// The names of cases without payload that were asked for before: reflection takes ten microseconds.
    private static let known = Lock<[CaseOfType: CaseName]>([:])

    private struct CaseOfType: Hashable {
        var type: ObjectIdentifier
        var tag: Int
    }

    private static func reflected(_ value: Any) -> (found: CaseName, hasPayload: Bool) {
        var (names, earlierNames): ([String], [String]) = ([], [])
        var value = value
        var hasPayload = false
        // At most eight levels: a deep tree of cases is not a useful name.
        while names.count < 8 {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .enum else { break }
            guard let payload = mirror.children.first else {
                // A mirror does not tell a case without payload. Its own description may contain anything.
                if let described = value as? any CustomStringConvertible {
                    names += nameOfCase(described)
                } else if let described = value as? any CustomDebugStringConvertible {
                    names += nameOfCase(described)
                } else if let described = value as? any TextOutputStreamable {
                    names += nameOfCase(described)
                } else {
                    names.append("\(value)")
                    earlierNames = names
                }
                break
            }
            hasPayload = true
            guard let label = payload.label else { break }
            names.append(label)
            earlierNames = names
            value = payload.value
        }
        func joined(_ names: [String]) -> String { names.isEmpty ? of(type(of: value)) : names.joined(separator: ".") }
        let earlierName = earlierNames == names ? nil : joined(earlierNames)
        return (CaseName(name: joined(names), earlierName: earlierName), hasPayload)
    }

    /// The name of an enum's case in the program; none if the value is not an enum.
    private static func nameOfCase<Value>(_ value: Value) -> [String] {
        guard let tag = EnumTag<Value>(), let name = EnumFields(of: Value.self)?.name(tag.of(value)) else { return [] }
        return [name]
    }
}
