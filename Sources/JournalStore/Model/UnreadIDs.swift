/// Stored IDs or queues of which only the texts are known. When the code uses a value, the texts of its type are
/// decoded.
struct UnreadIDs: Sendable {
    private struct Texts {
        var unread: Set<String> = []
        /// The types as which all of them were read.
        var tried: Set<[ObjectIdentifier]> = []
    }

    /// By how they begin, which says the type.
    private var texts: [String: Texts] = [:]

    mutating func insert(_ text: String) {
        let start = Self.start(of: text)
        if texts[start, default: Texts()].unread.insert(text).inserted { texts[start]?.tried = [] }
    }

    mutating func remove(_ text: String) {
        let start = Self.start(of: text)
        texts[start]?.unread.remove(text)
        if texts[start]?.unread.isEmpty == true { texts[start] = nil }
    }

    /// Decodes the texts that store values of the same type as a live one. Each text is returned once.
    mutating func read(like live: AnyEffectID) -> [(text: String, value: AnyEffectID)] {
        // One that is not decoded either says nothing of their type.
        if texts.isEmpty || live.base is StoredID { return [] }
        let start = live.startOfText
        guard texts[start]?.tried.insert(live.types).inserted == true, let unread = texts[start]?.unread else {
            return []
        }
        let found = unread.sorted().compactMap { text in live.sibling(in: text).map { (text: text, value: $0) } }
        for (text, _) in found { remove(text) }
        return found
    }

    /// The text up to the end of its first key.
    fileprivate static func start(of text: String) -> String {
        var isEscaped = false
        var quotes = 0
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if byte == UInt8(ascii: "\""), !isEscaped { quotes += 1 }
            if quotes == 2, byte == UInt8(ascii: ":") { return String(text[...index]) }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return text
    }
}

/// An ID or a queue around another one. The type of the inner one is not known from the type of this one.
protocol WrapperID: EffectID {
    var wrapped: any EffectID { get }

    /// Decodes a stored wrapper around a value of the same type as ``wrapped``; nil if the text stores something else.
    func sibling(in text: String) -> (any EffectID)?
}

extension AnyEffectID {
    /// Its type, and the types that it wraps.
    var types: [ObjectIdentifier] {
        let inner = (base as? any WrapperID).map { AnyEffectID($0.wrapped).types } ?? []
        return [ObjectIdentifier(type(of: base))] + inner
    }

    /// How the stored text of each value of its type begins.
    var startOfText: String {
        if let stored = base as? StoredID { return UnreadIDs.start(of: stored.text) }
        return Self.startOfText(of: type(of: base))
    }

    /// The same of a type.
    static func startOfText(of type: any EffectID.Type) -> String {
        "{" + JSONOutput.text { $0.append(quoted: StoredName.of(type)) } + ":"
    }

    /// Decodes a stored value that has the same type as this one; nil if the text stores something else.
    func sibling(in text: String) -> AnyEffectID? {
        func read<ID: EffectID>(_ example: ID) -> (any EffectID)? { AnyEffectID(StoredID(text: text)).as(ID.self) }
        let value = if let wrapper = base as? any WrapperID { wrapper.sibling(in: text) } else { read(base) }
        return value.map { AnyEffectID($0) }
    }
}
