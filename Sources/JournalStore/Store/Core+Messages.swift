// What machines of one journal send to each other.

extension Core {
    /// Gives another machine an action. Its entry there and the end of the record here are committed together.
    func send(_ key: RunKey) {
        guard case .message(let message) = turn.bodies[key]?.run.work, var record = turn.scheduler.runs[key]?.record
        else { return }
        record.delivered = 1
        record.end(as: .completed, at: stream.journal.options.clock())
        stream.journal.switchboard.deliver(
            Delivery(message: message, from: stream.id, key: key, record: record) { [weak self, record] outcome in
                self?.arrived(.delivered(key, record, outcome))
            })
    }

    func delivered(_ key: RunKey, _ record: EffectRun, _ outcome: Delivery.Outcome) {
        let now = moment
        switch outcome {
        case .delivered:
            turn.scheduler.sentLast(key, record, at: now)
        case .notTaken:
            turn.scheduler.sendAgain(key, at: now)
        case .failed(let error) where error.isPassing:
            waitForRoom()
            turn.scheduler.sendAgain(key, at: now)
        case .failed(let error) where error.isFinal:
            return fail(error)
        case .failed(let error):
            var told = error
            told.message =
                "What step \(key.step) of the stream '\(stream.name)' sends could not be given to its receiver. "
                + error.message
            stream.journal.options.report(Notice(kind: .messageFailed, error: told))
            turn.scheduler.couldNotSend(key, error: Core.text(of: error), at: now)
        }
        carryOn(now)
    }

    /// Takes an action of another machine in: as one of its own that effects send, behind what is under way.
    func receive(_ delivery: Delivery) {
        guard !turn.isOver else { return delivery.reply(.notTaken) }
        let message = delivery.message
        do throws(JournalError) {
            guard message.machine == program.name else {
                throw JournalError(
                    .otherMachine, "The stream belongs to the machine '\(program.name)', not to '\(message.machine)'.",
                    advice: "Connect the sender to the machine of that stream.", file: place.file, stream: place.stream)
            }
            let action = try program.action(message.text, version: message.version, place)
            entrance.withLock {
                $0.lane.add(Send(key: delivery.key, .message(delivery), action: action, text: message.text))
            }
            release()
        } catch {
            delivery.reply(.failed(error))
        }
    }
}
