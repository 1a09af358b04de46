extension Runtime {
    /// Dispatches an event when a restart finds the side effect of an output that the code does not know any more, as after
    /// the type of the outputs was renamed. It never runs again.
    ///
    /// The event is recorded with the output, and is committed once, as that of ``Effect/onOrphan(_:)``. The first
    /// event for an output counts.
    ///
    /// - Parameters:
    ///   - output: the output.
    ///   - event: the event.
    public func onOrphan(output: Output, _ event: Event) -> Runtime {
        adding(orphan: { $0 == output ? .some(event) : nil })
    }

    /// Dispatches an event when a restart finds the side effect of an output of a case that the code does not know any
    /// more, as after the type of the outputs was renamed. It never runs again.
    ///
    /// The event is recorded with the output, and is committed once, as that of ``Effect/onOrphan(_:)``. The first
    /// function for an output counts.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Output.close(speed:)`.
    ///   - event: returns the event for the payload, or nil for none. It must be pure, because every replay calls it
    ///     again.
    public func onOrphan<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output, _ event: @escaping @Sendable (Payload) -> Event?
    ) -> Runtime {
        let payloads = PayloadReader<Output>()
        return adding(orphan: { output in payloads.payload(of: output, in: constructor).map(event) })
    }
}
