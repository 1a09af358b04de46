/// A call that opens a stream, or creates it.
struct StreamOpening: Sendable {
    typealias Opened = (info: StreamInfo, watermark: SettlementWatermark)

    let name: String
    let machine: String
    let reply: @Sendable (Result<Opened, JournalError>) -> Void
}

/// A call that closes a stream, after what was submitted before.
struct StreamClosing: Sendable {
    /// nil if the stream was closed before.
    let stream: StreamID?
    let reply: @Sendable (Result<Void, JournalError>) -> Void
}
