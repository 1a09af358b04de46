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
    package static func ofCase(_ value: Any) -> String {
        var names: [String] = []
        var value = value
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
            guard let label = payload.label else { break }
            names.append(label)
            value = payload.value
        }
        return names.isEmpty ? of(type(of: value)) : names.joined(separator: ".")
    }
}
