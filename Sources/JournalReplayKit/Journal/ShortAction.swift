import JournalStore

/// An action in a few words: `add item: "Tea"` for `{"add":{"item":"Tea"}}`, `pay` for `{"pay":{}}` and for `"pay"`.
enum ShortAction {
    /// Of a longer one only the name is told: nobody sees the rest, and a list has hundreds.
    private static let longest = 4_000

    /// On one line, and safe for a terminal.
    static func of(_ action: String) -> String {
        guard action.utf8.count <= longest else {
            return SafeText.escape(ActionName.of(action) ?? String(action.prefix(200))) + " …"
        }
        return JSONDocument.read(action, short) ?? SafeText.escape(action)
    }

    private static func short(_ document: JSONDocument) -> String {
        if document.kind(0) == .text { return SafeText.escape(document.unchecked(text: 0)) }
        guard document.isObject(0, of: 1) else { return JSONLayout.text(of: document, 0, .compact) }
        let name = SafeText.escape(document.unchecked(text: 1))
        var value = 2
        // What `Codable` calls a value without a label.
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
