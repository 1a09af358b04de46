/// What a machine in memory does with an effect that sends one action: the least that the work itself costs.
actor MemoryMachine {
    private(set) var state = BenchState()

    func dispatchWithEffect(count: Int) async {
        for _ in 0..<count { await dispatch(.fetch) }
    }

    private func dispatch(_ action: BenchAction) async {
        switch action {
        case .add(let count, _): state.sum &+= count
        case .fetch: await dispatch(Task { BenchAction.add(count: 1, item: "apple") }.value)
        case .wait: break
        }
    }
}
