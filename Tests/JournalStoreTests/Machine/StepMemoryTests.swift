import Testing

@testable import JournalStore

@Suite struct `Machine, remembered steps` {
    struct Receipt: Codable, Sendable, Equatable { var number = 1, text = "x" }
    struct Broken: Error, Equatable { var text = "broken" }

    private let notebook = Notebook()
    /// What was done.
    private let done = Box<[String]>([])

    /// A try: a memory of its own, over the same notebook.
    private func memory(checksCoding: Bool = true) -> StepMemory {
        StepMemory(notebook, JSONCodec(), checksCoding: checksCoding)
    }

    /// A step that says that it was done.
    private func step(_ memory: StepMemory, _ name: String) async throws -> String {
        try await memory.step(name) {
            done.change { done in
                done.append(name)
                return "\(name) \(done.count)"
            }
        }
    }

    // MARK: Done once

    @Test func `its result is what the work came to, and is kept`() async throws {
        let receipt = try await memory().step("charge") { Receipt(number: 7) }
        #expect(receipt == Receipt(number: 7))
        #expect(notebook.lines == [#"|charge|1|{"number":7,"text":"x"}"#])
    }

    @Test func `a later try is given the result, and does not do it again`() async throws {
        let first = try await step(memory(), "charge")
        #expect(try await step(memory(), "charge") == first)
        #expect(done.value == ["charge"])
        #expect(notebook.lines.count == 1)
    }

    @Test func `one without a result is done once as well`() async throws {
        for _ in 1...2 {
            let context = EffectContext.of(memory: memory())
            try await context.step("mail") { done.change { $0.append("mail") } }
        }
        #expect(done.value == ["mail"])
        #expect(notebook.lines == ["|mail|1|null"])
    }

    @Test func `one whose result is nothing is done once as well`() async throws {
        for _ in 1...2 {
            let found: Int? = try await memory().step("look") {
                done.change { $0.append("look") }
                return nil
            }
            #expect(found == nil)
        }
        #expect(done.value == ["look"])
    }

    @Test func `each use of a name in a loop is one of its own`() async throws {
        func body() async throws -> [Int] {
            let memory = memory()
            var results: [Int] = []
            for number in 1...3 {
                results.append(
                    try await memory.step("item") {
                        done.change { $0.append("\(number)") }
                        return number * 10
                    })
            }
            return results
        }
        #expect(try await body() == [10, 20, 30])
        #expect(try await body() == [10, 20, 30])
        #expect(done.value == ["1", "2", "3"])
        #expect(notebook.lines == ["|item|1|10", "|item|2|20", "|item|3|30"])
    }

    @Test func `where a try got half the way, the next one goes on there`() async throws {
        let first = memory()
        _ = try await step(first, "a")
        _ = try await step(first, "b")
        let second = memory()
        for name in ["a", "b", "c"] { _ = try await step(second, name) }
        #expect(done.value == ["a", "b", "c"])
    }

    // MARK: Nested

    @Test func `a step inside a step has its path`() async throws {
        let memory = memory()
        for _ in 1...2 {
            let sum = try await memory.step("order") {
                try await memory.step("item") { 1 } + memory.step("item") { 2 }
            }
            #expect(sum == 3)
        }
        #expect(
            notebook.lines == [
                "/order/1|item|1|1", "/order/1|item|2|2", "|order|1|3", "/order/2|item|1|1", "/order/2|item|2|2",
                "|order|2|3",
            ])
    }

    @Test func `behind a step the path is the one before it again`() async throws {
        let memory = memory()
        _ = try await memory.step("a") { 1 }
        await #expect(throws: Broken.self) { try await memory.step("b") { () async throws -> Int in throw Broken() } }
        _ = try await memory.step("c") { 1 }
        #expect(notebook.lines == ["|a|1|1", "|c|1|1"])
    }

    @Test func `a step of another run inside a step knows nothing of it`() async throws {
        let other = Notebook()
        _ = try await memory().step("a") {
            try await StepMemory(other, JSONCodec(), checksCoding: true).step("b") { 1 }
        }
        #expect(other.lines == ["|b|1|1"])
    }

    // MARK: At the same time

    /// Three steps at once, which finish in this order. Those that were done are not waited for.
    private func race(_ order: [String]) async throws -> [String] {
        let memory = memory()
        let turn = Watched(0)
        let names = ["a", "b", "c"]
        return try await withThrowingTaskGroup(of: String.self) { group in
            for name in names {
                group.addTask {
                    try await memory.step(name) {
                        if let place = order.firstIndex(of: name) {
                            _ = await turn.wait { $0 == place ? true : nil }
                        }
                        self.done.change { $0.append(name) }
                        return "\(name) done"
                    }
                }
            }
            var results: [String] = []
            for try await result in group {
                results.append(result)
                turn.change { $0 += 1 }
            }
            return results
        }
    }

    @Test(arguments: [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]])
    func `they finish in any order`(_ order: [String]) async throws {
        #expect(try await race(order) == order.map { "\($0) done" })
        #expect(notebook.lines == order.map { #"|\#($0)|1|"\#($0) done""# })
        #expect(try await race([]).sorted() == ["a done", "b done", "c done"])
        #expect(done.value == order)
    }

    @Test(arguments: [["a"], ["b"], ["c", "a"]])
    func `with part of them done the others are done`(_ before: [String]) async throws {
        for name in before { _ = try await step(memory(), name) }
        #expect(try await race([]).count == 3)
        #expect(done.value.sorted() == ["a", "b", "c"])
        #expect(done.value.prefix(before.count) == before[...])
    }

    // MARK: What is not remembered

    @Test func `one that throws is not, and its next try has the same number`() async throws {
        let memory = memory()
        for attempt in 1...3 {
            let result = try? await memory.step("charge") {
                if attempt < 3 { throw Broken() }
                return attempt
            }
            #expect(result == (attempt < 3 ? nil : 3))
        }
        #expect(notebook.lines == ["|charge|1|3"])
        #expect(try await self.memory().step("charge") { 0 } == 3)
    }

    @Test func `what was done inside one that throws is not done again`() async throws {
        let memory = memory()
        for attempt in 1...2 {
            _ = try? await memory.step("order") {
                _ = try await step(memory, "item")
                if attempt == 1 { throw Broken() }
                return 1
            }
        }
        #expect(done.value == ["item"])
        #expect(notebook.lines == [#"/order/1|item|1|"item 1""#, "|order|1|1"])
    }

    @Test func `what cannot be kept is thrown, and is not remembered`() async throws {
        let memory = memory()
        await #expect(throws: Broken(text: "cut")) {
            try await memory.step("charge") {
                notebook.refusal.change { $0 = Broken(text: "cut") }
                return 1
            }
        }
        #expect(notebook.lines == [])
        notebook.refusal.change { $0 = nil }
        #expect(try await memory.step("charge") { 2 } == 2)
        #expect(notebook.lines == ["|charge|1|2"])
    }

    @Test func `where nothing is heard of it any more, nothing is done`() async throws {
        notebook.refusal.change { $0 = CancellationError() }
        await #expect(throws: CancellationError.self) { try await step(memory(), "charge") }
        #expect(done.value == [])
    }

    // MARK: What does not fit

    @Test func `a result of another type is an error that says which step it is, and how to go on`() async throws {
        let before = memory()
        _ = try? await before.step("order") {
            _ = try await before.step("charge") { "text" }
            if done.value.isEmpty { throw Broken() }
            return 1
        }
        let after = memory()
        for _ in 1...2 {
            let error = await #expect(throws: EffectFailure.self) {
                try await after.step("order") { try await after.step("charge") { Receipt() } }
            }
            #expect(
                error?.description == """
                    The remembered result of the step /order/1/charge/1 is not a \
                    \(StoredName.of(Receipt.self)): "text". Give a step that returns another type a new name.
                    """)
        }
    }

    @Test func `a codec that loses something is found`() async throws {
        struct Lossy: Codable, Sendable, Equatable {
            var kept = 1, lost = 2
            enum CodingKeys: CodingKey { case kept }
        }
        let error = await #expect(throws: EffectFailure.self) { try await memory().step("a") { Lossy(lost: 3) } }
        #expect(error?.description.hasPrefix("The result of the step /a/1 is not the same after") == true)
        #expect(error?.isFinal == true)
        #expect(notebook.lines == [])
        _ = try await memory(checksCoding: false).step("a") { Lossy(lost: 3) }
        #expect(notebook.lines == [#"|a|1|{"kept":1}"#])
    }

    @Test func `a result that does not encode is thrown`() async throws {
        let error = await #expect(throws: EffectFailure.self) { try await memory().step("a") { Double.nan } }
        #expect(error?.description.hasPrefix("The result of the step /a/1 cannot be encoded") == true)
        #expect(error?.isFinal == true)
        #expect(notebook.lines == [])
    }
}
