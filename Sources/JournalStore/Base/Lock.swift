/// A value that one thread at a time can access: the lock owns what it guards.
///
/// `Synchronization.Mutex` has the same interface, but on Linux it is a futex that the thread sanitizer does not know:
/// each use would be reported as a race, in these tests and in those of every app.
package struct Lock<Value: ~Copyable>: ~Copyable {
    /// With the value behind it, in one block of memory: an open store has many locks.
    private let word: LockWord

    package init(_ initial: consuming sending Value) {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.offset + MemoryLayout<Value>.size,
            alignment: max(MemoryLayout<Value>.alignment, LockWord.alignment))
        word = LockWord(at: block)
        (block + Self.offset).bindMemory(to: Value.self, capacity: 1).initialize(to: initial)
    }

    /// Where the value is, counted from the word.
    @inline(__always)
    private static var offset: Int {
        let alignment = MemoryLayout<Value>.alignment
        return (LockWord.size + alignment - 1) / alignment * alignment
    }

    @inline(__always)
    private var value: UnsafeMutablePointer<Value> {
        (UnsafeMutableRawPointer(word.place) + Self.offset).assumingMemoryBound(to: Value.self)
    }

    deinit {
        value.deinitialize(count: 1)
        UnsafeMutableRawPointer(word.place).deallocate()
    }

    // Inlined, so that the body needs no closure context.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        word.lock()
        defer { word.unlock() }
        return try body(&value.pointee)
    }
}

// The pointer is private, and the value is accessed only while the word is locked.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
