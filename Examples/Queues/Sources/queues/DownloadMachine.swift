import Foundation
import JournalStore

enum Action: Codable, Sendable {
    case fetch(id: String)
    case _didFetch(Data)
}

struct State: Codable, Sendable {}  // no state

struct Environment: Sendable {
    let fetch: @Sendable (_ id: String) async throws -> Data
}

struct DelayedEffectQueue: EffectQueueProtocol {
    // First 3 effects will run concurrently, and other sent effects will be suspended.
    var effectQueuePolicy: EffectQueuePolicy {
        .runOldest(maxCount: 3, .suspendNew)
    }

    // Adds delay between effect start. (This is useful for throttling / deboucing)
    var effectQueueDelay: EffectQueueDelay {
        .random(0.1...0.3)
    }
}

let reducer = Reducer<Action, State, Environment> { action, state, environment in
    switch action {
    case .fetch(let id):
        return Effect(queue: DelayedEffectQueue()) {
            let data = try await environment.fetch(id)
            return ._didFetch(data)
        }
    case ._didFetch:
        // Do something with `data`. It is in the journal, so a large file needs another place, and an action its name.
        return .empty
    }
}

let machine = Machine("download", initialState: State(), reducer: reducer)
