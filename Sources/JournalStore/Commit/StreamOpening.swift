/// A call that opens a stream, or creates it.
struct StreamOpening: Sendable {
    /// With the first message that arrived since the stream was closed in this process; nil if none did.
    typealias Opened = (stream: Boxed<StreamInfo>, watermark: SettlementWatermark, firstArrived: Int?)

    let name: String
    let machine: String
    /// Whether it is opened without a store.
    let isLog: Bool
    let reply: @Sendable (Result<Opened, JournalError>) -> Void
}

/// A call that closes a stream, after what was submitted before.
struct StreamClosing: Sendable {
    /// nil if the stream was closed before.
    let stream: StreamID?
    let reply: @Sendable (Result<Void, JournalError>) -> Void
}
