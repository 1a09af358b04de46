import JournalStore

/// What happens to one order: its entries and records, with times.
struct OrderLife {
    struct Event {
        var time: Int64
        var action: OrderAction
        var origin = Origin.dispatched
        var cause: Cause?
    }

    let stream: StreamID
    private(set) var events: [Event] = []
    private(set) var runs: [EffectRun] = []
    private(set) var records: [StepRecord] = []
    private(set) var remembered: [RememberedStep] = []
    private(set) var acts: [Intervention] = []
    private let number: Int
    private let start: Int64

    private static let goods = [("tea", 450), ("coffee", 780), ("kettle", 3_900), ("cup", 1_200), ("filter", 310)]
    private static let people = ["Ada", "Grace", "Edsger", "Barbara", "Alan"]

    init(_ number: Int, _ stream: StreamID, _ start: Int64) {
        (self.number, self.stream, self.start) = (number, stream, start)
        add(0, .create(customer: OrderLife.people[number % 5]))
        for index in 0..<(1 + number % 4) {
            let (name, price) = OrderLife.goods[(number + index) % 5]
            add(2 + Double(index) * 1.7, .add(item: name, price: price))
        }
        if number % 9 == 4 {
            add(9, .ship(to: "unknown"))
            records.append(
                StepRecord(
                    stream: stream, step: events.count, outcome: .rejected, reason: "the order is not paid"))
        }
        add(10, .pay(card: "4000-0000-0000-\(1_000 + number)"))
        pay()
    }

    private mutating func pay() {
        let step = events.count
        let charge = Cause(step: step, run: 0)
        switch number {
        case 17:
            run(
                step, "charge", .failed, from: 10.1, to: 18.4, attempts: 3, failures: 2,
                error: "card declined: limit exceeded")
            add(18.4, .declined(reason: "card declined: limit exceeded"), .effect, charge)
            run(events.count, "mail", .parked, from: 18.5, attempts: 2)
            return
        case 21, 22:
            // The process ends while these are charged.
            run(step, "charge", .completed, from: 10.1, to: 31, attempts: 2)
            add(29, .remind, .restart, Cause(step: step, run: 0))
            add(31, .paid(receipt: "r-\(number)"), .effect, charge)
        case 25:
            run(step, "charge", .cancelled, from: 10.1, to: 14, attempts: 1)
            acts.append(
                Intervention(
                    act: .cancel, step: step, ordinal: 0, time: time(14), before: .running,
                    .init(reason: "customer called", user: "ann")))
            return
        case let number where number % 6 == 3:
            run(step, "charge", .completed, from: 10.1, to: 15.9, attempts: 3, failures: 2)
            add(15.9, .paid(receipt: "r-\(number)"), .effect, charge)
        default:
            run(step, "charge", .completed, from: 10.1, to: 11.3, attempts: 1)
            add(11.3, .paid(receipt: "r-\(number)"), .effect, charge)
        }
        ship(events[events.count - 1].time - start)
    }

    private mutating func ship(_ paid: Int64) {
        let paid = Double(paid) / 1_000_000
        add(paid + 4, .ship(to: "\(number) Main Street"))
        let step = events.count
        remembered += ["label", "pickup"].enumerated().map { index, name in
            RememberedStep(
                stream: stream, step: step, ordinal: 0, path: index == 0 ? "" : "/parcel/1", name: name, use: 1,
                result: "{\"\(name)\":\(number * 10 + index)}")
        }
        if number % 10 == 0 {
            run(step, "deliver", .running, from: paid + 4.2, attempts: 1)
            run(step, "survey", .delayed, from: nil, attempts: 0)
            return
        }
        run(step, "deliver", .completed, from: paid + 4.2, to: paid + 25, attempts: 1)
        add(paid + 25, .shipped(parcel: "p-\(number)"), .effect, Cause(step: step, run: 0))
    }

    /// Attempts that fail after two seconds each, or are cut off by the end of their process.
    private func notes(
        _ attempts: Int, _ failures: Int, _ from: Double, _ to: Double, _ error: String?
    ) -> [EffectAttempt] {
        (1...attempts).map { number in
            let started = from + (to - from) * Double(number - 1) / Double(attempts)
            let hasFailed = number <= failures
            return EffectAttempt(
                number: number, started: time(started), ended: hasFailed ? time(started + 2) : nil,
                error: hasFailed ? "\(error ?? "") (\(number))" : nil)
        }
    }

    private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: start + Int64(seconds * 1_000_000)) }

    private mutating func add(
        _ seconds: Double, _ action: OrderAction, _ origin: Origin = .dispatched, _ cause: Cause? = nil
    ) {
        events.append(Event(time: time(seconds).microseconds, action: action, origin: origin, cause: cause))
    }

    private mutating func run(
        _ step: Int, _ name: String, _ status: EffectRun.Status, from: Double?, to: Double? = nil, attempts: Int,
        failures: Int = 0, error: String? = nil
    ) {
        let ordinal = runs.filter { $0.step == step }.count
        var run = EffectRun(
            stream: stream, step: step, ordinal: ordinal, rootStep: step, name: name,
            effectID: "String \"\(name)-\(number)\"", status: status, attempts: attempts,
            retry: failures > 0 ? #"{"maxAttempts":3}"# : nil, notBefore: from == nil ? time(90_000) : nil,
            started: from.map(time), ended: to.map(time),
            error: failures > 0 ? error ?? "the bank did not answer" : error,
            delivered: to == nil ? 0 : 1)
        run.failures = failures + (status == .failed ? 1 : 0)
        if let from, attempts > 1 { run.notes = notes(attempts, failures, from, to ?? from + 60, run.error) }
        runs.append(run)
    }
}
