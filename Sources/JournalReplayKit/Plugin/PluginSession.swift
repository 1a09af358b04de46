import CJournalReplay
import JournalStore

/// A replay session with a machine of a loaded library.
final class PluginSession: ReplaySession {
    private let library: PluginLibrary
    private let number: Int
    let version: Int

    init(_ library: PluginLibrary, machine: String, version: Int, _ request: ReplayRequest) throws {
        self.version = version
        var library = library
        library.progress = request.progress
        self.library = library
        number = try library.one(
            PluginRequest(
                act: .open, machine: machine, file: request.reader.file, stream: request.stream,
                without: request.without), \.session)
    }

    deinit {
        try? library.call(PluginRequest(act: .close, session: number)) { _ in true }
    }

    func state(at step: Int) throws -> String {
        try library.one(PluginRequest(act: .state, session: number, from: step), \.state)
    }

    func step(_ step: Int) throws -> StepView {
        try library.one(PluginRequest(act: .step, session: number, from: step), \.step)
    }

    func changes(from: Int, to: Int) throws -> [ValueDiff.Change] {
        try library.one(PluginRequest(act: .changes, session: number, from: from, to: to), \.changes)
    }

    func changes(fromState text: String, to step: Int) throws -> [ValueDiff.Change] {
        try library.one(PluginRequest(act: .compare, session: number, to: step, text: text), \.changes)
    }

    func states(_ steps: ClosedRange<Int>, _ visit: (Int, String) throws -> Bool) throws {
        let request = PluginRequest(act: .states, session: number, from: steps.lowerBound, to: steps.upperBound)
        try library.call(request) { answer in
            guard let step = answer.number, let state = answer.state else { return true }
            return try visit(step, state)
        }
    }

    func verify(every stride: Int?, _ visit: (Int, String) throws -> Void) throws -> ReplayReport {
        var report: ReplayReport?
        try library.call(PluginRequest(act: .verify, session: number, every: stride)) { answer in
            if let step = answer.number, let state = answer.state { try visit(step, state) }
            if let found = answer.report { report = found }
            return true
        }
        guard let report else { throw library.noAnswer }
        return report
    }
}
