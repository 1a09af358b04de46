import Foundation
import JournalStore

/// Journals with many steps: made once, closed, shared by rows and runs, and removed with the folder.
extension Bench {
    /// The path of a closed journal with one stream.
    ///
    /// - Parameter hasSnapshots: whether it has the snapshots of the default policy, the last from closing; otherwise
    ///   it has none.
    func journal(steps: Int, hasSnapshots: Bool = true) async throws -> String {
        let path = "\(folder.path)/\(steps)-steps\(hasSnapshots ? "" : "-without-snapshots").db"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let library = try await StoreLibrary(
            path, durability: .normal, snapshots: hasSnapshots ? SnapshotPolicy() : .never)
        try await library.dispatch(steps: steps, waitingEvery: nil)
        try await library.close()
        return path
    }

    /// The path of a closed journal with many streams of one step each.
    func journal(streams: Int) async throws -> String {
        let path = "\(folder.path)/\(streams)-streams.db"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        var options = Journal.Options()
        options.durability = .normal
        let journal = try Journal(path: path, options: options)
        for number in 0..<streams {
            let stream = try await journal.openStream("stream-\(number)", machine: StoreLibrary.machine.name)
            try await stream.append(payloads[number])
            try await stream.close()
        }
        try await journal.close()
        return path
    }

    /// The path of a closed journal whose streams have one step each, and nothing to be done.
    ///
    /// - Parameter openings: how many are settled at the same time.
    func journal(settledStreams count: Int, openings: Int = HostOptions().maxOpenings) async throws -> String {
        let path = "\(folder.path)/\(count)-settled-streams.db"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        try FileManager.default.copyItem(atPath: try await journal(streams: count), toPath: path)
        // Each stream is opened at the start, because the outcome of its step is not recorded.
        try await HostedStreams(path, open: .max, openings: openings).journal.close()
        return path
    }

    /// Measures a store on a copy of such a journal.
    ///
    /// - Parameter body: dispatches the actions of `numbers`.
    func withStore(
        after steps: Int, dispatching numbers: Range<Int>, _ body: (StoreLibrary) async throws -> Void
    ) async throws -> Duration {
        let original = try await journal(steps: steps)
        return try await folder.withFreshFolder { folder in
            let path = folder + "/journal.db"
            try FileManager.default.copyItem(atPath: original, toPath: path)
            // Sync the copy now, so that the system does not write it back during the measurement.
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.synchronize()
            try file.close()
            let library = try await StoreLibrary(path, durability: .normal)
            try await library.dispatch(transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await body(library) }
            // The original was made with the numbers from 1.
            try await library.close(
                expecting: StoreLibrary.End(
                    steps: steps + 1_000 + numbers.count,
                    sum: StoreLibrary.sum(of: 1..<steps + 1) + StoreLibrary.sum(of: 0..<1_000)
                        + StoreLibrary.sum(of: numbers)))
            return time
        }
    }
}
