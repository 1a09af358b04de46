import JournalStore

// A handler has three arguments: the value, the environment, the context.
struct Job: Codable, Sendable {}

let reducer = Reducer<LoadAction, Load, Web> { _, _, _ in .perform(Job()) }
    // error: expects 3 arguments, but 2 were used in closure body
    .handling(Job.self) { job, web in .done("text") }
