extension Runtime {
    /// Dispatches an event when the side effect of an output is cancelled: by its strategy, by the app or an operator,
    /// by a restart policy, or because a newer one of its queue replaces it.
    ///
    /// The event is recorded with the output, and is committed once, as that of ``Effect/onCancel(_:)``. The first
    /// event for an output counts.
    ///
    /// - Parameters:
    ///   - output: the output.
    ///   - event: the event.
    public func onCancel(output: Output, _ event: Event) -> Runtime {
        adding(cancellation: { $0 == output ? .some(event) : nil })
    }

    /// Dispatches an event when the side effect of an output of a case is cancelled: by its strategy, by the app or an
    /// operator, by a restart policy, or because a newer one of its queue replaces it.
    ///
    /// The event is recorded with the output, and is committed once, as that of ``Effect/onCancel(_:)``. The first
    /// function for an output counts.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Output.close(speed:)`.
    ///   - event: returns the event for the payload, or nil for none. It must be pure, because every replay calls it
    ///     again.
    public func onCancel<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output, _ event: @escaping @Sendable (Payload) -> Event?
    ) -> Runtime {
        let payloads = PayloadReader<Output>()
        return adding(cancellation: { output in payloads.payload(of: output, in: constructor).map(event) })
    }
}
