// Messages between the machines of one journal.

extension StoreEngine {
    /// Sends a message. The receiver's entry and the end of the run here are committed together.
    func sendMessage(_ key: RunKey) {
        guard case .message(let message) = effects.bodies[key]?.run.work, var record = scheduler.runs[key]?.record
        else { return }
        record.delivered = 1
        record.end(as: .completed, at: options.wallClock())
        stream.journal.router.deliver(
            Delivery(
                message: message, from: stream.id, key: key, record: record, earlierRecords: recorder.buffer
            ) { [weak self, record] outcome in
                self?.postElsewhere(.delivered(key, record, outcome))
            })
    }

    /// The outcome of a message that this machine sent.
    func delivered(_ key: RunKey, _ record: EffectRun, _ outcome: Delivery.Outcome) {
        let now = moment
        switch outcome {
        case .delivered:
            scheduler.sentLast(key, record, at: now)
        case .notTaken:
            scheduler.sendAgain(key, at: now)
        // Or earlier records of this stream could not be written yet: the end of the message's run must come after
        // them.
        case .failed(let error) where error.isTransient || error.isOfEarlierRecords:
            waitForRoom()
            scheduler.sendAgain(key, at: now)
        case .failed(let error) where error.isFinal:
            return fail(error)
        case .failed(let error):
            let what = "The message of step \(key.step) of the stream '\(stream.name)' could not be delivered. "
            options.notify(
                .messageFailed,
                changed(error) {
                    $0.message = what + $0.message
                    $0.advice += ($0.advice.isEmpty ? "" : " ") + location.adviceToSendAgain(key, after: error)
                })
            scheduler.couldNotSend(key, error: Self.text(of: error), at: now)
        }
        startDue(now)
    }

    /// Admits a message of another machine, like an action of an effect.
    func receive(_ delivery: Delivery) {
        guard !isOver else { return delivery.reply(.notTaken) }
        let message = delivery.message
        do throws(JournalError) {
            try location.check(
                message.machine, isMachineOfStream: program.name, advice: Delivery.adviceForOtherMachine)
            let action = try program.action(message.text, version: message.version, location)
            // This version reduces it, so it is stored as one of this version: older code must not open the stream then.
            let text = message.version == program.version ? message.text : try encode(action)
            admit(Send(key: delivery.key, .message(delivery), action: action, text: text))
        } catch {
            delivery.reply(.failed(error))
        }
    }
}

extension ErrorLocation {
    /// What to do about a message that has failed, when its cause is gone. A retry sends the same message to the same
    /// machine and stream.
    fileprivate func adviceToSendAgain(_ key: RunKey, after error: JournalError) -> String {
        if [.otherMachine, .badArgument].contains(error.code) {
            return
                "Then dispatch the action of its step again, unless that must not happen twice: a retry would send the "
                + "message to the same stream and machine."
        }
        return "Then send it again: `journal-replay retry \(fileWord) \(key) --stream=\(ShellWord.quoted(stream))`."
    }
}
