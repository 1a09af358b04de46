#if canImport(Darwin)
    import Darwin

    /// The four bytes of a lock.
    struct LockWord {
        let place: UnsafeMutablePointer<os_unfair_lock>

        static var size: Int { MemoryLayout<os_unfair_lock>.size }
        static var alignment: Int { MemoryLayout<os_unfair_lock>.alignment }

        init(at block: UnsafeMutableRawPointer) {
            place = block.bindMemory(to: os_unfair_lock.self, capacity: 1)
            place.initialize(to: os_unfair_lock())
        }

        @inline(__always) func lock() { os_unfair_lock_lock(place) }
        @inline(__always) func unlock() { os_unfair_lock_unlock(place) }
    }
#else
    internal import CJournalLinux
    internal import Synchronization

    /// The four bytes of a lock: 0 if it is free, 1 if a thread has it, and 2 if others may wait for it as well.
    ///
    /// A mutex of the C library takes 40 bytes, and two calls of a function each time.
    /// https://akkadia.org/drepper/futex.pdf describes this lock as the second of its three.
    struct LockWord {
        let place: UnsafeMutablePointer<Atomic<UInt32>>

        static var size: Int { MemoryLayout<Atomic<UInt32>>.size }
        static var alignment: Int { MemoryLayout<Atomic<UInt32>>.alignment }

        init(at block: UnsafeMutableRawPointer) {
            place = block.bindMemory(to: Atomic<UInt32>.self, capacity: 1)
            place.initialize(to: Atomic(0))
        }

        @inline(__always)
        func lock() {
            let (isFree, _) = place.pointee.compareExchange(
                expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            if !isFree { waitAndLock() }
        }

        @inline(__always)
        func unlock() {
            if place.pointee.exchange(0, ordering: .releasing) == 2 { futex_wake(address) }
        }

        /// The word is 2 afterwards, because other threads may still wait. If none does, the next unlocking makes one call
        /// that wakes nobody.
        @inline(never)
        private func waitAndLock() {
            while place.pointee.exchange(2, ordering: .acquiring) != 0 { futex_wait(address, 2) }
        }

        private var address: UnsafeMutablePointer<UInt32> {
            UnsafeMutableRawPointer(place).assumingMemoryBound(to: UInt32.self)
        }
    }
#endif
