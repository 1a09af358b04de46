import Foundation
import JournalStore

/// Ends the process if a check makes no progress for minutes, and says what it was doing: a hang must not pass for a
/// slow machine.
package final class Watchdog: Sendable {
    private struct Activity {
        var text = "starting"
        var since = ContinuousClock.now
    }

    private let activity = Lock(Activity())

    /// - Parameters:
    ///   - limit: how long one activity may take. Hundreds of times what the slowest takes.
    ///   - onHang: called with a sentence, on a thread of its own, until the process ends.
    package init(limit: Duration = .seconds(600), onHang: @escaping @Sendable (String) -> Void = Watchdog.abort) {
        Thread.detachNewThread { [weak self] in
            while let current = self?.activity.withLock({ $0 }) {
                let age = ContinuousClock.now - current.since
                if age >= limit { return onHang("No progress for \(age.components.seconds) s: \(current.text).") }
                Thread.sleep(forTimeInterval: min(1, Double(limit / .seconds(1)) / 10))
            }
        }
    }

    /// Notes what the check does next.
    package func begins(_ text: String) {
        activity.withLock { $0 = Activity(text: text) }
    }

    /// Ends the children and this process. Each prints the stacks of its threads if Swift's backtraces are on.
    package static func abort(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        for child in Child.running { Foundation.kill(child, SIGABRT) }
        // The children write their stacks meanwhile.
        Thread.sleep(forTimeInterval: 20)
        for child in Child.running { Foundation.kill(child, SIGKILL) }
        Foundation.abort()
    }
}
