#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value that one thread at a time can access: the lock owns what it guards.
///
/// `Synchronization.Mutex` has the same interface, but on Linux it is a futex that the thread sanitizer does not know:
/// each use would be reported as a race, in these tests and in those of every app.
package struct Lock<Value: ~Copyable>: ~Copyable {
    /// With the value behind it, in one block of memory: an open store has many locks.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ initial: consuming sending Value) {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.offset + MemoryLayout<Value>.size,
            alignment: max(MemoryLayout<Value>.alignment, MemoryLayout<pthread_mutex_t>.alignment))
        mutex = block.bindMemory(to: pthread_mutex_t.self, capacity: 1)
        pthread_mutex_init(mutex, nil)
        (block + Self.offset).bindMemory(to: Value.self, capacity: 1).initialize(to: initial)
    }

    /// Where the value is, counted from the mutex.
    @inline(__always)
    private static var offset: Int {
        let alignment = MemoryLayout<Value>.alignment
        return (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    }

    @inline(__always)
    private var value: UnsafeMutablePointer<Value> {
        (UnsafeMutableRawPointer(mutex) + Self.offset).assumingMemoryBound(to: Value.self)
    }

    deinit {
        value.deinitialize(count: 1)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // Inlined, so that the body needs no closure context.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

// The pointers are private, and their memory is accessed only while the mutex is held.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
