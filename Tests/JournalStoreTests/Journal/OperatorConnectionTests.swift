import Dispatch
import Foundation
import JournalTesting
import Testing

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
}
