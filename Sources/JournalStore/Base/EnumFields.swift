/// What the compiler notes of the cases of an enum, by their numbers: the type's field descriptor, whose layout is part of
/// the ABI.
struct EnumFields {
    private let records: UnsafeRawPointer
    private let recordSize: Int
    let count: Int

    /// Nil if the type is not an enum, or was compiled without these notes.
    init?<Value>(of type: Value.Type) {
        guard EnumTag<Value>() != nil else { return nil }
        let metadata = EnumTag<Value>.metadata(of: type)
        let place = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self) + 16
        guard let fields = Self.pointer(at: place) else { return nil }
        recordSize = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
        count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
        records = fields + 16
    }

    /// Whether the payload of a case is in a box.
    func isIndirect(_ number: Int) -> Bool {
        let isIndirectCase: UInt32 = 1
        return (records + number * recordSize).load(as: UInt32.self) & isIndirectCase != 0
    }

    /// The name of a case.
    func name(_ number: Int) -> String? {
        guard (0..<count).contains(number), let name = Self.pointer(at: records + number * recordSize + 8) else {
            return nil
        }
        return String(cString: name.assumingMemoryBound(to: CChar.self))
    }

    /// A pointer that is stored as its distance from where it is stored.
    private static func pointer(at place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = Int(place.load(as: Int32.self))
        return distance == 0 ? nil : place + distance
    }
}
