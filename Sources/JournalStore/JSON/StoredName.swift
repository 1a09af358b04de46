/// The name of a type as it is stored: the same at every launch.
package struct StoredName: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }

    package init?(intValue: Int) { nil }

    /// The qualified name, without the address that stands in the name of a private or local type.
    static func of(_ type: Any.Type) -> String {
        var name = String(reflecting: type)
        // The standard library's own names are known without their module.
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

    /// The name of an enum's case, and of the case inside it where the payload is an enum again: `counter.increment`.
    ///
    /// For a value that is no enum, and where there is no name to be had, it is the name of its type.
    package static func ofCase(_ value: Any) -> String {
        var names: [String] = []
        var value = value
        // So many cases deep, and no deeper: a tree of cases is no name.
        while names.count < 8 {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .enum else { break }
            guard let payload = mirror.children.first else {
                // Nothing but its description tells a case without payload; where a type has one of its own, that may say anything.
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
