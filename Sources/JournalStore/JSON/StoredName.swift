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
    package static func ofCase<Value>(_ value: Value) -> String {
        // A custom mirror could show something else for each value.
        guard let tag = EnumTag<Value>()?.of(value), !(Value.self is any CustomReflectable.Type) else {
            return reflected(value).name
        }
        let enumCase = CaseOfType(type: ObjectIdentifier(Value.self), tag: tag)
        if let name = known.withLock({ $0[enumCase] }) { return name }
        let (name, hasPayload) = reflected(value)
        if !hasPayload { known.withLock { $0[enumCase] = name } }
        return name
    }

    /// The names of cases without payload that were asked for before: reflection takes ten microseconds.
    private static let known = Lock<[CaseOfType: String]>([:])

    private struct CaseOfType: Hashable {
        var type: ObjectIdentifier
        var tag: Int
    }

    private static func reflected(_ value: Any) -> (name: String, hasPayload: Bool) {
        var names: [String] = []
        var value = value
        var hasPayload = false
        // At most eight levels: a deep tree of cases is not a useful name.
        while names.count < 8 {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .enum else { break }
            guard let payload = mirror.children.first else {
                // A case without payload is only known by its description; a custom one may contain anything.
                let isOwn =
                    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
                    || value is any TextOutputStreamable
                if !isOwn { names.append("\(value)") }
                break
            }
            hasPayload = true
            guard let label = payload.label else { break }
            names.append(label)
            value = payload.value
        }
        return (names.isEmpty ? of(type(of: value)) : names.joined(separator: "."), hasPayload)
    }
}
