#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Identifies a process, and distinguishes it from a later one with the same ID.
package struct ProcessIdentity: Hashable, Sendable {
    package var host: String
    package var process: Int32
    /// When the process started, in the system's own units: process IDs are reused, but not with the same start time.
    package var started: UInt64
    /// Different after each boot: distinguishes a power loss from a crash of the process. Empty if it is not known.
    package var boot: String
    /// In which namespace the process ID counts: containers of one computer have their own. 0 if it is not known.
    package var namespace: UInt64

    package init(host: String, process: Int32, started: UInt64, boot: String, namespace: UInt64 = 0) {
        (self.host, self.process, self.started, self.boot) = (host, process, started, boot)
        self.namespace = namespace
    }

    package static func current() -> ProcessIdentity {
        let process = getpid()
        return ProcessIdentity(
            host: Platform.hostName(), process: process, started: startTime(of: process) ?? 0, boot: bootIdentifier(),
            namespace: currentNamespace())
    }

    /// What is known about whether the process still runs.
    package enum Life {
        case runs, ended
        /// It is of another computer or container, and cannot be looked up here.
        case unknown
    }

    package var life: Life {
        guard isHere, isInThisNamespace else { return .unknown }
        guard process > 0, kill(process, 0) == 0 || errno == EPERM else { return .ended }
        // Without `/proc`, and on iOS, the time is not known. Then only the process ID counts.
        guard started != 0, let now = ProcessIdentity.startTime(of: process) else { return .runs }
        return now == started ? .runs : .ended
    }

    /// Whether it is of this computer. The name of a computer can change while a process runs.
    package var isHere: Bool {
        host == Platform.hostName() || !boot.isEmpty && boot == ProcessIdentity.bootIdentifier()
    }

    private var isInThisNamespace: Bool { !isOutside(ProcessIdentity.currentNamespace()) }

    /// Whether it is known that the process is of another container than the other one.
    func isInOtherContainer(than other: ProcessIdentity) -> Bool { isOutside(other.namespace) }

    private func isOutside(_ other: UInt64) -> Bool { namespace != 0 && other != 0 && namespace != other }

    #if canImport(Darwin)
        private static func startTime(of process: Int32) -> UInt64? {
            #if os(macOS)
                var info = proc_bsdinfo()
                let size = Int32(MemoryLayout<proc_bsdinfo>.size)
                guard proc_pidinfo(process, PROC_PIDTBSDINFO, 0, &info, size) == size else { return nil }
                return info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec
            #else
                nil
            #endif
        }

        private static func bootIdentifier() -> String {
            // Not `kern.boottime`, which changes when the clock is set.
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }

        private static func currentNamespace() -> UInt64 { 0 }
    #else
        private static func startTime(of process: Int32) -> UInt64? {
            // proc_pid_stat(5): field 22, counted after the parenthesis that closes the program's name.
            guard let text = contents(of: "/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
                return nil
            }
            let fields = text[text.index(after: end)...].split(separator: " ")
            return fields.count > 19 ? UInt64(fields[19]) : nil
        }

        private static func bootIdentifier() -> String {
            contents(of: "/proc/sys/kernel/random/boot_id").map { String($0.prefix { $0 != "\n" }) } ?? ""
        }

        private static func currentNamespace() -> UInt64 {
            Platform.status(ofPath: "/proc/self/ns/pid")?.identity.inode ?? 0
        }

        private static func contents(of path: String) -> String? {
            guard let descriptor = Platform.openForReading(path) else { return nil }
            defer { Platform.closeFile(descriptor) }
            let bytes = Platform.readSome(descriptor, upTo: 4096) ?? []
            return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        }
    #endif
}
