/// Renames in stored JSON, without decoding anything else of it.
enum JSONRenaming {
    /// Renames the members of the outermost object that have this name; or the text, if it is only that. Other members
    /// that have the new name already are left out.
    ///
    /// - Parameter isProperty: whether a missing member has the value nil: then one with the new name is left out too.
    /// - Returns: the text unchanged if it has no such name; nil if it is not JSON.
    static func rename(_ old: String, to new: String, in text: String, isProperty: Bool = false) -> String? {
        guard var places = places(of: old, in: text) else { return nil }
        var text = text
        if isProperty || !places.isEmpty, old != new, let shorter = leavingOut(new, in: text) {
            text = shorter
            places = self.places(of: old, in: text) ?? []
        }
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

    /// An object without its members of this name; nil if it has none.
    private static func leavingOut(_ name: String, in text: String) -> String? {
        guard let places = places(of: name, in: text), !places.isEmpty else { return nil }
        let starts = JSONDocument.read(text) { document in
            document.children(0).map { document.range(of: $0).lowerBound - 1 }
        }
        let bytes = Array(text.utf8)
        guard let starts, let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return nil }
        let omitted = Set(places.map { $0.lowerBound - 1 })
        let kept = zip(starts, Array(starts.dropFirst()) + [end]).filter { !omitted.contains($0.0) }.map { start, end in
            // Up to the comma before the next member.
            var member = bytes[start..<end]
            while let last = member.last, JSONScan.isSpace(last) || last == UInt8(ascii: ",") { member.removeLast() }
            return member
        }
        return "{" + String(decoding: Array(kept.joined(separator: [UInt8(ascii: ",")])), as: UTF8.self) + "}"
    }
}

extension JSONDocument {
    /// The bytes of a text without its quotes, as offsets.
    fileprivate func range(of token: Int) -> Range<Int> {
        let start = Int(tokens[token].start)
        return start..<start + Int(tokens[token].count)
    }
}
