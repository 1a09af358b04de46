import Foundation

/// How much of the machine other processes used during the measurement: it tells whether the numbers are reliable.
/// Nil if the system does not provide it.
struct OtherWork {
    private let machine: (busy: Double, whole: Double)
    private let own: Double

    /// Starts counting.
    init?() {
        guard let machine = OtherWork.machineSeconds() else { return nil }
        self.machine = machine
        own = OtherWork.ownSeconds()
    }

    /// The share of all cores since the start: 0 to 1.
    var share: Double? {
        guard let now = OtherWork.machineSeconds() else { return nil }
        let whole = now.whole - machine.whole
        let others = now.busy - machine.busy - (OtherWork.ownSeconds() - own)
        return whole > 0 ? min(max(0, others / whole), 1) : nil
    }

    /// The first line of /proc/stat: user, nice, system, idle, waiting for the disk, interrupts (two), stolen by the
    /// host.
    private static func machineSeconds() -> (busy: Double, whole: Double)? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return nil }
        let whole = ticks.reduce(0, +)
        let second = Double(sysconf(Int32(_SC_CLK_TCK)))
        return ((whole - ticks[3] - ticks[4]) / second, whole / second)
    }

    /// The time of this process and of its child processes that have ended.
    private static func ownSeconds() -> Double {
        var spent = tms()
        _ = times(&spent)
        let ticks = spent.tms_utime + spent.tms_stime + spent.tms_cutime + spent.tms_cstime
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
