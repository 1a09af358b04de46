@testable import JournalStore

/// An admission queue of numbers that an expectation can change. It names an admitted dispatch `d1` and an admitted
/// send `s1`.
final class NumberedLane {
    private struct Send { var number: Int }

    private var lane = AdmissionQueue<Int, Send>()
    /// Sends that are not wanted any more.
    var unwanted: Set<Int> = []
    /// The sends that were dropped, in order.
    private(set) var dropped: [Int] = []

    var isIdle: Bool { lane.isIdle }
    var isStuck: Bool { lane.isStuck }
    var sendIsUnderWay: Bool { lane.sendIsUnderWay }

    func dispatch(_ number: Int) -> Bool {
        let goes = lane.pass()
        if !goes { lane.wait(number) }
        return goes
    }
    func send(_ number: Int) { lane.add(Send(number: number)) }
    func next() -> [String] {
        let items = lane.next { send in
            guard unwanted.contains(send.number) else { return true }
            dropped.append(send.number)
            return false
        }
        return items.map(name)
    }
    func finishedDispatch() { lane.finishedDispatch() }
    func finishedSend() { lane.finishedSend() }
    func postpone(_ number: Int) { lane.postpone(Send(number: number)) }
    func unstick() { lane.unstick() }
    func takeAll() -> [String] { lane.takeAll().map(name) }

    private func name(_ item: AdmissionQueue<Int, Send>.Item) -> String {
        switch item {
        case .dispatch(let number): "d\(number)"
        case .send(let send): "s\(send.number)"
        }
    }
}
