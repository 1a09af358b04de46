/// A collection that has another order in each process. Its list is sorted in JSON: equal values have one text, by which
/// effects and queues are found again after a restart.
protocol UnorderedValue {
    /// Whether it is encoded as a list. A dictionary whose keys are strings or integers is an object.
    var isList: Bool { get }

    /// Encodes what a list has for each member.
    ///
    /// - Parameter begin: called before each member.
    func encodeMembers(by run: FastEncoding, _ begin: () -> Void) throws
}

extension Set: UnorderedValue where Element: Encodable {
    var isList: Bool { true }

    func encodeMembers(by run: FastEncoding, _ begin: () -> Void) throws {
        for element in self {
            begin()
            try run.encode(element)
        }
    }
}

extension Dictionary: UnorderedValue where Key: Encodable, Value: Encodable {
    var isList: Bool {
        Key.self != String.self && Key.self != Int.self && !(Key.self is any CodingKeyRepresentable.Type)
    }

    func encodeMembers(by run: FastEncoding, _ begin: () -> Void) throws {
        for (key, value) in self {
            begin()
            try run.encode(key)
            run.state.pointee.output.append(UInt8(ascii: ","))
            try run.encode(value)
        }
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

extension EncodingState {
    /// Opens a list whose members are sorted at its end.
    mutating func beginSortedList() {
        _ = open(isObject: false)
    }

    /// - Parameter starts: where its members begin, each but the first behind a comma.
    mutating func endSortedList(_ starts: [Int]) {
        if !hasGivenUp, starts.count > 1 { output.sort(starts) }
        closeInnermost()
    }
}

extension JSONOutput {
    /// Sorts texts that follow each other, with a comma between each two, up to the end.
    fileprivate mutating func sort(_ starts: [Int]) {
        guard let first = starts.first else { return }
        // The parts of a copy, so that they can be written over.
        let copy = Array(bytes[first...])
        var members = zip(starts, starts.dropFirst().map { $0 - 1 } + [count]).map { copy[$0 - first..<$1 - first] }
        members.sort { $0.lexicographicallyPrecedes($1) }
        var place = base + first
        for (index, member) in members.enumerated() {
            if index > 0 {
                place.pointee = UInt8(ascii: ",")
                place += 1
            }
            _ = UnsafeMutableBufferPointer(start: place, count: member.count).update(fromContentsOf: member)
            place += member.count
        }
    }
}
