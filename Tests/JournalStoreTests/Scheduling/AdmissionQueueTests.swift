import Testing

@testable import JournalStore

@Suite struct `Scheduling, the admission queue` {
    private let queue = NumberedAdmissionQueue()

    @Test func `dispatches are admitted at once, also several at a time`() {
        #expect(queue.isIdle)
        #expect(queue.dispatch(1))
        #expect(queue.dispatch(2))
        #expect(!queue.isIdle)
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(!queue.isIdle)
        queue.finishedDispatch()
        #expect(queue.isIdle)
    }

    @Test func `a send is admitted when nothing is under way`() {
        queue.send(1)
        #expect(!queue.isIdle)
        #expect(queue.next() == ["s1"])
        #expect(queue.sendIsUnderWay)
        #expect(queue.next() == [])
        queue.finishedSend()
        #expect(!queue.sendIsUnderWay)
        #expect(queue.isIdle)
    }

    @Test func `a send waits until every earlier entry is reduced`() {
        _ = queue.dispatch(1)
        _ = queue.dispatch(2)
        queue.send(3)
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(queue.next() == ["s3"])
    }

    @Test func `a dispatch after a waiting send waits, and is admitted with it in order`() {
        _ = queue.dispatch(1)
        queue.send(2)
        #expect(!queue.dispatch(3))
        #expect(!queue.dispatch(4))
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(queue.next() == ["s2", "d3", "d4"])
    }

    @Test func `a dispatch waits while a send is under way`() {
        queue.send(1)
        _ = queue.next()
        #expect(!queue.dispatch(2))
        #expect(queue.next() == [])
        queue.finishedSend()
        #expect(queue.next() == ["d2"])
        #expect(queue.dispatch(3))
    }

    @Test func `a send waits until everything that was admitted with the last one is reduced`() {
        queue.send(1)
        queue.send(2)
        #expect(!queue.dispatch(3))
        queue.send(4)
        #expect(queue.next() == ["s1"])
        queue.finishedSend()
        #expect(queue.next() == ["s2", "d3"])
        queue.finishedSend()
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(queue.next() == ["s4"])
    }

    @Test func `dispatches before the next send do not wait for it`() {
        queue.send(1)
        _ = queue.next()
        _ = queue.dispatch(2)
        queue.send(3)
        _ = queue.dispatch(4)
        queue.finishedSend()
        #expect(queue.next() == ["d2"])
        #expect(queue.next() == [])
        #expect(!queue.dispatch(5))
        queue.finishedDispatch()
        #expect(queue.next() == ["s3", "d4", "d5"])
    }

    @Test func `a send that is not wanted any more is dropped and blocks nothing`() {
        _ = queue.dispatch(1)
        queue.send(2)
        _ = queue.dispatch(3)
        queue.unwanted = [2]
        #expect(queue.next() == ["d3"])
        queue.finishedDispatch()
        queue.finishedDispatch()
        #expect(queue.isIdle)
    }

    @Test func `the first of several sends that is wanted is admitted`() {
        for number in 1...3 { queue.send(number) }
        queue.unwanted = [1]
        #expect(queue.next() == ["s2"])
        queue.finishedSend()
        #expect(queue.next() == ["s3"])
    }

    // MARK: Sends that share a transaction

    @Test func `sends that may share are admitted together, with the dispatches between them`() {
        queue.send(1)
        queue.send(100)
        _ = queue.dispatch(2)
        queue.send(101)
        #expect(queue.next() == ["s1", "s100", "d2", "s101"])
        #expect(!queue.finishedSend())
        #expect(queue.sendIsUnderWay)
        queue.finishedDispatch()
        #expect(!queue.finishedSend())
        #expect(queue.next() == [])
        #expect(queue.finishedSend())
        #expect(queue.isIdle)
    }

    @Test func `a send that may not share ends what is admitted together`() {
        for number in [100, 101, 1, 102] { queue.send(number) }
        #expect(queue.next() == ["s100", "s101"])
        queue.finishedSend()
        #expect(queue.next() == [])
        queue.finishedSend()
        #expect(queue.next() == ["s1", "s102"])
    }

    @Test func `sends that may share do not join dispatches that go before them`() {
        queue.send(1)
        _ = queue.next()
        _ = queue.dispatch(2)
        queue.send(100)
        queue.finishedSend()
        #expect(queue.next() == ["d2"])
        queue.finishedDispatch()
        #expect(queue.next() == ["s100"])
    }

    @Test func `a thousand sends share a transaction, and no more`() {
        for number in 100..<2_000 { queue.send(number) }
        #expect(queue.next().count == 1_024)
        for _ in 0..<1_024 { queue.finishedSend() }
        #expect(queue.next().count == 1_900 - 1_024)
    }

    @Test func `sends that were postponed together keep their order`() {
        for number in 100...103 { queue.send(number) }
        queue.unwanted = [103]
        #expect(queue.next() == ["s100", "s101", "s102"])
        queue.send(104)
        #expect(!queue.postpone(100))
        #expect(!queue.postpone(101))
        #expect(queue.postpone(102))
        queue.unstick()
        #expect(queue.next() == ["s100", "s101", "s102", "s104"])
    }

    // MARK: A full disk

    @Test func `a send that could not be committed stays first and waits for disk space`() {
        queue.send(1)
        queue.send(2)
        _ = queue.next()
        queue.postpone(1)
        #expect(queue.isStuck)
        #expect(!queue.sendIsUnderWay)
        #expect(!queue.isIdle)
        #expect(queue.next() == [])
        queue.unstick()
        #expect(!queue.isStuck)
        #expect(queue.next() == ["s1"])
        queue.finishedSend()
        #expect(queue.next() == ["s2"])
    }

    @Test func `dispatches pass a postponed send, to find out whether there is disk space`() {
        queue.send(1)
        _ = queue.next()
        queue.postpone(1)
        #expect(queue.dispatch(2))
        queue.unstick()
        #expect(queue.next() == [])
        queue.finishedDispatch()
        #expect(queue.next() == ["s1"])
    }

    @Test func `dispatches that waited behind sends pass them when the first is postponed`() {
        queue.send(1)
        _ = queue.next()
        #expect(!queue.dispatch(2))
        queue.send(3)
        #expect(!queue.dispatch(4))
        queue.postpone(1)
        #expect(queue.next() == ["d2", "d4"])
        queue.finishedDispatch()
        queue.finishedDispatch()
        #expect(queue.next() == [])
        queue.unstick()
        #expect(queue.next() == ["s1"])
        queue.finishedSend()
        #expect(queue.next() == ["s3"])
        queue.finishedSend()
        #expect(queue.isIdle)
    }

    @Test func `a postponed send is dropped if it is not wanted any more when there is disk space`() {
        queue.send(1)
        _ = queue.next()
        queue.postpone(1)
        queue.unwanted = [1]
        queue.unstick()
        #expect(queue.next() == [])
        #expect(queue.isIdle)
    }

    @Test func `sends that are postponed again stay before all others, in their order`() {
        for number in 100...102 { queue.send(number) }
        for _ in 0..<3 {
            #expect(queue.next() == ["s100", "s101", "s102"])
            for number in 100...102 { queue.postpone(number) }
            queue.unstick()
        }
        queue.send(103)
        #expect(!queue.dispatch(1))
        #expect(queue.next() == ["s100", "s101", "s102", "s103", "d1"])
    }

    @Test func `items that wait at the end are returned in order, the postponed ones first`() {
        queue.send(1)
        queue.send(2)
        _ = queue.next()
        #expect(!queue.dispatch(3))
        queue.postpone(1)
        #expect(queue.takeAll() == ["s1", "s2", "d3"])
        #expect(queue.isIdle)
    }

    @Test func `items that wait at the end are returned in order, once`() {
        _ = queue.dispatch(1)
        queue.send(2)
        _ = queue.dispatch(3)
        queue.send(4)
        #expect(queue.takeAll() == ["s2", "d3", "s4"])
        #expect(queue.takeAll() == [])
        queue.finishedDispatch()
        #expect(queue.isIdle)
    }
}
