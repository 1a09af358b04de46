import JournalStore

/// A replay session with a machine of a loaded library, or of another process.
final class PluginSession: ReplaySession {
    private let service: any MachineService
    private let number: Int
    private let progress: @Sendable (_ step: Int, _ last: Int) -> Void
    let version: Int

    init(_ service: any MachineService, machine: String, version: Int, _ request: ReplayRequest) throws {
        self.service = service
        self.version = version
        progress = request.progress
        number = try service.one(
            PluginRequest(
                act: .open, machine: machine, file: request.reader.file, stream: request.stream,
                without: request.without), \.session)
    }

    deinit {
        try? service.call(PluginRequest(act: .close, session: number)) { _ in true }
    }

    func state(at step: Int) throws -> String {
        try service.one(PluginRequest(act: .state, session: number, from: step), \.state, progress: progress)
    }

    func step(_ step: Int) throws -> StepView {
        try service.one(PluginRequest(act: .step, session: number, from: step), \.step, progress: progress)
    }

    func changes(from: Int, to: Int) throws -> [ValueDiff.Change] {
        try service.one(
            PluginRequest(act: .changes, session: number, from: from, to: to), \.changes, progress: progress)
    }

    func changes(fromState text: String, to step: Int) throws -> [ValueDiff.Change] {
        try service.one(
            PluginRequest(act: .compare, session: number, to: step, text: text), \.changes, progress: progress)
    }

    func changes(fromState text: String, toVerified step: Int) throws -> [ValueDiff.Change] {
        try service.one(
            PluginRequest(act: .compareVerified, session: number, to: step, text: text), \.changes, progress: progress)
    }

    func states(_ steps: ClosedRange<Int>, _ visit: (Int, String) throws -> Bool) throws {
        let request = PluginRequest(act: .states, session: number, from: steps.lowerBound, to: steps.upperBound)
        try service.call(request) { answer in
            if let told = answer.progress { progress(told.step, told.last) }
            guard let step = answer.number, let state = answer.state else { return true }
            return try visit(step, state)
        }
    }

    func verify(every stride: Int?, _ visit: (Int, String) throws -> Void) throws -> ReplayReport {
        var report: ReplayReport?
        try service.call(PluginRequest(act: .verify, session: number, every: stride)) { answer in
            if let told = answer.progress { progress(told.step, told.last) }
            if let step = answer.number, let state = answer.state { try visit(step, state) }
            if let found = answer.report { report = found }
            return true
        }
        guard let report else { throw service.noAnswer }
        return report
    }
}
