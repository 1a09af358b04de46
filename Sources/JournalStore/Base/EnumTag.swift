/// Reads which case an enum value is, as a number, in a few nanoseconds; a mirror takes a microsecond.
///
/// It calls the `getEnumTag` value witness, whose place is part of the ABI. It is right for `indirect` cases too: only
/// a payload would have to be unboxed.
@usableFromInline
struct EnumTag<Value>: Sendable {
    @usableFromInline typealias Witness = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> UInt32

    @usableFromInline let witness: Witness
    @usableFromInline let type: any Any.Type

    /// Nil if the type is not an enum. An optional counts as none: its tag would not tell the cases of its content
    /// apart.
    init?() {
        // The layout below is that of 64-bit platforms whose pointers are not signed.
        guard MemoryLayout<Int>.size == 8, !Self.pointersAreSigned else { return nil }
        let metadata = Self.metadata(of: Value.self)
        let kindOfEnums = 0x201
        guard metadata.load(as: Int.self) == kindOfEnums else { return nil }
        let witnesses = metadata.load(fromByteOffset: -8, as: UnsafeRawPointer.self)
        let flags = witnesses.load(fromByteOffset: 80, as: UInt32.self)
        let hasEnumWitnesses: UInt32 = 0x0020_0000
        guard flags & hasEnumWitnesses != 0 else { return nil }
        witness = witnesses.load(fromByteOffset: 88, as: Witness.self)
        type = Value.self
    }

    private static var pointersAreSigned: Bool {
        #if _ptrauth(_arm64e)
            true
        #else
            false
        #endif
    }

    /// Lists of cases have only those with a smaller number: an enum of C can have any number, and the lists must fit
    /// into memory.
    static var listLimit: Int { 1_000 }

    /// The number of the value's case.
    @inlinable
    func of(_ value: borrowing Value) -> Int {
        withUnsafePointer(to: value) { Int(witness(UnsafeRawPointer($0), Self.metadata(of: type))) }
    }

    @inlinable
    static func metadata(of type: any Any.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}
