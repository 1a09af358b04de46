import Foundation
import JournalStore

/// A host with many streams.
extension Row {
    static func host(streams count: Int) -> [Row] {
        let name = NumberText.short(count)
        return [
            Row(name: "host: open \(name) streams", entries: count, target: .atMost(10)) { bench in
                try await times(of: bench, count).opening
            },
            Row(name: "host: close \(name) streams", entries: count, target: .atMost(5)) { bench in
                try await times(of: bench, count).closing
            },
            Row(
                name: "host: \(name) open streams round-robin, 1,000 tasks in flight, NORMAL", entries: count,
                target: .atLeast(100_000)
            ) { bench in
                try await times(of: bench, count).dispatching
            },
        ]
    }

    /// The floor is a dispatch to the same stream, which is open then: a commit.
    ///
    /// - Parameter load: how many tasks dispatch to other streams meanwhile.
    static func closedStream(load: Int = 0) -> Row {
        Row(
            name: "host: dispatch to a closed stream, against an open one, NORMAL"
                + (load > 0 ? ", while \(load) tasks dispatch to others" : ""), entries: 2_000,
            measuringAll: { bench in
                let count = bench.scaled(2_000)
                let path = try await bench.journal(settledStreams: count)
                var rounds: [(closed: [Duration], open: [Duration])] = []
                for _ in 0..<bench.rounds {
                    try await bench.folder.withFreshFolder { folder in
                        let copy = folder + "/journal.db"
                        try FileManager.default.copyItem(atPath: path, toPath: copy)
                        let streams = try await HostedStreams(copy, open: .max)
                        rounds.append(
                            try await streams.underLoad(tasks: load) {
                                let closed = try await streams.latencies(of: 0..<count).sorted()
                                return (closed, try await streams.latencies(of: 0..<count).sorted())
                            })
                        try await streams.journal.close()
                    }
                }
                return [("p50", 0.5), ("p99", 0.99)].map { name, part in
                    func time(_ sorted: [Duration]) -> Double { sorted[Int(Double(sorted.count - 1) * part)].inSeconds }
                    return Finding(
                        .time, aspect: name, comparing: rounds.map { (time($0.closed), time($0.open)) })
                }
            })
    }

    /// 128 callers of one stream, against one caller.
    static let hotStream = Row(
        name: "host: 128 callers of one stream, against one caller, NORMAL", entries: 25_600, target: .atLeast(1)
    ) { bench in
        let count = bench.scaled(25_600) / 128 * 128
        return try await bench.folder.withFreshFolder { folder in
            let streams = try await HostedStreams(folder + "/journal.db", open: 10)
            let finding = try await bench.compare(entries: count) {
                try await ContinuousClock().measure { try await streams.dispatch(count, toOneFrom: 1) }
            } library: {
                try await ContinuousClock().measure { try await streams.dispatch(count, toOneFrom: 128) }
            }
            try await streams.journal.close()
            return finding
        }
    }

    private struct Times {
        let opening: Finding
        let dispatching: Finding
        let closing: Finding
    }

    /// Opens, uses and closes the streams of a journal. Measured together, in each row that shows one of the times.
    private static func times(of bench: Bench, _ count: Int) async throws -> Times {
        let count = bench.scaled(count)
        let path = try await bench.journal(settledStreams: count)
        var times: [(opening: Double, dispatching: Double, closing: Double)] = []
        for _ in 0..<bench.rounds {
            try await bench.folder.withFreshFolder { folder in
                let copy = folder + "/journal.db"
                try FileManager.default.copyItem(atPath: path, toPath: copy)
                let streams = try await HostedStreams(copy, open: .max)
                let clock = ContinuousClock()
                // Each dispatch opens its stream.
                let opening = try await clock.measure { try await streams.dispatch(to: 0..<count, tasks: 64) }
                let dispatching = try await clock.measure { try await streams.dispatch(to: 0..<count, tasks: 1_000) }
                let closing = await clock.measure { _ = await streams.host.close() }
                times.append((opening.inSeconds, Double(count) / dispatching.inSeconds, closing.inSeconds))
                try await streams.journal.close()
            }
        }
        return Times(
            opening: Finding(.time, times.map(\.opening)), dispatching: Finding(.rate, times.map(\.dispatching)),
            closing: Finding(.time, times.map(\.closing)))
    }
}
