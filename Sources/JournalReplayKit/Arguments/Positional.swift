/// A positional argument.
struct Positional: Sendable {
    /// In capitals, as help shows it.
    let name: String
    let help: String
    var completion = Completion.files
    var isOptional = false
    /// The form that its value must have; nil for any text.
    var form: Form?

    /// The form of a value.
    struct Form: Sendable {
        /// The accepted values, as the end of the sentence "STEP must be …".
        let expected: String
        let accepts: @Sendable (String) -> Bool
    }

    /// The journal that a command reads.
    static let file = Positional(name: "FILE", help: "The journal's database file.")
}
