import Foundation
import JournalStore

/// Prints what it reduces.
let noisy = Machine<Int, Int, Void>("noisy", initialState: 0) { sum, number in
    print("adding \(number)")
    sum += number
}

/// Tells that it reduces, and does not end.
let endless = Machine<Int, Int, Void>("endless", initialState: 0) { sum, number in
    print("reducing")
    fflush(nil)
    while true { sleep(60) }
}
