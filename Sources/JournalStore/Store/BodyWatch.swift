/// Tells the probe of a test and the receiver of spans when a body starts and ends.
///
/// An object, which most bodies do not have: what a body's task refers to stays in memory as long as the body runs.
final class BodyWatch: Sendable {
    private let body: JournalOptions.CrashPoint.Body
    private let options: JournalOptions

    /// - Returns: nil if there is neither a probe nor a receiver of spans.
    init?(_ options: JournalOptions, _ context: EffectContext, _ record: EffectRun) {
        guard options.probe != nil || options.trace != nil else { return nil }
        self.options = options
        body = JournalOptions.CrashPoint.Body(
            journal: options.number, stream: context.stream, step: context.step, ordinal: context.ordinal,
            name: record.name,
            attempt: context.attempt, idempotencyKey: context.idempotencyKey, restart: record.restart.rawValue)
    }

    /// Runs the body, in a task that knows which one it is.
    fileprivate func follow<Result>(_ work: @concurrent () async throws -> Result) async throws -> Result {
        options.probe?(.started(body))
        let span = options.beginSpan(of: body.stream)
        do {
            let result = try await JournalOptions.CrashPoint.Body.$current.withValue(body) { try await work() }
            ended(span, nil)
            return result
        } catch {
            ended(span, error)
            throw error
        }
    }

    private func ended(_ span: OpenSpan?, _ error: (any Error)?) {
        span?.end(.effect) { span in
            (span.step, span.ordinal, span.attempt) = (body.step, body.ordinal, body.attempt)
            (span.name, span.error) = (body.name, error.map { "\($0)" })
        }
        options.probe?(.ended(body))
    }
}

extension BodyWatch? {
    /// Runs the body; nil if nobody watches it.
    func follow<Result>(_ work: @concurrent () async throws -> Result) async throws -> Result {
        guard let self else { return try await work() }
        return try await self.follow(work)
    }
}
