import CJournalReplay
import JournalStore

/// Exports an app's machines from a dynamic library, so that `journal-replay --machine` can replay them.
///
/// A dynamic library in the app's package needs one line besides its machines:
///
/// ```swift
/// @c(journal_replay_machines)
/// public func machines() -> UnsafeRawPointer { ReplayPlugin.table([ReplayMachine(cart, environment: .stub)]) }
/// ```
///
/// Before Swift 6.3, `@c(journal_replay_machines)` is written `@_cdecl("journal_replay_machines")`.
public enum ReplayPlugin {
    private static let shared = Lock<PluginServer?>(nil)

    /// Returns the table of these machines, which is never freed. A library has one table.
    public static func table(_ machines: [ReplayMachine]) -> UnsafeRawPointer {
        shared.withLock { $0 = PluginServer(machines) }
        let table = UnsafeMutablePointer<journal_replay_plugin>.allocate(capacity: 1)
        table.initialize(
            to: journal_replay_plugin(abi: UInt32(JOURNAL_REPLAY_ABI), reserved: 0) { request, count, context, answer in
                let server = ReplayPlugin.shared.withLock { $0 }
                let bytes = UnsafeBufferPointer(start: request, count: count)
                server?.answer(String(decoding: bytes, as: UTF8.self)) { text in
                    var text = text
                    return text.withUTF8 { answer?(context, $0.baseAddress, $0.count) ?? 1 } == 0
                }
            })
        return UnsafeRawPointer(table)
    }
}
