import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Scheduling, any sequence of admissions` {
    /// What is under way, and what was reduced, by name.
    private struct Model {
        var underWay: [String] = []
        /// In the order of arrival.
        var waiting: [String] = []
        var reduced: [String] = []
        /// How many sends of the newest admission were postponed.
        var postponed = 0
        var queue = NumberedAdmissionQueue()

        mutating func letGo(_ items: [String], seed: UInt64) {
            let dropped = Set(queue.dropped.map { "s\($0)" })
            waiting.removeAll { dropped.contains($0) }
            // Of a line that is stuck, only the dispatches go on, and all of them, unless sends of the last submission
            // are under way.
            let passes = queue.isStuck && !underWay.contains { $0.hasPrefix("s") }
            let dispatches = waiting.filter { $0.hasPrefix("d") }
            #expect(items == (passes ? dispatches : Array(waiting.prefix(items.count))), "seed \(seed)")
            if items.contains(where: { $0.hasPrefix("s") }) {
                #expect(underWay.isEmpty, "seed \(seed)")
                #expect(items[0].hasPrefix("s"), "seed \(seed)")
                postponed = 0
            }
            #expect(!items.dropFirst().contains { $0.hasPrefix("s") && number($0) < 100 }, "seed \(seed)")
            waiting.removeAll { items.contains($0) }
            underWay += items
        }

        func number(_ name: String) -> Int { Int(name.dropFirst()) ?? 0 }
    }

    @Test(arguments: 1...40)
    func `no item is lost or admitted twice, and a send comes first, with those that may share`(_ round: Int) {
        for part in 0..<50 {
            let seed = UInt64(round * 1000 + part)
            var random = SplitMix(seed: seed)
            var model = Model()
            var added: [String] = []
            for number in 0..<60 {
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1:
                    added.append("d\(number)")
                    let mustWait = !model.queue.isStuck && (!model.waiting.isEmpty || model.queue.sendIsUnderWay)
                    let goes = model.queue.dispatch(number)
                    #expect(goes == !mustWait, "seed \(seed)")
                    if goes { model.underWay.append("d\(number)") } else { model.waiting.append("d\(number)") }
                case 2, 3:
                    let number = number + (Bool.random(using: &random) ? 100 : 0)
                    added.append("s\(number)")
                    model.queue.send(number)
                    model.waiting.append("s\(number)")
                case 4:
                    let sends = model.waiting.filter { $0.hasPrefix("s") }
                    if let send = sends.randomElement(using: &random) {
                        model.queue.unwanted.insert(model.number(send))
                    }
                case 5: model.queue.unstick()
                default: finishOne(&model, mayPostpone: true, &random)
                }
                model.letGo(model.queue.next(), seed: seed)
                #expect(model.queue.sendIsUnderWay == model.underWay.contains { $0.hasPrefix("s") }, "seed \(seed)")
            }
            model.queue.unstick()
            model.letGo(model.queue.next(), seed: seed)
            while !model.underWay.isEmpty {
                finishOne(&model, mayPostpone: false, &random)
                model.letGo(model.queue.next(), seed: seed)
            }
            #expect(model.waiting.isEmpty, "seed \(seed)")
            #expect(model.queue.isIdle, "seed \(seed)")
            #expect((model.reduced + model.queue.dropped.map { "s\($0)" }).sorted() == added.sorted(), "seed \(seed)")
        }
    }

    private func finishOne(_ model: inout Model, mayPostpone: Bool, _ random: inout SplitMix) {
        guard !model.underWay.isEmpty else { return }
        let item = model.underWay.removeFirst()
        guard item.hasPrefix("s") else {
            model.reduced.append(item)
            return model.queue.finishedDispatch()
        }
        if mayPostpone, Int.random(in: 0..<3, using: &random) == 0 {
            model.queue.postpone(model.number(item))
            model.waiting.insert(item, at: model.postponed)
            model.postponed += 1
        } else {
            model.reduced.append(item)
            model.queue.finishedSend()
        }
    }
}
