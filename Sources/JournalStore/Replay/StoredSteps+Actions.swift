extension StoredSteps {
    /// Decodes the action of a step.
    @inline(__always)
    func action<Action, State>(
        of step: StoredStep, _ program: Program<Action, State>, _ place: @autoclosure () -> ErrorLocation
    ) throws(JournalError) -> Action {
        do { return try action(of: step, program.decodeStored) } catch {
            let text = String(decoding: bytes[step.action], as: UTF8.self)
            throw program.notDecodable(text, version: step.version, place().at(step.number), error)
        }
    }

    /// - Parameter decode: decodes the stored bytes of an action of the given version.
    @inline(__always)
    func action<Action>(
        of step: StoredStep, _ decode: (UnsafeBufferPointer<UInt8>, Int) throws -> Action
    ) throws -> Action {
        try bytes.withUnsafeBufferPointer { try decode(UnsafeBufferPointer(rebasing: $0[step.action]), step.version) }
    }
}
