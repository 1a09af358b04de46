import JournalStore

/// Names the step whose reduction ends this process. Without it, a reducer that traps ends the tool with a backtrace of the reducer
/// alone, and nobody knows for which step.
enum CrashReport {
    /// What to write, prepared while nothing is wrong: a handler cannot make text.
    private struct Memory {
        let signals = CrashSignals()
        /// The file, as the user gave it.
        var file = ""
        /// The stream that ``text`` names.
        var stream = ""
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)
        var count = 0
        /// The step that is being reduced; 0 for none.
        var step = 0
    }

    private static let advice: StaticString = ": The reducer crashes at this step. `log` shows its action.\n"

    // The commands that use it reduce on one thread. If there were several, the report could name another one's step.
    nonisolated(unsafe) private static let memory = {
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory())
        return memory
    }()

    static func install(file: String) {
        memory.pointee.file = file
        memory.pointee.signals.install { CrashReport.write($0) }
    }

    static func remove() {
        memory.pointee.signals.remove()
    }

    /// A step is about to be reduced.
    static func begin(_ step: borrowing Step) {
        if step.stream != memory.pointee.stream { name(step.stream) }
        memory.pointee.step = step.number
    }

    /// It was reduced.
    static func end() {
        memory.pointee.step = 0
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
            CrashSignals.write(advice.utf8Start, advice.utf8CodeUnitCount, to: System.standardError)
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
