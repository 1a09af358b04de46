import JournalStore

/// The name of an action: what `Codable` makes of an enum's case. `{"pay":{}}` and `"pay"` are both called pay.
enum ActionName {
    /// nil where the text is neither an object with a key nor a text.
    static func of(_ action: String) -> String? {
        var rest = action.utf8[...]
        skipBlanks(&rest)
        if rest.first == UInt8(ascii: "{") {
            rest.removeFirst()
            skipBlanks(&rest)
        }
        return JSONDocument.takeText(from: &rest)
    }

    private static func skipBlanks(_ rest: inout Substring.UTF8View) {
        while let byte = rest.first, byte == 0x20 || (0x09...0x0D).contains(byte) { rest.removeFirst() }
    }
}
