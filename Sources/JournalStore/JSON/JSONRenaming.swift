/// Renames in stored JSON, without decoding anything else of it.
enum JSONRenaming {
    /// Renames the members of the outermost object that have this name; or the text, if it is only that.
    ///
    /// - Returns: the text unchanged if it has no such name; nil if it is not JSON.
    static func rename(_ old: String, to new: String, in text: String) -> String? {
        guard let places = places(of: old, in: text) else { return nil }
        let name = JSONOutput.text { $0.append(quoted: new, .coder) }.utf8.dropFirst().dropLast()
        var bytes = Array(text.utf8)
        for place in places.reversed() { bytes.replaceSubrange(place, with: name) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where the name is, without its quotes, as offsets; nil if the text is not JSON.
    static func places(of name: String, in text: String) -> [Range<Int>]? {
        JSONDocument.read(text) { document in
            let names: [Int] =
                switch document.kind(0) {
                case .object: document.children(0)
                case .text: [0]
                default: []
                }
            return names.filter { document.unchecked(text: $0) == name }.map { document.range(of: $0) }
        }
    }
}

extension JSONDocument {
    /// The bytes of a text without its quotes, as offsets.
    fileprivate func range(of token: Int) -> Range<Int> {
        let start = Int(tokens[token].start)
        return start..<start + Int(tokens[token].count)
    }
}
