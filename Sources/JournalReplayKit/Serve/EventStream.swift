import Dispatch
import JournalStore

/// The events of one connection, as bytes: https://html.spec.whatwg.org/multipage/server-sent-events.html
///
/// One thread at a time calls ``fill(_:)``. A connection that reads slowly gets fewer and larger batches.
final class EventStream {
    /// Without news, a comment finds out whether the other side is still there.
    private static let patience = 10

    private let page: LivePage
    private let semaphore = DispatchSemaphore(value: 0)
    private let number: Int
    private var revision: Int
    private var problem: String?
    private var bytes: [UInt8] = Array("retry: 1000\n\n".utf8)
    private var sent = 0
    private var isOver = false

    init(_ page: LivePage, after revision: Int) {
        (self.page, self.revision) = (page, revision)
        number = page.join(semaphore)
    }

    deinit {
        page.leave(number)
    }

    /// Waits for news, and fills a buffer with them.
    ///
    /// - Returns: how many bytes; nil at the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while sent == bytes.count {
            guard !isOver else { return nil }
            bytes = next()
            sent = 0
        }
        let part = bytes[sent..<min(bytes.count, sent + buffer.count)]
        buffer.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    private func next() -> [UInt8] {
        while true {
            switch page.news(since: revision, knowing: problem) {
            case .nothing:
                let isNews = semaphore.wait(timeout: .now() + .seconds(EventStream.patience)) == .success
                if !isNews { return Array(":\n\n".utf8) }
            case .batch(let json, let newest):
                revision = newest
                return EventStream.event(id: newest, json)
            case .problem(let text):
                problem = text
                return EventStream.event("problem", .text(text))
            case .reload:
                isOver = true
                return EventStream.event("reload", .null)
            case .end:
                isOver = true
                return EventStream.event("end", .null)
            }
        }
    }

    /// JSON has no line breaks, so an event has one line of data.
    static func event(_ name: String? = nil, id: Int? = nil, _ data: JSON) -> [UInt8] {
        let lines = [name.map { "event: \($0)" }, id.map { "id: \($0)" }, "data: \(data.json)"]
        return Array((lines.compactMap(\.self).joined(separator: "\n") + "\n\n").utf8)
    }
}
