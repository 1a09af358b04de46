/// A collection that has another order in each process. Its JSON is sorted: equal values have one text, by which effects and
/// queues are found again after a restart.
protocol UnorderedValue {
    /// The JSON of its members, sorted; nil if it is an object, or a member can only be encoded by Foundation.
    func sortedMembers(_ dates: JSONCodec.DateForm) -> [String]?
}

extension Set: UnorderedValue where Element: Encodable {
    func sortedMembers(_ dates: JSONCodec.DateForm) -> [String]? {
        var members: [String] = []
        members.reserveCapacity(count)
        for element in self {
            guard let text = FastEncoding.text(of: element, dates) else { return nil }
            members.append(text)
        }
        return members.sorted()
    }
}

/// The standard library encodes it as a list of keys and values if the keys are not strings or integers.
extension Dictionary: UnorderedValue where Key: Encodable, Value: Encodable {
    func sortedMembers(_ dates: JSONCodec.DateForm) -> [String]? {
        if Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type { return nil }
        var members: [String] = []
        members.reserveCapacity(count)
        for (key, value) in self {
            guard let key = FastEncoding.text(of: key, dates), let value = FastEncoding.text(of: value, dates) else {
                return nil
            }
            members.append("\(key),\(value)")
        }
        return members.sorted()
    }
}

/// Whether a type is a set or a dictionary. A cast to ``UnorderedValue`` would take longer for all other types.
enum UnorderedType {
    private static let set = descriptor(of: Set<Int>.self)
    private static let dictionary = descriptor(of: [Int: Int].self)

    @inline(__always)
    static func includes<Value>(_ type: Value.Type) -> Bool {
        guard let found = descriptor(of: type) else { return false }
        return found == set || found == dictionary
    }

    /// What all types have in common that a generic struct makes; nil if the type is no struct.
    /// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
    @inline(__always)
    private static func descriptor<Value>(of type: Value.Type) -> UInt? {
        let structKind: UInt = 0x200
        let metadata = unsafeBitCast(type as any Any.Type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == structKind else { return nil }
        return metadata.load(fromByteOffset: 8, as: UInt.self)
    }
}
