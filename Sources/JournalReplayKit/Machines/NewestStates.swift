import JournalStore
import Synchronization

/// Computes the newest states of many streams, several at a time: in other processes, so that a reducer that crashes ends
/// only one of them. Without their machine it takes the newest snapshots, if these are of the newest steps.
struct NewestStates: Sendable {
    let reader: JournalReader
    let machines: Machines
    /// nil if the command line of this program is unknown: then the states are computed in this process.
    let children: ReplayChildren?
    /// Whether the last settled state is wanted, which an opening can begin with.
    var settledOnly = false

    /// The state of one stream, or why it is unknown.
    typealias Answer = Result<String, JournalError>

    /// Passes the newest state of each stream to `take`, in the order of the streams.
    ///
    /// - Parameter bytes: when the states in memory are this long, they are passed on before further ones are computed.
    func forEach(
        _ streams: [StreamInfo], holding bytes: Int = 64 << 20, _ take: (StreamInfo, Answer) async throws -> Void
    ) async throws {
        var rest = streams[...]
        while !rest.isEmpty {
            let answers = await map(Array(rest.prefix(256)), upTo: bytes) { ($0, $1) }
            for (stream, answer) in answers { try await take(stream, answer) }
            rest = rest.dropFirst(answers.count)
        }
    }

    /// Passes the newest state of each stream to `check`, and returns its results in the order of the streams.
    ///
    /// - Parameter bytes: once the states are this long together, no further ones are computed: the results are those
    ///   of the first streams.
    func map<Value: Sendable>(
        _ streams: [StreamInfo], upTo bytes: Int = .max,
        _ check: @escaping @Sendable (StreamInfo, Answer) -> Value
    ) async -> [Value] {
        let place = Place()
        return await withTaskGroup(of: [(Int, Value)].self) { group in
            for _ in 0..<min(Platform.processors, streams.count) {
                group.addTask {
                    var found: [(Int, Value)] = []
                    var children = children
                    while place.bytes.load(ordering: .relaxed) < bytes {
                        let index = place.next.add(1, ordering: .relaxed).oldValue
                        guard index < streams.count else { break }
                        let state = answer(streams[index], &children)
                        if case .success(let text) = state { place.bytes.add(text.utf8.count, ordering: .relaxed) }
                        found.append((index, check(streams[index], state)))
                        let count = place.done.add(1, ordering: .relaxed).newValue
                        machines.progress.show(count, of: streams.count, ("checked", "streams"))
                    }
                    return found
                }
            }
            var all: [(Int, Value)] = []
            for await found in group { all += found }
            machines.progress.end()
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// What the tasks share.
    private final class Place: Sendable {
        let next = Atomic(0)
        let done = Atomic(0)
        /// The length of all states so far.
        let bytes = Atomic(0)
    }

    private func answer(_ stream: StreamInfo, _ children: inout ReplayChildren?) -> Answer {
        do {
            return .success(try state(stream, &children))
        } catch let error as JournalError {
            return .failure(error)
        } catch let ended as ReplayChild.Ended {
            return .failure(ended.error("'verify' names the step.", file: reader.file, stream: stream.name))
        } catch {
            return .failure(JournalError(.badArgument, "\(error)", file: reader.file, stream: stream.name))
        }
    }

    private func state(_ stream: StreamInfo, _ children: inout ReplayChildren?) throws -> String {
        // A machine shows the state in its own form, also one of the same version: a property can have a default.
        let version = machines.version(of: stream)
        if !settledOnly, version == nil,
            let snapshot = try reader.shownSnapshot(of: stream, atOrBefore: stream.headStep),
            snapshot.step == stream.headStep,
            snapshot.step == stream.prunedStep || snapshot.digest == stream.headDigest
        {
            return snapshot.state
        }
        let last = try settledOnly ? stream.settledStep : reader.decidedStep(of: stream)
        guard version != nil, let file = reader.file, children != nil, let child = try children?.child(0) else {
            return try machines.withoutProgress.session(on: stream.name, reader).state(at: last)
        }
        return try child.one(
            PluginRequest(
                act: .state, machine: stream.machine, file: file, stream: stream.name, from: last), \.state)
    }
}
