import JournalStore

/// Another process of this program, which answers requests about streams, one at a time.
///
/// Several children work at the same time if each gets a request before the answers of the first are read.
final class ReplayChild: MachineService {
    private let process: ChildProcess
    /// The answers to the last request are not all read.
    private let isAnswering = Lock(false)
    private let codec = JSONCodec()

    /// The tool's command that answers the requests.
    static let command = "answer"

    /// The line after the answers to a request.
    static let endOfAnswers = "{}"

    /// The process has ended.
    struct Ended: Error {
        /// 128 plus the number of the signal, if a signal ended it.
        var status: Int32

        func error(_ advice: String, file: String? = nil, stream: String, step: Int? = nil) -> JournalError {
            JournalError(
                .crashed, "The process that replayed the stream ended with status \(status).", advice: advice,
                file: file,
                stream: stream, step: step)
        }
    }

    init(_ process: ChildProcess) {
        self.process = process
    }

    /// Whether it can get a request.
    var isReady: Bool { !isAnswering.withLock { $0 } }

    func call(_ request: PluginRequest, _ take: (PluginAnswer) throws -> Bool) throws {
        try send(request)
        try receive(take)
    }

    /// Sends a request. ``receive(_:)`` must follow.
    func send(_ request: PluginRequest) throws {
        guard isReady else { throw noAnswer }
        isAnswering.withLock { $0 = true }
        let line = try codec.encode(request)
        do throws(ChildProcess.Failure) { try process.write(line: line) } catch { throw Ended(status: process.wait()) }
    }

    /// Passes the answers to the last request to `take`. If that returns false or throws, this child gets no further
    /// request: it may be busy with the answers for long.
    func receive(_ take: (PluginAnswer) throws -> Bool) throws {
        while true {
            let line: String?
            do throws(ChildProcess.Failure) { line = try process.line() } catch { line = nil }
            guard let line else { throw Ended(status: process.wait()) }
            // An app may print something before it calls the tool.
            guard line.hasPrefix("{") else { continue }
            if line == Self.endOfAnswers { break }
            let answer = try codec.decode(PluginAnswer.self, from: line)
            if let told = answer.error {
                // An error is the last answer.
                try receive { _ in true }
                throw told.error
            }
            guard try take(answer) else { return }
        }
        isAnswering.withLock { $0 = false }
    }

    var noAnswer: JournalError {
        JournalError(
            .badArgument, "The other process, which replays, gave no answer.",
            advice: "Try again; it runs the same program, which must not have been replaced meanwhile.")
    }
}
