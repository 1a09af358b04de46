import Testing

@testable import JournalStore

private typealias State = Lift.State
private typealias Event = Lift.Event
private typealias Output = Lift.Output

/// Every form of the language.
private enum Lift {
    indirect enum State: Codable, Hashable, Sendable {
        case idle
        case moving(from: Int, to: Int)
        case open(persons: Int)
        case broken(State)
        case off
    }

    enum Event: Codable, Hashable, Sendable {
        case call(floor: Int)
        case enter(Int, name: String)
        case arrived, fail, reset, stop, start
    }

    enum Output: Codable, Hashable, Sendable {
        case move(from: Int, to: Int)
        case ring
        case alarm
    }

    static let machine = StateMachine<State, Event, Output>(initial: .idle) {
        When(state: .idle) {
            Execute.noOutput
        } transitions: {
            On(event: Event.call(floor:)) { floor in
                Guard("another floor", predicate: floor != 0)
            } transition: { floor in
                Move(to: .moving(from: 0, to: floor))
            }
            On(event: Event.call(floor:)) { _ in Move(to: .open(persons: 0)) }
            On(event: .stop) { event in Move(to: event == .stop ? .off : .idle) }
        }
        When(state: State.moving(from:to:)) { from, to in
            Execute(output: .move(from: from, to: to))
        } transitions: { _, to in
            On(event: .arrived) { Move(to: .open(persons: to)) }
            On(event: .stop) { _ in
                Guard(predicate: to > 3)
            } transition: { _ in
                Move(to: .off)
            }
        }
        When(state: State.open(persons:)) { _ in
            Execute(output: .ring)
        } transitions: { persons in
            On(event: Event.enter(_:name:)) { count, _ in Move(to: .open(persons: persons + count)) }
            On(
                events: OneOf {
                    Event.arrived; Event.call(floor:)
                }
            ) { event in
                Guard(predicate: event != .call(floor: 13))
            } transition: { _ in
                Move(to: .idle)
            }
        }
        When(state: State.broken) { before in
            Execute(output: before == .idle ? .ring : .alarm)
        } transitions: { before in
            On(event: .reset) { Move(to: before) }
        }
        When(
            states: OneOf {
                State.idle
                State.open(persons:)
                OneOf("far", where: { if case .moving(_, to: 9) = $0 { true } else { false } })
            }
        ) { _ in
            Execute(output: .alarm)
        } transitions: { state in
            On(event: .fail) { Move(to: .broken(state)) }
            On(event: .arrived) { Move(to: .off) }
        }
        When(states: OneOf(where: { $0 == .off })) { _ in
            Execute(output: .alarm)
        } transitions: {
            On(events: OneOf(where: { $0 == .start || $0 == .reset })) { _ in Move(to: .idle) }
        }
        When(state: .off) { Execute(output: .ring) }
    }
}

@Suite struct `A state machine in the When/On language`: Sendable {
    private let machine = Lift.machine

    @Test func `the output is that of the first When that matches`() {
        #expect(machine.output(for: .idle) == nil)
        #expect(machine.output(for: .moving(from: 1, to: 2)) == .move(from: 1, to: 2))
        #expect(machine.output(for: .moving(from: 1, to: 9)) == .move(from: 1, to: 9))
        #expect(machine.output(for: .open(persons: 4)) == .ring)
        #expect(machine.output(for: .off) == .alarm)
    }

    /// What was seen first must not decide for the whole case.
    @Test(arguments: [false, true])
    func `nil does not match a constructor that takes the value of an optional, whatever came first`(isLast: Bool) {
        enum Level: Codable, Hashable, Sendable { case number(Int?), labelled(count: Int?), off }
        let machine = StateMachine<Level, Event, String>(initial: .off) {
            When(state: Level.number) { (number: Int) in Execute(output: "\(number)") }
            When(state: Level.labelled(count:)) { (count: Int) in Execute(output: "\(count)") }
            When(states: OneOf(where: { $0 != .off })) { _ in Execute(output: "nil") }
        }
        let cases: [(Level, Level)] = [(.number(3), .number(nil)), (.labelled(count: 3), .labelled(count: nil))]
        for (value, none) in cases {
            for state in isLast ? [value, none, value, none] : [none, value, none, value] {
                #expect(machine.output(for: state) == (state == value ? "3" : "nil"))
            }
        }
    }

    @Test func `an indirect state hands over what it holds`() {
        #expect(machine.output(for: .broken(.idle)) == .ring)
        #expect(machine.output(for: .broken(.open(persons: 1))) == .alarm)
        #expect(machine.next(.reset, in: .broken(.moving(from: 1, to: 2))) == .moving(from: 1, to: 2))
    }

    @Test func `the first On whose event matches and whose guard is met counts`() {
        #expect(machine.next(.call(floor: 5), in: .idle) == .moving(from: 0, to: 5))
        #expect(machine.next(.call(floor: 0), in: .idle) == .open(persons: 0))
        #expect(machine.next(.stop, in: .idle) == .off)
    }

    @Test func `a guard gets the event and the payload of the state`() {
        #expect(machine.next(.stop, in: .moving(from: 0, to: 4)) == .off)
        #expect(machine.next(.stop, in: .moving(from: 0, to: 3)) == nil)
        #expect(machine.next(.call(floor: 12), in: .open(persons: 0)) == .idle)
        #expect(machine.next(.call(floor: 13), in: .open(persons: 0)) == nil)
    }

    @Test func `a payload of several values is handed over`() {
        #expect(machine.next(.enter(2, name: "a"), in: .open(persons: 3)) == .open(persons: 5))
    }

    @Test func `the transitions of all When that match are tried, in order`() {
        #expect(machine.next(.fail, in: .idle) == .broken(.idle))
        #expect(machine.next(.fail, in: .open(persons: 2)) == .broken(.open(persons: 2)))
        #expect(machine.next(.arrived, in: .open(persons: 2)) == .idle)
        #expect(machine.next(.fail, in: .moving(from: 1, to: 9)) == .broken(.moving(from: 1, to: 9)))
        #expect(machine.next(.fail, in: .moving(from: 1, to: 8)) == nil)
        #expect(machine.next(.arrived, in: .idle) == .off)
    }

    @Test func `what no On accepts leads nowhere`() {
        #expect(machine.next(.start, in: .idle) == nil)
        #expect(machine.next(.reset, in: .moving(from: 1, to: 2)) == nil)
        #expect(machine.next(.start, in: .off) == .idle)
    }

    @Test func `states and events need not be enums`() {
        let counter = StateMachine<Int, String, Int>(initial: 0) {
            When(state: 0) {
                Execute.noOutput
            } transitions: {
                On(event: "up") { Move(to: 1) }
            }
            When(states: OneOf(where: { $0 > 0 })) {
                Execute(output: $0)
            } transitions: { count in
                On(event: "up") { Move(to: count + 1) }
            }
        }
        #expect(counter.next("up", in: 0) == 1)
        #expect(counter.next("up", in: 6) == 7)
        #expect(counter.output(for: 6) == 6)
        #expect(counter.next("down", in: 6) == nil)
    }

    @Test func `the index finds the same On as trying all of them`() {
        let states: [State] = [
            .idle, .moving(from: 1, to: 2), .moving(from: 1, to: 9), .open(persons: 1), .broken(.idle), .off,
        ]
        let events: [Event] = [
            .call(floor: 0), .call(floor: 4), .call(floor: 13), .enter(1, name: "a"), .arrived, .fail, .reset, .stop,
            .start,
        ]
        for state in states {
            for event in events {
                let all = machine.answers(to: event, in: state).lazy.compactMap(\.answer.move)
                #expect(machine.next(event, in: state) == all.first?.next, "\(event) in \(state)")
            }
        }
    }

    @Test func `a list of transitions that does not take the payload is made once`() {
        var fixed = 0
        let made = Box(0)
        let machine = StateMachine<State, Event, Output>(initial: .off) {
            When(state: State.open(persons:)) { _ in
                Execute.noOutput
            } transitions: {
                fixed += 1
                return [On(event: .stop) { Move(to: .off) }]
            }
            When(state: State.broken) { _ in
                Execute.noOutput
            } transitions: { _ in
                made.change { $0 += 1 }
                return [On(event: .stop) { Move(to: .off) }]
            }
        }
        for state in [State.open(persons: 1), .broken(.idle), .open(persons: 2), .broken(.off)] {
            #expect(machine.next(.stop, in: state) == .off)
        }
        #expect(fixed == 1 && made.value == 2)
    }

    @Test func `a machine is the same after any other state was seen first`() {
        for first in [State.off, .open(persons: 1), .moving(from: 1, to: 9), .moving(from: 1, to: 2)] {
            let machine = StateMachine<State, Event, Output>(initial: .idle) {
                When(states: OneOf(where: { $0 == .moving(from: 1, to: 9) })) { _ in Execute(output: .alarm) }
                When(state: .moving(from: 1, to: 2)) { Execute(output: .ring) }
                When(state: State.moving(from:to:)) { from, to in Execute(output: .move(from: from, to: to)) }
            }
            _ = machine.output(for: first)
            #expect(machine.output(for: .moving(from: 1, to: 9)) == .alarm)
            #expect(machine.output(for: .moving(from: 1, to: 2)) == .ring)
            #expect(machine.output(for: .moving(from: 1, to: 3)) == .move(from: 1, to: 3))
        }
    }
}
