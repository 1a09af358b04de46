import Dispatch
import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A connection of an operator` {
    @Test func `it is closed once, also if the answer comes after the end of the journal`() throws {
        var pair: [Int32] = [-1, -1]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        defer { LocalSocket.closeSocket(pair[1]) }
        let (queue, ends) = (DispatchQueue(label: "operators"), Box(0))
        let connection = OperatorConnection(pair[0], queue) { ends.change { $0 += 1 } }
        connection.end()
        connection.end(with: "too late")
        queue.sync {}
        #expect(ends.value == 1)
        #expect(LocalSocket.receive(pair[1], upTo: 64) == [])
    }

    /// A listener whose requests wait at a door; it says in `asked` that one has come.
    private func listener(at path: String, _ asked: Watched<Bool>, _ door: Door) throws -> OperatorListener {
        var options = JournalOptions()
        // On a busy machine it can take long until a task begins.
        options.requestTime = .seconds(3_600)
        return try #require(
            OperatorListener(at: path, options) { _, _ in
                asked.change { $0 = true }
                await door.pass()
                return OperatorAnswer(done: true)
            })
    }

    /// A request that asks for metrics, on a connection of its own. Returns when it has come.
    private func ask(_ path: String, _ asked: Watched<Bool>) async throws -> Int32 {
        let socket = try #require(LocalSocket.connect(to: path, timeout: .seconds(3_600)))
        let request = try JSONCodec().encode(OperatorRequest(deadline: Timestamp(microseconds: .max), nil)) + "\n"
        #expect(LocalSocket.send(Array(request.utf8), to: socket))
        _ = await asked.wait { $0 ? true : nil }
        return socket
    }

    /// Reads until the end of the connection, and closes it.
    private func rest(of socket: Int32) async throws -> String {
        try await onThread {
            defer { LocalSocket.closeSocket(socket) }
            var bytes: [UInt8] = []
            while let part = LocalSocket.receive(socket, upTo: 1_024), !part.isEmpty { bytes += part }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func `a journal that is closed first answers the requests that it carries out, and takes no others`()
        async throws
    {
        let folder = try TemporaryFolder()
        let (path, asked, door) = (folder.path("socket"), Watched(false), Door())
        let listener = try listener(at: path, asked, door)
        let silent = try #require(LocalSocket.connect(to: path, timeout: .seconds(3_600)))
        let asking = try await ask(path, asked)
        async let end: Void = listener.finish(within: .seconds(3_600))
        #expect(try await rest(of: silent) == "")
        #expect(LocalSocket.connect(to: path, timeout: .seconds(3_600)) == nil)
        door.open()
        #expect(try await rest(of: asking) == #"{"done":true}"# + "\n")
        await end
    }

    @Test(arguments: [false, true])
    func `each call that closes a journal waits for the answers, also in a cancelled task`(isCancelled: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let (path, asked, door) = (folder.path("socket"), Watched(false), Door())
        let listener = try listener(at: path, asked, door)
        let asking = try await ask(path, asked)
        let isAnswered = Box(false)
        let ends = (0..<2).map { _ in
            Task {
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                await listener.finish(within: .seconds(3_600))
                #expect(isAnswered.value)
            }
        }
        // The first call has deleted it.
        while LocalSocket.identity(of: path) != nil { await Task.yield() }
        isAnswered.change { $0 = true }
        door.open()
        #expect(try await rest(of: asking) == #"{"done":true}"# + "\n")
        for end in ends { await end.value }
    }

    @Test func `a listener does not delete the socket of another one that has taken its path`() throws {
        let folder = try TemporaryFolder()
        let (path, asked, door) = (folder.path("socket"), Watched(false), Door())
        let old = try listener(at: path, asked, door)
        LocalSocket.remove(path)
        let new = try listener(at: path, asked, door)
        old.stop()
        let socket = LocalSocket.connect(to: path, timeout: .seconds(3_600))
        #expect(socket != nil)
        if let socket { LocalSocket.closeSocket(socket) }
        new.stop()
        #expect(LocalSocket.identity(of: path) == nil)
    }

    @Test func `a request that takes long does not hold up the close`() async throws {
        let folder = try TemporaryFolder()
        let (path, asked, door) = (folder.path("socket"), Watched(false), Door())
        let listener = try listener(at: path, asked, door)
        let asking = try await ask(path, asked)
        await listener.finish(within: .milliseconds(1))
        #expect(try await rest(of: asking) == "")
        door.open()
    }
}
