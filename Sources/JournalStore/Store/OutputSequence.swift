/// The values of one type that bodies of effects emit. Values of other types are skipped, as by `as?`.
///
/// Each iteration begins with the first value of the sequence that is still kept. A listener that falls more than 1,024
/// outputs behind misses the oldest of them.
public struct OutputSequence<Output: Sendable>: AsyncSequence, Sendable {
    /// A value that was emitted.
    public typealias Element = Output
    /// It does not fail.
    public typealias Failure = Never

    /// Nil if there is nothing to wait for.
    private let reader: OutputReader?

    /// The outputs of the effects that a tracker follows, from their start on.
    init(_ tracker: Tracker<some Sendable>?) {
        reader = tracker.map { OutputReader($0.outputs, fromStart: true, of: $0) }
    }

    /// The outputs of a log from now on.
    init(_ log: OutputLog) {
        reader = OutputReader(log, fromStart: false)
    }

    /// The first value, as soon as it is emitted; nil if none comes any more, or if the task is cancelled.
    public func first() async -> Output? {
        await first { _ in true }
    }

    /// All values, once no more come, or the task is cancelled.
    public func all() async -> [Output] {
        await reduce(into: []) { $0.append($1) }
    }

    /// Makes an iterator that begins with the first value of the sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, index: reader?.start ?? 0)
    }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: OutputReader?
        fileprivate var index: Int

        /// Waits for the next value; nil if none comes any more, or if the task is cancelled.
        public mutating func next() async -> Output? {
            await reader?.log.next(Output.self, from: &index)
        }

        /// Waits for the next value; nil if none comes any more, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Output? {
            await reader?.log.next(Output.self, from: &index)
        }
    }
}

/// A listener: while there is one, the log keeps outputs.
private final class OutputReader: Sendable {
    let log: OutputLog
    let start: Int
    /// The tracker of the outputs: the store does not keep it.
    private let owner: (any AnyObject & Sendable)?

    init(_ log: OutputLog, fromStart: Bool, of owner: (any AnyObject & Sendable)? = nil) {
        let next = log.addReader()
        (self.log, self.owner, start) = (log, owner, fromStart ? 0 : next)
    }

    deinit { log.removeReader() }
}

extension Dispatched {
    /// The values of a type that the bodies of its effects emit, from their start on, until its effects have ended.
    /// With `trackingFeedback`, also those of all effects they lead to.
    ///
    /// Outputs are not journaled: they reach those who listen in this process. The newest 1,024 are buffered for each
    /// dispatch.
    ///
    /// ```swift
    /// let dispatched = try await store.dispatch(.download)
    /// for await progress in dispatched.outputs(of: Progress.self) { show(progress) }
    /// ```
    public func outputs<Output: Sendable>(of type: Output.Type = Output.self) -> OutputSequence<Output> {
        OutputSequence(tracker)
    }
}

extension Store {
    /// The values of a type that the bodies of all effects emit from this call on, until the store ends.
    ///
    /// Outputs are not journaled: they reach those who listen in this process, and a body that runs again emits again.
    public func outputs<Output: Sendable>(of type: Output.Type = Output.self) -> OutputSequence<Output> {
        OutputSequence(engine.outputs.log)
    }
}
