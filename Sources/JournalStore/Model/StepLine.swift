/// One line about a step, for descriptions: it has the name of the action, and no value of the app.
enum StepLine {
    static func text(
        _ step: Int, of stream: String, _ origin: Origin, at time: Timestamp, action name: String?
    ) -> String {
        let name = name.map { ": \($0)" } ?? ""
        return JSONOutput.safe("step \(step) of '\(stream)', \(origin) at \(time)\(name)")
    }

    /// The end of the line for a step that changed nothing.
    static func ending(isSkipped: Bool, rejection: String?) -> String {
        if isSkipped { return ", skipped" }
        guard let rejection else { return "" }
        return rejection.isEmpty ? ", rejected" : ", rejected: " + JSONOutput.safe(rejection)
    }
}
