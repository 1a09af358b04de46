@testable import JournalStore

/// An admission queue of numbers that an expectation can change. It names an admitted dispatch `d1` and an admitted
/// send `s1`. The sends from 100 on may share a transaction.
final class NumberedAdmissionQueue {
    private struct Send { var number: Int }

    private var queue = AdmissionQueue<Int, Send>()
    /// Sends to be dropped.
    var unwanted: Set<Int> = []
    /// The sends that were dropped, in order.
    private(set) var dropped: [Int] = []

    var isIdle: Bool { queue.isIdle }
    var isStuck: Bool { queue.isStuck }
    var sendIsUnderWay: Bool { queue.sendIsUnderWay }

    func dispatch(_ number: Int) -> Bool {
        let goes = queue.pass()
        if !goes { queue.wait(number) }
        return goes
    }
    func send(_ number: Int) { queue.add(Send(number: number)) }
    func next() -> [String] {
        let items = queue.next(
            isLive: { send in
                guard unwanted.contains(send.number) else { return true }
                dropped.append(send.number)
                return false
            }, mayShare: { $0.number >= 100 })
        return items.map(name)
    }
    func finishedDispatch() { queue.finishedDispatch() }
    @discardableResult
    func finishedSend() -> Bool { queue.finishedSend() }
    @discardableResult
    func postpone(_ number: Int) -> Bool { queue.postpone(Send(number: number)) }
    func unstick() { queue.unstick() }
    func takeAll() -> [String] { queue.takeAll().map(name) }

    private func name(_ item: AdmissionQueue<Int, Send>.Item) -> String {
        switch item {
        case .dispatch(let number): "d\(number)"
        case .send(let send): "s\(send.number)"
        }
    }
}
