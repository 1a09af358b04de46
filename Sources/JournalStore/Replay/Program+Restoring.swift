// Restoring described effects from their records.

extension Program {
    /// What is stored of a queue; nil if it cannot be decoded.
    func record(of queue: QueueMemory, headStep: Int) -> QueueRecord? {
        guard var record = try? records.decode(QueueRecord.self, from: queue.policy) else { return nil }
        // In a fork, the rule can be that of a later step of the original: each instance that is restored is newer
        // then.
        if record.since.step > headStep { record.since = RunKey(step: 0) }
        return record
    }

    /// The rules of stored queues, by their keys.
    func rules(of queues: [QueueMemory], headStep: Int) -> [String: QueueRule] {
        let rules = queues.compactMap { row in record(of: row, headStep: headStep).map { (row.key, $0.rule) } }
        return Dictionary(rules) { first, _ in first }
    }

    /// Restores a described effect from its record; nil if there is no handler for it any more.
    ///
    /// - Throws: the value, or one of its actions, cannot be decoded.
    func restoreDescribed(
        _ record: EffectRun, _ rules: [String: QueueRule], _ location: ErrorLocation
    ) throws(JournalError) -> RecoveredRun<Action>? {
        do {
            guard let entry = record.entry, let run = try run(record, queues: rules, location) else { return nil }
            return RecoveredRun(record, run, entry)
        } catch {
            var reported = location.notDecodable(
                .describedEffect, record.version, version, error, isUpcast: false)
            reported.advice =
                "Change its type so that it decodes the stored value, for example with an `init(from:)` with defaults."
            if let error = error as? JournalError { reported = error }
            reported.message = "The effect '\(record.name)' (\(record.key)) cannot be decoded. " + reported.message
            reported.advice += location.adviceToCancel(record)
            throw reported
        }
    }

    /// The described effect of a record; nil if there is no handler for it any more.
    ///
    /// - Parameter rules: the rules of queues, by their texts.
    private func run(
        _ record: EffectRun, queues rules: [String: QueueRule], _ location: ErrorLocation
    ) throws -> Effect<Action>.Run? {
        guard let text = record.described, let name = Description.name(in: text) else { return nil }
        func action(_ text: String?) throws -> Action? {
            try text.map { try self.action($0, version: record.version, location) }
        }
        let work: Effect<Action>.Work
        var handlerFailure: Effect<Action>.Failure?
        if name == EffectRun.messageKey {
            guard var message = try records.decode([String: Message].self, from: text)[name], let sends = record.sends
            else { return nil }
            message.text = sends
            return Effect.Run(message)
        }
        if name == TimerPlan.name {
            guard let plan = try records.decode([String: TimerPlan].self, from: text)[name],
                let action = try action(record.sends)
            else { return nil }
            work = .timer(plan, action)
        } else {
            guard let described = try handlers[name]?(text) else { return nil }
            work = described.work
            handlerFailure = described.failure
        }
        let restart: Effect<Action>.Restart =
            switch record.restart {
            case .resume: .resume
            case .cancel: .cancel
            case .dispatch: try action(record.onRestart).map { .dispatch($0) } ?? .ask
            case .ask: .ask
            }
        let queue = try record.queueText.map { text throws(EffectFailure) in
            guard let rule = rules[text] else { throw EffectFailure(description: "Its queue \(text) is not recorded.") }
            return StoredQueue(text: text, rule: rule)
        }
        return Effect.Run(
            name: record.name, id: record.effectID,
            queue: queue,
            priority: record.taskPriority,
            delay: .microseconds(record.delay ?? 0), restart: restart,
            retry: try record.retryText.map { try storedPolicy($0) } ?? .never,
            failure: try action(record.onFailure).map { Effect<Action>.Failure.action($0) } ?? handlerFailure,
            cancel: try action(record.onCancel), orphan: try action(record.onOrphan), work: work)
    }

    private func storedPolicy(_ text: String) throws -> RetryPolicy {
        changed(try records.decode(RetryPolicy.self, from: text)) { $0.canHaveDescriptions = true }
    }
}
