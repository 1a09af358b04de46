/// Stored IDs or queues of which only the texts are known. When the code uses a value, the texts of its type are
/// decoded.
struct UnreadIDs: Sendable {
    private var texts: Set<String> = []
    /// The types as which all of these texts were read.
    private var tried: Set<[ObjectIdentifier]> = []

    mutating func insert(_ text: String) {
        if texts.insert(text).inserted, !tried.isEmpty { tried = [] }
    }

    mutating func remove(_ text: String) { texts.remove(text) }

    /// Decodes the texts that store values of the same type as a live one. Each text is returned once.
    mutating func read(like live: AnyEffectID) -> [(text: String, value: AnyEffectID)] {
        guard !texts.isEmpty, tried.insert(live.types).inserted else { return [] }
        let start = live.startOfText
        let candidates = texts.filter { $0.hasPrefix(start) }.sorted()
        let found = candidates.compactMap { text in live.sibling(in: text).map { (text: text, value: $0) } }
        for (text, _) in found { texts.remove(text) }
        return found
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
    fileprivate var types: [ObjectIdentifier] {
        let inner = (base as? any WrapperID).map { AnyEffectID($0.wrapped).types } ?? []
        return [ObjectIdentifier(type(of: base))] + inner
    }

    /// How the stored text of each value of its type begins.
    fileprivate var startOfText: String {
        "{" + JSONOutput.text { $0.append(quoted: StoredName.of(type(of: base))) } + ":"
    }

    /// Decodes a stored value that has the same type as this one; nil if the text stores something else.
    func sibling(in text: String) -> AnyEffectID? {
        func read<ID: EffectID>(_ example: ID) -> (any EffectID)? { AnyEffectID(StoredID(text: text)).as(ID.self) }
        let value = if let wrapper = base as? any WrapperID { wrapper.sibling(in: text) } else { read(base) }
        return value.map { AnyEffectID($0) }
    }
}
