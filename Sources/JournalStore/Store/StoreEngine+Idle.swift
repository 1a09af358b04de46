// Closing a store in which nothing happens until an action comes, or until a time.

extension StoreEngine {
    /// A snapshot of a stream that may be opened again soon costs more than reducing a few steps.
    private static var fewestSteps: Int { 16 }

    /// Closes the store if nothing happens in it until an action comes, or until a time.
    ///
    /// - Returns: when it is needed again; nil if it stays open.
    func closeIfIdle() async throws(JournalError) -> WakePlan? {
        // From the moment on at which it takes no calls any more.
        stream.journal.beginRelease(of: stream.name)
        defer { stream.journal.finishedRelease(of: stream.name) }
        let plan = await withUnsafeContinuation { continuation in
            post(.closeIfIdle { continuation.resume(returning: $0) })
        }
        if plan != nil { try await close(saving: Self.fewestSteps) }
        return plan
    }

    func closeIfIdle(_ reply: @escaping @Sendable (WakePlan?) -> Void) {
        if isOver { return reply(.never) }
        guard let plan = planIfClosed else { return reply(nil) }
        keepRecords()
        if recorder.buffer.holdsRecords {
            // An effect whose end could not be written would run again.
            return answerWhenWritten { [weak self] result in
                guard case .success = result, let self else { return reply(nil) }
                postElsewhere(.closeIfIdle(reply))
            }
        }
        isClosingIdle = true
        close { _ in }
        reply(plan)
    }

    /// When the store is needed again if it is closed now; nil if it must stay open.
    private var planIfClosed: WakePlan? {
        guard !isRecovering, unstableOpening == nil, effects.handles.isEmpty, deferredEvents.isEmpty, joins == nil,
            waitingForState.isEmpty, fullDisk.retryAt == nil, gate.withLock({ $0.queue.isIdle })
        else { return nil }
        // A closing waits for the machine's middleware, which may be waiting for this stream.
        if middleware != nil, middlewareStep < step { return nil }
        // A closing ends what listens, also if nothing else refers to the store.
        if broadcast.isFollowed || outputs.isRead { return nil }
        // These two look at each effect, so they come last. A closing would lose an effect without a record, and end a
        // result that a caller has.
        guard !scheduler.runs.values.contains(where: \.request.isEphemeral), !areEffectsTracked else { return nil }
        let plan = WakePlan(scheduler.recordsToWake(at: moment), knowsOrphans: true)
        switch plan {
        case .now: return nil
        // If the clock was set forward, it waits all the same. A closed stream does not, so it is closed then.
        case .at(let time) where time <= options.wallClock() && (scheduler.nextWake ?? .zero) <= ticker.now():
            return nil
        case .at, .never: return plan
        }
    }

    /// Whether a caller has the result of a dispatch whose effects have not ended.
    private var areEffectsTracked: Bool {
        !dispatches.tracked.isEmpty || effects.bodies.values.contains { $0.tracker != nil }
    }
}

/// A caller that waits until no effect runs or waits any more.
final class Join: Sendable {
    /// Whether only running bodies count.
    let bodiesOnly: Bool
    let reply: @Sendable () -> Void

    init(bodiesOnly: Bool, reply: @escaping @Sendable () -> Void) {
        (self.bodiesOnly, self.reply) = (bodiesOnly, reply)
    }
}

/// The callers of `join`. An object that is made for the first of them: few stores have any, and many are open.
final class Joins {
    /// Those that wait until no effect runs or waits.
    var ofEffects = WaitingCallers<Join>()
    /// Those that wait until no body runs.
    var ofBodies = WaitingCallers<Join>()

    var isEmpty: Bool { ofEffects.isEmpty && ofBodies.isEmpty }
}
