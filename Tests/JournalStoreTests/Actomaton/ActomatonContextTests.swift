import Foundation
import JournalStore
import JournalTesting
import Testing

@Suite struct `Actomaton: the context of an effect` {
    @Test func `a body sleeps on the injected clock`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in
            .run(name) { context in
                try await context.clock.sleep(for: .seconds(3600))
                return .ended(name)
            }
        }
        let dispatched = try await store.dispatch(.start("x"))
        await bench.clock.sleepers(1)
        #expect(bench.clock.nextWake == .seconds(3600))
        #expect(store.state.log == [])
        bench.clock.move(by: .seconds(3600))
        await dispatched.completion()
        #expect(store.state.log == ["x"])
        #expect(
            try await bench.sql("SELECT step, time FROM journal", after: store)
                == ["1|2026-01-01T00:00:00.000000Z", "2|2026-01-01T01:00:00.000000Z"])
        try await bench.journal.close()
    }

    @Test func `an effect's delay waits on the injected clock`() async throws {
        let bench = try Workbench()
        let store = try await bench.openPlay { name in .run(name, delay: .seconds(90)) { .ended(name) } }
        let dispatched = try await store.dispatch(.start("x"))
        await bench.clock.sleepers(1)
        #expect(
            try await bench.sql("SELECT name, status, not_before FROM running_effects", after: store)
                == ["x|delayed|2026-01-01T00:01:30.000000Z"])
        bench.clock.move(by: .seconds(89))
        #expect(store.state.log == [])
        bench.clock.move(by: .seconds(1))
        await dispatched.completion()
        #expect(store.state.log == ["x"])
        try await bench.journal.close()
    }

    @Test func `the context has the stream, step, ordinal and attempt of its effect`() async throws {
        let bench = try Workbench()
        let seen = Box<[String]>([])
        let store = try await bench.openPlay("cart-42") { _ in
            let tell: @Sendable (EffectContext) -> Void = { context in
                let time = context.date.timeIntervalSince1970
                seen.change {
                    $0.append(
                        "\(context.stream) \(context.step) \(context.ordinal) \(context.attempt) \(context.isResumed) \(context.delivered) \(time)"
                    )
                }
            }
            return .fireAndForget("a") { tell($0) } + .fireAndForget("b") { tell($0) }
        }
        try await store.dispatch(.add(1))
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(seen.value.sorted() == ["cart-42 2 0 1 false 0 1767225600.0", "cart-42 2 1 1 false 0 1767225600.0"])
        try await bench.journal.close()
    }
}
