extension Runtime {
    /// Dispatches an event when the side effect of an output has finally failed, in the transaction that records the
    /// failure.
    ///
    /// The function is not recorded: after a restart, the function that the code has then is called. The first function
    /// for an output counts.
    ///
    /// - Parameters:
    ///   - output: the output.
    ///   - event: returns the event for the error of the last attempt, or nil for none.
    public func onFailure(output: Output, _ event: @escaping @Sendable (any Error) -> Event?) -> Runtime {
        adding { $0 == output ? event : nil }
    }

    /// Dispatches an event when the side effect of an output of a case has finally failed, in the transaction that
    /// records the failure.
    ///
    /// The function is not recorded: after a restart, the function that the code has then is called. The first function
    /// for an output counts.
    ///
    /// - Parameters:
    ///   - constructor: the case's constructor, as `Output.close(speed:)`.
    ///   - event: returns the event for the payload and the error of the last attempt, or nil for none.
    public func onFailure<Payload: Sendable>(
        output constructor: @escaping @Sendable (Payload) -> Output,
        _ event: @escaping @Sendable (Payload, any Error) -> Event?
    ) -> Runtime {
        let payloads = PayloadReader<Output>()
        return adding { output in
            guard let payload = payloads.payload(of: output, in: constructor) else { return nil }
            return { error in event(payload, error) }
        }
    }
}
