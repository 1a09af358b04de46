/// Takes the payload out of an enum value in a few nanoseconds, if its type is known; a mirror takes a microsecond.
///
/// It calls the `destructiveProjectEnumData` value witness on a copy of the value's bytes. The payload of an `indirect`
/// case is in a box; the type's field descriptor says which cases have one. Both layouts are part of the ABI.
@usableFromInline
struct EnumProjection<Value>: Sendable {
    @usableFromInline typealias Witness = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void

    @usableFromInline let witness: Witness
    @usableFromInline let type: any Any.Type
    /// Whether the payload is in a box, for each case.
    @usableFromInline let isBoxed: [Bool]
    /// The bytes are copied to the stack.
    @inlinable static var capacity: Int { 1_024 }

    /// Nil if the type is not an enum, has no field descriptor, or cannot be copied byte by byte.
    init?() {
        let layout = MemoryLayout<Value>.self
        guard EnumTag<Value>() != nil, layout.size <= Self.capacity, layout.alignment <= 16 else { return nil }
        let metadata = EnumTag<Value>.metadata(of: Value.self)
        let witnesses = metadata.load(fromByteOffset: -8, as: UnsafeRawPointer.self)
        let isNotBitwiseTakable: UInt32 = 0x0010_0000
        guard witnesses.load(fromByteOffset: 80, as: UInt32.self) & isNotBitwiseTakable == 0 else { return nil }
        guard let fields = EnumFields(of: Value.self) else { return nil }
        isBoxed = (0..<fields.count).map(fields.isIndirect)
        witness = witnesses.load(fromByteOffset: 96, as: Witness.self)
        type = Value.self
    }

    /// The payload of a value. `Payload` must have the layout of what the case holds.
    ///
    /// - Parameter tag: the number of the value's case.
    @inlinable
    func payload<Payload>(of value: borrowing Value, case tag: Int, as _: Payload.Type) -> Payload? {
        guard isBoxed.indices.contains(tag) else { return nil }
        return withUnsafePointer(to: value) { value in
            withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 16) { copy -> Payload? in
                guard let bytes = copy.baseAddress else { return nil }
                // Nobody owns the copy: the payload is copied out of it while the value is borrowed.
                bytes.copyMemory(from: UnsafeRawPointer(value), byteCount: MemoryLayout<Value>.size)
                witness(bytes, EnumTag<Value>.metadata(of: type))
                guard isBoxed[tag] else { return bytes.assumingMemoryBound(to: Payload.self).pointee }
                // After the header of a box, aligned.
                let (header, alignment) = (16, MemoryLayout<Payload>.alignment)
                let offset = (header + alignment - 1) / alignment * alignment
                let box = bytes.load(as: UnsafeRawPointer.self)
                return (box + offset).assumingMemoryBound(to: Payload.self).pointee
            }
        }
    }
}
