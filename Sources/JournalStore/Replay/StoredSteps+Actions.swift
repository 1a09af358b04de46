extension StoredSteps {
    /// Decodes the action of a step.
    @inline(__always)
    func action<Action, State>(
        of step: StoredStep, _ program: Program<Action, State>, _ place: @autoclosure () -> ErrorLocation
    ) throws(JournalError) -> Action {
        do {
            return try bytes.withUnsafeBufferPointer { bytes in
                try program.decodeStored(UnsafeBufferPointer(rebasing: bytes[step.action]), step.version)
            }
        } catch {
            let text = String(decoding: bytes[step.action], as: UTF8.self)
            throw place().at(step.number).notDecodable(Action.self, text, step.version, program.version, error)
        }
    }
}
