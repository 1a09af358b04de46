import Testing

@testable import JournalStore

@Suite struct `Machine, remembered steps` {
    struct Receipt: Codable, Sendable, Equatable { var number = 1, text = "x" }
    struct Broken: Error, Equatable { var text = "broken" }

    private let notebook = Notebook()
    /// The steps that ran.
    private let done = Box<[String]>([])

    /// The memory of one attempt, on the shared notebook.
    private func memory(checksCoding: Bool = true) -> StepMemory {
        StepMemory(notebook, JSONCodec(), checksCoding: checksCoding)
    }

    /// A step that records that it ran.
    private func step(_ memory: StepMemory, _ name: String) async throws -> String {
        try await memory.step(name) {
            done.change { done in
                done.append(name)
                return "\(name) \(done.count)"
            }
        }
    }

    // MARK: Done once

    @Test func `a step returns the result of its work and stores it`() async throws {
        let receipt = try await memory().step("charge") { Receipt(number: 7) }
        #expect(receipt == Receipt(number: 7))
        #expect(notebook.lines == [#"|charge|1|{"number":7,"text":"x"}"#])
    }

    @Test func `a later attempt gets the stored result and does not run the step again`() async throws {
        let first = try await step(memory(), "charge")
        #expect(try await step(memory(), "charge") == first)
        #expect(done.value == ["charge"])
        #expect(notebook.lines.count == 1)
    }

    @Test func `a step without a result runs only once too`() async throws {
        for _ in 1...2 {
            let context = EffectContext.of(memory: memory())
            try await context.step("mail") { done.change { $0.append("mail") } }
        }
        #expect(done.value == ["mail"])
        #expect(notebook.lines == ["|mail|1|null"])
    }

    @Test func `a step whose result is nil runs only once too`() async throws {
        for _ in 1...2 {
            let found: Int? = try await memory().step("look") {
                done.change { $0.append("look") }
                return nil
            }
            #expect(found == nil)
        }
        #expect(done.value == ["look"])
    }

    @Test func `each use of a name in a loop is a step of its own`() async throws {
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

    @Test func `an attempt continues after the last remembered step`() async throws {
        let first = memory()
        _ = try await step(first, "a")
        _ = try await step(first, "b")
        let second = memory()
        for name in ["a", "b", "c"] { _ = try await step(second, name) }
        #expect(done.value == ["a", "b", "c"])
    }

    // MARK: Nested

    @Test func `a step inside a step is stored with its path`() async throws {
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

    @Test func `after a step the path is the same as before it`() async throws {
        let memory = memory()
        _ = try await memory.step("a") { 1 }
        await #expect(throws: Broken.self) { try await memory.step("b") { () async throws -> Int in throw Broken() } }
        _ = try await memory.step("c") { 1 }
        #expect(notebook.lines == ["|a|1|1", "|c|1|1"])
    }

    @Test func `a step of another run inside a step does not get its path`() async throws {
        let other = Notebook()
        _ = try await memory().step("a") {
            try await StepMemory(other, JSONCodec(), checksCoding: true).step("b") { 1 }
        }
        #expect(other.lines == ["|b|1|1"])
    }

    // MARK: At the same time

    /// Runs three steps at once, which finish in this order. Remembered steps do not wait for their turn.
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
    func `concurrent steps can finish in any order`(_ order: [String]) async throws {
        #expect(try await race(order) == order.map { "\($0) done" })
        #expect(notebook.lines == order.map { #"|\#($0)|1|"\#($0) done""# })
        #expect(try await race([]).sorted() == ["a done", "b done", "c done"])
        #expect(done.value == order)
    }

    @Test(arguments: [["a"], ["b"], ["c", "a"]])
    func `an attempt runs only the concurrent steps that are not remembered`(_ before: [String]) async throws {
        for name in before { _ = try await step(memory(), name) }
        #expect(try await race([]).count == 3)
        #expect(done.value.sorted() == ["a", "b", "c"])
        #expect(done.value.prefix(before.count) == before[...])
    }

    @Test func `a step fails for good while another one with its name runs, and not after that one has ended`()
        async throws
    {
        let memory = memory()
        let outer = try await memory.step("order") {
            let inside = try await step(memory, "order")
            return inside
        }
        #expect(outer == "order 1")
        let turn = Watched(0)
        async let first = memory.step("fetch") {
            turn.change { $0 = 1 }
            return await turn.wait { $0 == 2 ? $0 : nil }
        }
        _ = await turn.wait { $0 == 1 ? true : nil }
        let failure = await #expect(throws: EffectFailure.self) { try await step(memory, "fetch") }
        #expect(
            failure?.description == """
                Two steps 'fetch' run at the same time. A restart could exchange their results, as they are told apart \
                by their order. Give each a name of its own.
                """)
        #expect(failure?.isFinal == true)
        #expect(try await step(memory, "other") == "other 2")
        turn.change { $0 = 2 }
        #expect(try await first == 2)
        #expect(try await step(memory, "fetch") == "fetch 3")
        #expect(notebook.lines.suffix(2) == ["|fetch|1|2", #"|fetch|2|"fetch 3""#])
    }

    // MARK: What is not remembered

    @Test func `a step that throws is not remembered, and its next attempt has the same number`() async throws {
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

    @Test func `a step inside a step that throws is remembered`() async throws {
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

    @Test func `a step inside a step that is tried again in a later attempt is not done again`() async throws {
        func body(_ memory: StepMemory, failures: Int) async throws {
            var left = failures
            while left >= 0 {
                let outer = try? await memory.step("order") { () async throws -> Int in
                    _ = try await memory.step("parcel") {
                        _ = try await step(memory, "label")
                        return try await step(memory, "pickup")
                    }
                    _ = try await step(memory, "mail")
                    if left > 0 { throw Broken() }
                    return 1
                }
                left = outer == nil ? left - 1 : -1
            }
        }
        // The process dies before the outer step has its result.
        let cut = memory()
        _ = try? await cut.step("order") { () async throws -> Int in
            _ = try await cut.step("parcel") {
                _ = try await step(cut, "label")
                return try await step(cut, "pickup")
            }
            throw Broken()
        }
        try await body(memory(), failures: 2)
        #expect(done.value == ["label", "pickup", "mail"])
        try await body(memory(), failures: 0)
        #expect(done.value == ["label", "pickup", "mail"])
        #expect(notebook.lines.count == 5)
    }

    @Test func `a step whose result cannot be stored throws and is not remembered`() async throws {
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

    @Test func `a step does not run if its run was cancelled`() async throws {
        notebook.refusal.change { $0 = CancellationError() }
        await #expect(throws: CancellationError.self) { try await step(memory(), "charge") }
        #expect(done.value == [])
    }

    // MARK: More results than memory

    /// The memory of one attempt on a notebook that reads its results in pages.
    private func memory(on notebook: Notebook) -> StepMemory {
        StepMemory(notebook, JSONCodec(), checksCoding: true)
    }

    @Test func `results that do not fit into memory are read page by page when the body asks for them`() async throws {
        let notebook = Notebook(room: 2)
        func body(_ count: Int) async throws -> [Int] {
            let memory = memory(on: notebook)
            var results: [Int] = []
            for number in 1...count {
                for name in ["ask", "answer"] {
                    results.append(
                        try await memory.step(name) {
                            done.change { $0.append(name) }
                            return number
                        })
                }
            }
            return results
        }
        #expect(try await body(4) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(notebook.pages.value == [])
        #expect(try await body(4) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(notebook.pages.value == ["/ask/2", "/answer/2", "/ask/4", "/answer/4"])
        #expect(done.value.count == 8)
        // What is not remembered is known without reading.
        notebook.pages.change { $0 = [] }
        #expect(try await body(5).suffix(2) == [5, 5])
        #expect(notebook.pages.value == ["/ask/2", "/answer/2", "/ask/4", "/answer/4"])
        #expect(done.value.count == 10)
    }

    @Test func `results are read from where the body asks, in any order`() async throws {
        let notebook = Notebook(room: 0)
        for name in ["a", "b", "c"] { _ = try await step(memory(on: notebook), name) }
        let later = memory(on: notebook)
        for name in ["c", "a", "d", "b"] { _ = try await step(later, name) }
        #expect(done.value == ["a", "b", "c", "d"])
        #expect(notebook.pages.value == ["/c/1", "/a/1", "/b/1"])
    }

    @Test func `a result that was read once is still there when its enclosing step is tried again`() async throws {
        let notebook = Notebook(room: 0)
        func body(_ memory: StepMemory, failures: Int) async throws {
            for attempt in 0...failures {
                _ = try? await memory.step("order") {
                    for _ in 1...3 { _ = try await step(memory, "item") }
                    if attempt < failures { throw Broken() }
                    return 1
                }
            }
        }
        // The process dies before the outer step has its result.
        let cut = memory(on: notebook)
        _ = try? await cut.step("order") { () async throws -> Int in
            for _ in 1...3 { _ = try await step(cut, "item") }
            throw Broken()
        }
        try await body(memory(on: notebook), failures: 2)
        #expect(done.value == ["item", "item", "item"])
        #expect(notebook.pages.value == ["/order/1/item/1", "/order/1/item/3"])
    }

    @Test func `a step whose result cannot be read throws, and is not performed`() async throws {
        let notebook = Notebook(room: 0)
        _ = try await step(memory(on: notebook), "charge")
        let later = memory(on: notebook)
        notebook.unreadable.change { $0 = Broken(text: "damaged") }
        await #expect(throws: Broken(text: "damaged")) { try await step(later, "charge") }
        notebook.unreadable.change { $0 = nil }
        #expect(try await step(later, "charge") == "charge 1")
        #expect(done.value == ["charge"])
    }

    @Test func `a step whose result was pruned after its run was cancelled throws that cancellation`() async throws {
        let notebook = Notebook(room: 0)
        _ = try await step(memory(on: notebook), "charge")
        let later = memory(on: notebook)
        notebook.unreadable.change { $0 = Broken(text: "missing") }
        notebook.fencing.change { $0 = CancellationError() }
        await #expect(throws: CancellationError.self) { try await step(later, "charge") }
        #expect(done.value == ["charge"])
    }

    // MARK: What does not fit

    @Test func `a remembered result of another type is an error with the step and without the result`() async throws {
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
                    The remembered result of the step /order/1/charge/1 cannot be decoded as a \
                    \(StoredName.of(Receipt.self)): not a Dictionary<String, Any>. \
                    Give a step that returns another type a new name.
                    """)
        }
    }

    @Test func `the error has the path inside the result, without the keys of a dictionary`() async throws {
        _ = try await memory().step("prices") { ["hunter2": ["1"]] }
        let error = await #expect(throws: EffectFailure.self) {
            try await memory().step("prices") { ["hunter2": [1]] }
        }
        #expect(error?.description.contains(": not a Int at <key>.0. Give") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a result that is decoded differently is an error`() async throws {
        struct Lossy: Codable, Sendable, Equatable {
            var kept = 1, lost = 2
            enum CodingKeys: CodingKey { case kept }
        }
        let error = await #expect(throws: EffectFailure.self) { try await memory().step("a") { Lossy(lost: 3) } }
        #expect(error?.description.hasPrefix("The result of the step /a/1 is not the same at lost after") == true)
        #expect(error?.isFinal == true)
        #expect(notebook.lines == [])
        _ = try await memory(checksCoding: false).step("a") { Lossy(lost: 3) }
        #expect(notebook.lines == [#"|a|1|{"kept":1}"#])
    }

    @Test func `a result that cannot be encoded is an error`() async throws {
        let error = await #expect(throws: EffectFailure.self) { try await memory().step("a") { Double.nan } }
        #expect(error?.description.hasPrefix("The result of the step /a/1 cannot be encoded") == true)
        #expect(error?.isFinal == true)
        #expect(notebook.lines == [])
    }
}
