import Testing

@testable import JournalStore

@Suite struct `The limit of dispatches` {
    @Test(arguments: [Int.min, -1, 0]) func `a limit that is too low is raised to the least one`(_ limit: Int) {
        var options = HostOptions()
        (options.maxOpenStreams, options.maxStateBytes) = (limit, limit)
        (options.maxDispatches, options.maxOpenings) = (limit, limit)
        let clamped = options.clamped
        #expect(clamped.maxOpenStreams == 0)
        #expect(clamped.maxStateBytes == 0)
        #expect(clamped.maxDispatches == 1)
        #expect(clamped.maxOpenings == 1)
        options.maxStateBytes = nil
        #expect(options.clamped.maxStateBytes == nil)
    }

    @Test func `dispatches beyond the limit wait, and are admitted in their order`() {
        var limit = DispatchLimit(2)
        let admitted = Box<[Int]>([])
        #expect(limit.enter() == true)
        #expect(limit.enter() == true)
        for number in 1...3 {
            #expect(limit.enter() == false)
            limit.wait { admitted.change { $0.append(number) } }
        }
        for _ in 1...3 { limit.leave()?() }
        #expect(admitted.value == [1, 2, 3])
        #expect(limit.underWay == 2)
        #expect(limit.leave() == nil)
        #expect(limit.leave() == nil)
        #expect(limit.underWay == 0)
    }

    @Test func `one that must not wait begins, and the others wait until there are fewer again`() {
        var limit = DispatchLimit(1)
        let admitted = Box(0)
        #expect(limit.enter() == true)
        limit.enterBeyondLimit()
        #expect(limit.underWay == 2)
        limit.wait { admitted.change { $0 += 1 } }
        #expect(limit.leave() == nil)
        #expect(limit.underWay == 1)
        limit.leave()?()
        #expect(admitted.value == 1)
        #expect(limit.leave() == nil)
        #expect(limit.underWay == 0)
    }
}

@Suite struct `The streams that wait for a time` {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

    @Test func `a time that was found out earlier does not replace an earlier time`() {
        var list = WakeList<Timestamp>()
        list.add("a", noLaterThan: Timestamp(microseconds: 9))
        list.add("a", noLaterThan: Timestamp(microseconds: 5))
        list.add("a", noLaterThan: Timestamp(microseconds: 7))
        #expect(list.take(at: Timestamp(microseconds: 4)) == [])
        #expect(list.take(at: Timestamp(microseconds: 5)) == ["a"])
    }

    @Test func `they are taken when they are due, earliest first`() {
        var list = WakeList<Timestamp>()
        list.add("b", at: time(20))
        list.add("a", at: time(10))
        #expect(list.next == time(10))
        #expect(list.take(at: time(9)) == [])
        #expect(list.take(at: time(20)) == ["a", "b"])
        #expect(list.next == nil)
    }

    @Test func `a stream that was opened meanwhile is not taken`() {
        var list = WakeList<Timestamp>()
        list.add("a", at: time(10))
        list.remove("a")
        #expect(list.take(at: time(99)) == [])
        list.add("a", at: time(100))
        #expect(list.take(at: time(100)) == ["a"])
    }

    @Test func `a stream that now waits longer is taken at the later time`() {
        var list = WakeList<Timestamp>()
        list.add("a", at: time(10))
        list.remove("a")
        list.add("a", at: time(30))
        #expect(list.take(at: time(10)) == [])
        #expect(list.next == time(30))
        #expect(list.take(at: time(30)) == ["a"])
    }

    @Test func `a stream that now waits less long is taken once, at the earlier time`() {
        var list = WakeList<Timestamp>()
        list.add("a", at: time(30))
        list.add("a", at: time(10))
        #expect(list.take(at: time(10)) == ["a"])
        #expect(list.take(at: time(30)) == [])
    }

    @Test func `a stream with a long timer and many short ones leaves few items behind`() {
        var list = WakeList<Timestamp>()
        let month = time(2_592_000)
        for second: Int64 in 1...1_000 {
            list.add("a", at: month)
            list.remove("a")
            list.add("a", at: time(second))
            #expect(list.take(at: time(second)) == ["a"])
        }
        list.add("a", at: month)
        #expect(list.itemCount <= 65)
        #expect(list.take(at: month) == ["a"])
        #expect(list.next == nil)
    }

    @Test func `streams that do not wait any more are forgotten before their time, and no others`() {
        var list = WakeList<Timestamp>()
        // Two names that are equal as strings, and not byte by byte.
        list.add("caf\u{e9}", at: time(500))
        list.add("cafe\u{301}", at: time(500))
        for number in 1...1_000 {
            list.add("order-\(number)", at: time(1_000))
            list.remove("order-\(number)")
        }
        #expect(list.itemCount <= 66)
        #expect(list.take(at: time(500)).count == 2)
        #expect(list.take(at: time(1_000)) == [])
    }
}

@Suite struct `When a closed stream needs a store` {
    private func run(_ status: EffectRun.Status, at time: Int64? = nil, attempts: Int = 0) -> EffectRun {
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 1, ordinal: 0, rootStep: 1, name: "", status: status,
            restart: .resume, version: 1)
        run.notBefore = time.map { Timestamp(microseconds: $0) }
        run.attempts = attempts
        return run
    }

    @Test func `now, if a body was running or waits for its turn`() {
        #expect(WakePlan([run(.running)]) == .now)
        #expect(WakePlan([run(.waiting)]) == .now)
        #expect(WakePlan([run(.orphaned)]) == .now)
        #expect(WakePlan([run(.delayed, at: 5), run(.running)]) == .now)
    }

    @Test func `at the earliest time of its delayed effects`() {
        #expect(WakePlan([run(.delayed, at: 9), run(.delayed, at: 5), run(.asked)]) == .at(Timestamp(microseconds: 5)))
    }

    @Test func `now, if an effect waits for a retry: its restart policy says what becomes of it`() {
        #expect(WakePlan([run(.delayed, at: 5, attempts: 1)]) == .now)
    }

    @Test func `never, if its effects wait for a person`() {
        #expect(WakePlan([]) == .never)
        #expect(WakePlan([run(.asked), run(.parked)]) == .never)
    }

    @Test func `now, if the outcome of a step is not recorded`() {
        var stream = StreamInfo(
            id: StreamID(rawValue: 1), name: "a", machine: "m", created: Timestamp(microseconds: 0), headStep: 3,
            headDigest: .none, settledStep: 3, prunedStep: 0, seed: [])
        #expect(WakePlan(stream, [], hasInitialEffect: true) == .never)
        stream.settledStep = 2
        #expect(WakePlan(stream, [], hasInitialEffect: true) == .now)
        (stream.headStep, stream.settledStep, stream.hasBegun) = (0, 0, false)
        #expect(WakePlan(stream, [], hasInitialEffect: true) == .now)
        #expect(WakePlan(stream, [], hasInitialEffect: false) == .never)
    }
}
