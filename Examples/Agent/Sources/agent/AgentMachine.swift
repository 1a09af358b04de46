import JournalStore

/// What an agent was asked, and what it has found out.
struct Conversation: Codable, Sendable, Equatable {
    /// The step at which it was asked: the same question can be asked again.
    var asked = 0
    var question: String?
    var answer: String?
    var problem: String?
}

enum AgentAction: Codable, Sendable, Equatable {
    case ask(String)
    case answered(String, asked: Int)
    case failed(String, asked: Int)
}

/// What the model wants next.
enum Thought: Codable, Sendable, Equatable {
    case call(tool: String, input: String)
    case answer(String)
}

/// The model and the tools, which are outside of the machine.
struct Services: Sendable {
    var think: @Sendable (_ history: [String], _ key: String) async throws -> Thought
    var call: @Sendable (_ tool: String, _ input: String, _ key: String) async throws -> String
}

/// The whole conversation is one effect. Each request to the model and each call of a tool is a remembered step: after
/// a crash the effect begins again, gets the results so far from the journal, and goes on with the first step that has
/// none.
let agent = Machine<AgentAction, Conversation, Services>("agent", initialState: Conversation()) {
    action, state, services, step in
    switch action {
    case .ask(let question):
        guard state.question == nil || state.answer != nil || state.problem != nil else {
            return .reject("the last question is not answered yet")
        }
        let asked = step.number
        state = Conversation(asked: asked, question: question)
        // Counts the failures of the whole conversation. Steps that have succeeded are not repeated.
        let patience = RetryPolicy.exponential(maxAttempts: 5)
        return .run("converse", id: "conversation", retry: patience) { context in
            .answered(try await converse(question, services, context), asked: asked)
        }
        .onFailure { .failed("\($0)", asked: asked) }
        // Without it, no other question could be asked.
        .onCancel(.failed("cancelled", asked: asked))
    // An operator may have retried the conversation about an earlier question, or about this one after it had failed.
    case .answered(let answer, let asked):
        guard asked == state.asked else { return .reject("it answers an earlier question") }
        (state.answer, state.problem) = (answer, nil)
    case .failed(let problem, let asked):
        guard asked == state.asked else { return .reject("it is about an earlier question") }
        guard state.answer == nil else { return .reject("the question is answered") }
        state.problem = problem
    }
    return .none
}

private func converse(_ question: String, _ services: Services, _ context: EffectContext) async throws -> String {
    var history = [question]
    while history.count < 1_000 {
        // Each step is known by its name and by how often the name was used: think 1, call 1, think 2 …
        let turn = "\(context.idempotencyKey)-\(history.count)"
        let thought = try await context.step("think") { [history] in try await services.think(history, turn) }
        switch thought {
        case .answer(let text): return text
        case .call(let tool, let input):
            history.append(try await context.step("call") { try await services.call(tool, input, turn) })
        }
    }
    throw TooLong()
}

private struct TooLong: Error, CustomStringConvertible {
    var description: String { "the conversation has a thousand turns and no answer" }
}
