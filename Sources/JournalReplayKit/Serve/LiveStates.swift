import Dispatch
import JournalStore

/// Computes states when a page asks for them, one at a time, in another process if possible: a reducer that crashes
/// ends only that one.
final class LiveStates: Sendable {
    private struct Desk {
        /// The newest last. A session remembers where it is, so that the next step is near.
        var sessions: [(stream: String, session: any ReplaySession)] = []
        var children: ReplayChildren?
        var waiting = 0
    }

    private static let mostSessions = 8
    private static let mostWaiting = 16

    private let reader: JournalReader
    private let machines: Machines
    private let desk: Lock<Desk>
    private let queue = DispatchQueue(label: "journal-replay.states")

    /// - Parameter children: nil if the command line of this program is unknown: then states are computed in this
    ///   process.
    init(_ reader: JournalReader, _ machines: Machines, _ children: ReplayChildren?) {
        (self.reader, self.machines) = (reader, machines.withoutProgress)
        desk = Lock(Desk(children: children))
    }

    /// The state after a step, or why there is none. The thread waits.
    func state(of stream: String, at step: Int) -> Result<String, JournalError> {
        let isPossible = desk.withLock { desk in
            desk.waiting += 1
            return desk.waiting <= LiveStates.mostWaiting
        }
        defer { desk.withLock { $0.waiting -= 1 } }
        guard isPossible else {
            return .failure(
                JournalError(.busy, "Too many states are being computed.", advice: "Try again in a moment."))
        }
        return queue.sync {
            do {
                let session = try takeSession(of: stream)
                let state = try session.state(at: step)
                putBack(session, stream)
                return .success(state)
            } catch let error as JournalError {
                return .failure(error)
            } catch let ended as ReplayChild.Ended {
                dropSessions()
                return .failure(ended.error("A reducer crashes; 'verify' names the step.", stream: stream))
            } catch {
                return .failure(JournalError(.badArgument, "\(error)", stream: stream))
            }
        }
    }

    private func takeSession(of stream: String) throws -> any ReplaySession {
        let known: (any ReplaySession)? = desk.withLock { desk in
            let index = desk.sessions.firstIndex { ByteName($0.stream) == ByteName(stream) }
            guard let index else { return nil }
            return desk.sessions.remove(at: index).session
        }
        if let known { return known }
        let info = try reader.stream(stream)
        guard let version = machines.version(of: info), var children = desk.withLock({ $0.children }) else {
            return try machines.session(on: stream, reader)
        }
        let child = try children.child(0)
        desk.withLock { $0.children = children }
        return try PluginSession(
            child, machine: info.machine, version: version, ReplayRequest(reader: reader, stream: stream))
    }

    /// Forgets the sessions of a process that has ended: all sessions use the same one.
    private func dropSessions() {
        let old = desk.withLock { desk in
            defer { desk.sessions = [] }
            return desk.sessions
        }
        withExtendedLifetime(old) {}
    }

    private func putBack(_ session: any ReplaySession, _ stream: String) {
        let old = desk.withLock { desk -> (any ReplaySession)? in
            desk.sessions.append((stream, session))
            return desk.sessions.count > LiveStates.mostSessions ? desk.sessions.removeFirst().session : nil
        }
        // Closed without the lock: it may tell the other process.
        withExtendedLifetime(old) {}
    }
}
