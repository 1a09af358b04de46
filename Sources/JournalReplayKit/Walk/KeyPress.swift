enum KeyPress: Hashable, Sendable {
    /// A typed character.
    case text(Character)
    /// Control with a letter, given in lower case.
    case control(Character)
    case up, down, left, right, shiftUp, shiftDown
    case pageUp, pageDown, home, end
    case tab, enter, escape, backspace, delete
}
