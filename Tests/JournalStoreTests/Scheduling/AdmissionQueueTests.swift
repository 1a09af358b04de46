import Testing

@testable import JournalStore

@Suite struct `Scheduling, the admission queue` {
    private let lane = NumberedLane()

    @Test func `dispatches are admitted at once, also several at a time`() {
        #expect(lane.isIdle)
        #expect(lane.dispatch(1))
        #expect(lane.dispatch(2))
        #expect(!lane.isIdle)
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(!lane.isIdle)
        lane.finishedDispatch()
        #expect(lane.isIdle)
    }

    @Test func `a send is admitted when nothing is under way`() {
        lane.send(1)
        #expect(!lane.isIdle)
        #expect(lane.next() == ["s1"])
        #expect(lane.sendIsUnderWay)
        #expect(lane.next() == [])
        lane.finishedSend()
        #expect(!lane.sendIsUnderWay)
        #expect(lane.isIdle)
    }

    @Test func `a send waits until every earlier entry is reduced`() {
        _ = lane.dispatch(1)
        _ = lane.dispatch(2)
        lane.send(3)
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(lane.next() == ["s3"])
    }

    @Test func `a dispatch after a waiting send waits, and is admitted with it in order`() {
        _ = lane.dispatch(1)
        lane.send(2)
        #expect(!lane.dispatch(3))
        #expect(!lane.dispatch(4))
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(lane.next() == ["s2", "d3", "d4"])
    }

    @Test func `a dispatch waits while a send is under way`() {
        lane.send(1)
        _ = lane.next()
        #expect(!lane.dispatch(2))
        #expect(lane.next() == [])
        lane.finishedSend()
        #expect(lane.next() == ["d2"])
        #expect(lane.dispatch(3))
    }

    @Test func `a send waits until everything that was admitted with the last one is reduced`() {
        lane.send(1)
        lane.send(2)
        #expect(!lane.dispatch(3))
        lane.send(4)
        #expect(lane.next() == ["s1"])
        lane.finishedSend()
        #expect(lane.next() == ["s2", "d3"])
        lane.finishedSend()
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(lane.next() == ["s4"])
    }

    @Test func `dispatches before the next send do not wait for it`() {
        lane.send(1)
        _ = lane.next()
        _ = lane.dispatch(2)
        lane.send(3)
        _ = lane.dispatch(4)
        lane.finishedSend()
        #expect(lane.next() == ["d2"])
        #expect(lane.next() == [])
        #expect(!lane.dispatch(5))
        lane.finishedDispatch()
        #expect(lane.next() == ["s3", "d4", "d5"])
    }

    @Test func `a send that is not wanted any more is dropped and blocks nothing`() {
        _ = lane.dispatch(1)
        lane.send(2)
        _ = lane.dispatch(3)
        lane.unwanted = [2]
        #expect(lane.next() == ["d3"])
        lane.finishedDispatch()
        lane.finishedDispatch()
        #expect(lane.isIdle)
    }

    @Test func `the first of several sends that is wanted is admitted`() {
        for number in 1...3 { lane.send(number) }
        lane.unwanted = [1]
        #expect(lane.next() == ["s2"])
        lane.finishedSend()
        #expect(lane.next() == ["s3"])
    }

    // MARK: A full disk

    @Test func `a send that could not be committed stays first and waits for disk space`() {
        lane.send(1)
        lane.send(2)
        _ = lane.next()
        lane.postpone(1)
        #expect(lane.isStuck)
        #expect(!lane.sendIsUnderWay)
        #expect(!lane.isIdle)
        #expect(lane.next() == [])
        lane.unstick()
        #expect(!lane.isStuck)
        #expect(lane.next() == ["s1"])
        lane.finishedSend()
        #expect(lane.next() == ["s2"])
    }

    @Test func `dispatches pass a postponed send, to find out whether there is disk space`() {
        lane.send(1)
        _ = lane.next()
        lane.postpone(1)
        #expect(lane.dispatch(2))
        lane.unstick()
        #expect(lane.next() == [])
        lane.finishedDispatch()
        #expect(lane.next() == ["s1"])
    }

    @Test func `a postponed send is dropped if it is not wanted any more when there is disk space`() {
        lane.send(1)
        _ = lane.next()
        lane.postpone(1)
        lane.unwanted = [1]
        lane.unstick()
        #expect(lane.next() == [])
        #expect(lane.isIdle)
    }

    @Test func `items that wait at the end are returned in order, once`() {
        _ = lane.dispatch(1)
        lane.send(2)
        _ = lane.dispatch(3)
        lane.send(4)
        #expect(lane.takeAll() == ["s2", "d3", "s4"])
        #expect(lane.takeAll() == [])
        lane.finishedDispatch()
        #expect(lane.isIdle)
    }
}
