import Foundation
import Testing

@testable import JournalReplayKit

@Suite(.serialized) struct `Signals in a pipe` {
    /// Whether the calling thread blocks a signal.
    private func isHeldBack(_ signal: Int32) -> Bool {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return sigismember(&mask, signal) == 1
    }

    @Test func `arrive although a parent process blocked them`() throws {
        var held = sigset_t()
        var before = sigset_t()
        sigemptyset(&held)
        sigaddset(&held, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &held, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var pipe = SignalPipe()
        #expect(pipe != nil)
        #expect(!isHeldBack(SIGTERM))
        pipe = nil
        #expect(isHeldBack(SIGTERM))
    }

    /// As under `nohup`.
    @Test func `leave SIGHUP ignored if it was`() throws {
        let before = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, before) }
        let pipe = try #require(SignalPipe())
        pipe.handle([SIGHUP, SIGWINCH])
        raise(SIGHUP)
        raise(SIGWINCH)
        #expect(pipe.numbers() == [SIGWINCH])
        pipe.unhandle()
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        #expect(System.ignores(action))
    }

    @Test func `are read once, together with a wake`() throws {
        let pipe = try #require(SignalPipe())
        pipe.handle([SIGWINCH])
        raise(SIGWINCH)
        raise(SIGWINCH)
        pipe.wake()
        #expect(pipe.numbers() == [SIGWINCH, 0])
        #expect(pipe.numbers() == [])
        pipe.unhandle()
        raise(SIGWINCH)
        #expect(pipe.numbers() == [])
    }
}
