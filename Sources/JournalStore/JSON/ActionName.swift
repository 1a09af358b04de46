/// The name of an action: its enum case, as `Codable` encodes it. `{"pay":{}}` and `"pay"` both have the name pay.
package enum ActionName {
    /// The name in a stored action; nil if the action is neither a JSON object with a key nor a JSON string.
    package static func of(_ action: String) -> String? {
        var rest = action.utf8[...]
        skipBlanks(&rest)
        if rest.first == UInt8(ascii: "{") {
            rest.removeFirst()
            skipBlanks(&rest)
        }
        return JSONDocument.takeText(from: &rest)
    }

    /// The name in a stored action that is a JSON object; nil for a string, which can be a value of the app.
    static func key(of action: String) -> String? {
        var rest = action.utf8[...]
        skipBlanks(&rest)
        return rest.first == UInt8(ascii: "{") ? of(action) : nil
    }

    private static func skipBlanks(_ rest: inout Substring.UTF8View) {
        while let byte = rest.first, byte == 0x20 || (0x09...0x0D).contains(byte) { rest.removeFirst() }
    }
}
