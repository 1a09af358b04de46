import JournalStore

/// Prints which step was being reduced when a reducer crashes this process: the backtrace shows only the reducer. It
/// knows the machines of this program, not those of a loaded library.
enum CrashReport {
    /// What to write, prepared while nothing is wrong: a handler cannot make text.
    private struct Memory {
        let signals = CrashSignals()
        /// How many commands run.
        var users = 0
        /// The file, as the user gave it.
        var file = ""
        /// The stream that ``text`` names.
        var stream = ""
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
        var count = 0
        /// The step that is being reduced; 0 for none.
        var step = 0
        let end: StaticString =
            ": The reducer crashes at this step. `log` shows its action; `verify` says what can be done.\n"
    }

    /// Held while the memory is written. Most commands reduce on one thread; if several do, the report can name another
    /// one's step.
    private static let lock = Lock(())

    // A handler reads it without the lock: the crashed thread may hold it.
    nonisolated(unsafe) private static let memory = {
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory())
        return memory
    }()

    static func install(file: String) {
        lock.withLock { _ in
            (memory.pointee.file, memory.pointee.stream) = (file, "")
            memory.pointee.users += 1
            // A second handler would find itself as the one before it.
            if memory.pointee.users == 1 { memory.pointee.signals.install { CrashReport.write($0) } }
        }
    }

    static func remove() {
        lock.withLock { _ in
            memory.pointee.users -= 1
            if memory.pointee.users == 0 { memory.pointee.signals.remove() }
        }
    }

    /// A step is about to be reduced.
    static func begin(_ step: borrowing Step) {
        let (stream, number) = (step.stream, step.number)
        lock.withLock { _ in
            if stream != memory.pointee.stream { name(stream) }
            memory.pointee.step = number
        }
    }

    /// It was reduced.
    static func end() {
        lock.withLock { _ in memory.pointee.step = 0 }
    }

    private static func name(_ stream: String) {
        let place = "\(memory.pointee.file), stream '\(stream)', step "
        let line = "\n" + SafeText.escape(place)
        memory.pointee.stream = stream
        memory.pointee.count = memory.pointee.text.update(fromContentsOf: line.utf8.prefix(4096))
    }

    private static func write(_ number: Int32) {
        if memory.pointee.step > 0, let text = memory.pointee.text.baseAddress {
            CrashSignals.write(text, memory.pointee.count, to: System.standardError)
            write(step: memory.pointee.step)
            let end = memory.pointee.end
            CrashSignals.write(end.utf8Start, end.utf8CodeUnitCount, to: System.standardError)
        }
        memory.pointee.signals.passOn(number)
    }

    private static func write(step: Int) {
        var unit = 1
        while step / unit >= 10 { unit *= 10 }
        while unit > 0 {
            var digit = UInt8(ascii: "0") + UInt8(step / unit % 10)
            CrashSignals.write(&digit, 1, to: System.standardError)
            unit /= 10
        }
    }
}
