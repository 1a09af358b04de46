import Foundation
import JournalStore

/// Runs one hot path a given number of times, and nothing else: for a profiler, and for counting its instructions.
///
/// The setup does not depend on the count: the difference of two runs is the cost of the additional operations.
enum Work: String, CaseIterable {
    case floor, append, dispatch
    case dispatchMany = "dispatch-many"
    case dispatchAtOnce = "dispatch-at-once"
    case dispatchStreams = "dispatch-streams"
    case effect, encode, decode, read, replay, open
    case reducer, table
    case whenOn = "when-on"
    case openStream = "open-stream"

    /// The number of entries in the paths that read history.
    private static let history = 2_000
    /// The number of streams in the path with many.
    private static let streams = 100
    /// The number of streams in the path that opens each of them once, and the most that it can open.
    private static let closedStreams = 1_000

    /// Runs a path if the first argument is `work`: `work NAME COUNT`.
    static func runIfAsked(_ words: [String]) async throws -> Bool {
        guard words.first == "work" else { return false }
        guard words.count == 3, let work = Work(rawValue: words[1]), let count = Int(words[2]), count > 0 else {
            throw BenchError.usage(
                "Usage: journal-bench work NAME COUNT, where NAME is one of "
                    + Work.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        let folder = try TemporaryFolder(in: nil)
        defer { folder.remove() }
        try await work.run(count, Bench(folder: folder, rounds: 1, isQuick: false))
        return true
    }

    @concurrent
    private func run(_ count: Int, _ bench: Bench) async throws {
        switch self {
        case .floor:
            _ = try await bench.withFloor(.normal) { try $0.append(bench.payloads, transactions: count, of: 1) }
        case .append:
            _ = try await bench.withLibrary(.normal) { try await $0.append(bench.payloads, count: count) }
        case .dispatch:
            _ = try await bench.withStore(.normal) { try await $0.dispatch(tasks: 1, each: count) }
        case .dispatchMany:
            _ = try await bench.withStore(.normal) { try await $0.dispatch(tasks: 64, each: count / 64) }
        case .dispatchAtOnce:
            _ = try await bench.withStore(.normal) { try await $0.dispatch(transactions: count / 1_000, of: 1_000) }
        case .dispatchStreams:
            try await bench.folder.withFreshFolder { folder in
                let streams = try await ManyStreams(folder + "/journal.db", count: Work.streams, durability: .normal)
                try await streams.dispatch(tasks: Work.streams, each: count / Work.streams)
                try await streams.close()
            }
        case .openStream:
            guard count <= Work.closedStreams else { throw BenchError.usage("At most \(Work.closedStreams) streams.") }
            // One at a time: the setup must not depend on chance.
            let path = try await bench.journal(settledStreams: Work.closedStreams, openings: 1)
            let streams = try await HostedStreams(path, open: .max)
            for number in 0..<count { _ = try await streams.host.state(of: "stream-\(number)") }
            try await streams.journal.close()
        case .effect:
            _ = try await bench.withStore(.normal) { try await $0.dispatchWithEffect(count: count) }
        case .reducer: try await bench.dispatchParcels(Parcel.asReducer, count)
        case .table: try await bench.dispatchParcels(Parcel.asTable, count)
        case .whenOn: try await bench.dispatchParcels(Parcel.asStateMachine, count)
        case .encode:
            let codec = JSONCodec()
            for number in 0..<count { _ = try codec.encode(StoreLibrary.action(number)) }
        case .decode:
            let codec = JSONCodec()
            for number in 0..<count { _ = try codec.decode(BenchAction.self, from: bench.payloads[number]) }
        case .read:
            try await bench.withFilledJournal(entries: Work.history) { path in
                let library = try await Library(path, durability: .normal)
                for _ in 0..<count / Work.history { _ = try await library.read(pagesOf: 1_000) }
                try await library.close()
            }
        case .replay:
            try await bench.withFilledJournal(entries: Work.history) { path in
                let reader = try JournalReader(path: path)
                let replayer = try Replayer(StoreLibrary.machine, reader: reader, stream: Library.streamName)
                for _ in 0..<count / Work.history { _ = try replayer.state(at: Work.history) }
            }
        case .open:
            try await bench.folder.withFreshFolder { folder in
                let path = folder + "/journal.db"
                for number in 0...count {
                    let library = try await StoreLibrary(path, durability: .normal)
                    if number == 0 { try await library.dispatch(transactions: 2, of: 1_000) }
                    try await library.close()
                }
            }
        }
    }
}
