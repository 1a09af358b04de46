/// The name of a type as it is stored: the same at every launch.
struct StoredName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }

    /// The qualified name, without the address that stands in the name of a private or local type.
    static func of(_ type: Any.Type) -> String {
        let name = String(reflecting: type)
        guard name.contains("(unknown context at ") else { return name }
        var stripped = ""
        var rest = Substring(name)
        while let start = rest.firstRange(of: "(unknown context at "), let end = rest[start.upperBound...].firstRange(of: ").") {
            stripped += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return stripped + rest
    }

    /// The name of an enum's case, and of the case inside it where the payload is an enum again: `counter.increment`.
    ///
    /// For a value that is no enum it is the name of its type.
    static func ofCase(_ value: Any) -> String {
        var names: [String] = []
        var value = value
        while true {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .enum else { break }
            guard let payload = mirror.children.first else {
                // A case without payload has no label; what it is called is all that can be said of it.
                names.append("\(value)")
                break
            }
            names.append(payload.label ?? "\(value)")
            value = payload.value
        }
        return names.isEmpty ? of(type(of: value)) : names.joined(separator: ".")
    }
}
