/// What a ``When`` executes: an output, or nothing.
public struct Execute<Output: Sendable>: Sendable {
    @usableFromInline let output: Output?

    private init(_ output: Output?) {
        self.output = output
    }

    /// Executes an output: the runtime's side effect for it starts when the state is entered.
    public init(output: Output) {
        self.init(output as Output?)
    }

    /// Executes nothing.
    public static var noOutput: Execute { Execute(nil) }
}
