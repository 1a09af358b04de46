import JournalStore

/// A short form of an action: `add item: "Tea"` for `{"add":{"item":"Tea"}}`, `pay` for `{"pay":{}}` and for `"pay"`.
enum ShortAction {
    /// Of a longer action only the name is shown: the rest would not fit the line, and a list has hundreds of lines.
    private static let longest = 4_000

    /// The short form, on one line and escaped for a terminal.
    static func of(_ action: String) -> String {
        guard action.utf8.count <= longest else {
            return SafeText.escape(ActionName.of(action) ?? String(action.prefix(200))) + " …"
        }
        return JSONDocument.read(action, short) ?? SafeText.escape(action)
    }

    /// An action; of a longer one its beginning, and its length.
    static func beginning(of action: String) -> String {
        let bytes = action.utf8.count
        return bytes <= longest ? action : "\(action.prefix(200)) … (\(Quantity.grouped(bytes)) bytes)"
    }

    private static func short(_ document: JSONDocument) -> String {
        if document.kind(0) == .text { return SafeText.escape(document.unchecked(text: 0)) }
        guard document.isObject(0, of: 1) else { return JSONLayout.text(of: document, 0, .compact) }
        let name = SafeText.escape(document.unchecked(text: 1))
        var value = 2
        // `Codable` encodes an associated value without a label under this key.
        if document.isObject(value, of: 1), document.bytes(value + 1).elementsEqual("_0".utf8) { value += 2 }
        if document.isObject(value, of: 0) { return name }
        return "\(name) \(JSONLayout.text(of: document, value, .relaxed))"
    }
}

extension JSONDocument {
    fileprivate func isObject(_ token: Int, of members: Int) -> Bool {
        kind(token) == .object && count(token) == members
    }
}
