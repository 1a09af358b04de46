import JournalStore

/// What one look at the journal found.
struct LiveChange: Sendable {
    struct Step: Sendable {
        var entry: Entry
        var stream: Int
        /// The number of the stream that caused it, if that is another one; -1 if the page does not have that.
        var sender: Int?
        /// The action, without what is left out.
        var action: String
        var record: StepRecord?
        var outcome: PageOutcome
    }

    /// The streams that were not known before.
    var streams: [StreamInfo] = []
    var steps: [Step] = []
    /// The steps whose outcome became known, by their index in the page.
    var outcomes: [(index: Int, outcome: PageOutcome)] = []
    /// The effects that are new or have changed.
    var runs: [(run: EffectRun, stream: Int)] = []
    var interventions: [(stream: Int, act: Intervention)] = []
    /// When an app opened the journal again.
    var restarts: [Timestamp] = []

    var isEmpty: Bool {
        streams.isEmpty && steps.isEmpty && outcomes.isEmpty && runs.isEmpty && interventions.isEmpty
            && restarts.isEmpty
    }
}
