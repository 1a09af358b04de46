import JournalStore

/// Answers requests about machines that are in another image or in another process.
protocol MachineService: Sendable {
    /// Sends a request, and passes each answer to `take` until that returns false. An error in an answer is thrown.
    func call(_ request: PluginRequest, _ take: (PluginAnswer) throws -> Bool) throws
    /// The error for a request that ended without its answer.
    var noAnswer: JournalError { get }
}

extension MachineService {
    /// Sends a request, and returns one value of the answer.
    ///
    /// - Parameter progress: Called with the progress of a long replay.
    func one<Value>(
        _ request: PluginRequest, _ value: KeyPath<PluginAnswer, Value?>,
        progress: (_ step: Int, _ last: Int) -> Void = { _, _ in }
    ) throws -> Value {
        var found: Value?
        try call(request) { answer in
            if let told = answer.progress { progress(told.step, told.last) }
            found = answer[keyPath: value] ?? found
            return true
        }
        guard let found else { throw noAnswer }
        return found
    }

    /// The machines that it can replay.
    func machines() throws -> [ReplayMachine] {
        try one(PluginRequest(act: .machines), \.machines).map { machine in
            ReplayMachine(name: machine.name, version: machine.version) { request in
                try PluginSession(self, machine: machine.name, version: machine.version, request)
            }
        }
    }
}
