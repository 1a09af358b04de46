import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension System {
    /// How many files a command opens at most before its work begins, with those of the runtime.
    private static let fewestFiles = 6

    /// Starts what tasks and timers need. Each part opens a file of its own when it is used first, and ends the process with a
    /// signal if no more can be opened.
    ///
    /// - Returns: whether there was room for all of it. If not, nothing was started.
    static func startRuntime() -> Bool {
        var files: [Int32] = []
        defer { for file in files { close(file) } }
        for _ in 0..<fewestFiles {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            files.append(file)
        }
        for file in files { close(file) }
        files = []
        let started = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now()) { started.signal() }
        started.wait()
        // The main queue has a file as well.
        DispatchQueue.main.async {}
        return true
    }
}
