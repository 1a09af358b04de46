/// Passes what a body emits to those who listen.
protocol OutputEmitter: Sendable {
    /// Drops the value if the body has ended or was cancelled.
    func emit(_ value: any Sendable)
}

extension EffectContext {
    /// Passes a value to those who listen: to the caller of the dispatch, by ``Dispatched/outputs(of:)``, and to the
    /// app, by ``Store/outputs(of:)``. Does not wait, and does nothing if there is no listener.
    ///
    /// Outputs are not journaled and never reach the reducer: use them for progress or parts of a text, and `send` for
    /// what the state depends on. A body that runs again, after a restart or for a retry, emits again. What is emitted
    /// after the body has ended or was cancelled is dropped.
    public func emit(_ value: some Sendable) {
        emitter.emit(value)
    }
}
