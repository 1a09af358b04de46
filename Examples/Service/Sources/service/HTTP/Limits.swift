/// How much a client may send, and how long it may take.
struct Limits: Sendable {
    /// The bytes of the request line.
    var requestLine = 2_048
    /// The bytes of all headers.
    var headers = 8_192
    /// The bytes of the body.
    var body = 16_384
    /// The time until the request is complete; and again until the answer is sent.
    var time = Duration.seconds(5)
    /// How many connections are served at a time. Further ones wait in the queue of the system.
    var connections = 64
}
