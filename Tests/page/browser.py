"""Drives Chromium over its DevTools protocol, through a pipe: https://chromedevtools.github.io/devtools-protocol/"""
import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading

KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}

# How many seconds a test waits for what must happen. Machines differ in speed, so a test that waits longer hangs.
PATIENCE = 600


class Failure(Exception):
    pass


class Browser:
    """One process; each page has a session in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="page-browser-")
        requests, answers = os.pipe(), os.pipe()
        command = [
            shutil.which("chromium") or "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
            "--remote-debugging-pipe", "--user-data-dir=" + self.folder, "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
            "about:blank",
        ]
        # The browser reads requests from its descriptor 3 and writes answers to 4.
        redirection = f'exec "$@" 3<&{requests[0]} 4>&{answers[1]}'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", redirection, "sh", *command], pass_fds=(requests[0], answers[1]),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(requests[0])
        os.close(answers[1])
        self.writer = os.fdopen(requests[1], "wb", buffering=0)
        self.reader = os.fdopen(answers[0], "rb")
        self.numbers = itertools.count(1)
        self.answers = {}
        self.events = {}
        self.news = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        buffer = b""
        while piece := self.reader.read1(1 << 16):
            *messages, buffer = (buffer + piece).split(b"\0")
            for message in map(json.loads, messages):
                with self.news:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.setdefault(message.get("sessionId"), []).append(message)
                    self.news.notify_all()
        with self.news:
            self.answers = None
            self.news.notify_all()

    def ask(self, method, session=None, timeout=2 * PATIENCE, **parameters):
        """The answer of the browser. It comes later than the end of the longest wait in a page."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.writer.write(json.dumps(message).encode() + b"\0")
        with self.news:
            found = self.news.wait_for(lambda: self.answers is None or number in self.answers, timeout)
            if not found or self.answers is None:
                raise Failure(f"{method}: " + ("no answer" if self.answers is not None else "the browser has ended"))
            answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self, address, width=1440, height=900, scheme="light"):
        return Page(self, address, width, height, scheme)

    def close(self):
        try:
            self.ask("Browser.close", timeout=10)
        except Failure:
            self.process.kill()
        self.process.wait()
        self.writer.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, browser, address, width, height, scheme):
        self.browser = browser
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.ask(f"{domain}.enable")
        self.resize(width, height)
        self.emulate(scheme)
        self.ask("Page.navigate", url=address)
        self.wait("document.body && ['ready', 'failed'].includes(document.body.dataset.state)")

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700)

    def emulate(self, scheme="light", media=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, expression):
        """The value of an expression or of its promise."""
        answer = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition):
        """Returns when a condition holds; the page checks it every 10 ms."""
        text = f"""new Promise((done, fail) => {{
            const end = performance.now() + {PATIENCE * 1000};
            const look = () => {{
                let holds = false;
                try {{ holds = {condition}; }} catch (error) {{ }}
                if (holds) done(true);
                else if (performance.now() > end) fail(new Error('waited for: ' + {json.dumps(condition)}));
                else setTimeout(look, 10);
            }};
            look();
        }})"""
        while True:
            try:
                return self.run(text)
            except Failure as failure:
                # A navigation replaces the page in which the promise was.
                if "context was destroyed" not in str(failure) and "navigated" not in str(failure):
                    raise

    def first_paint(self):
        """The time from the navigation to the first content, in milliseconds."""
        entries = "performance.getEntriesByName('first-contentful-paint')"
        self.wait(f"{entries}.length")
        return self.run(f"{entries}[0].startTime")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText.replace(/\\s+/g, ' ').trim())")

    def text(self, selector):
        return " ".join(self.texts(selector))

    def press(self, key, times=1, shift=False):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        written = {"Enter": "\r", "Tab": ""}.get(key, key if len(key) == 1 else "")
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        for _ in range(times):
            self.ask("Input.dispatchKeyEvent", type="keyDown", text=written, **event)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    def write(self, text):
        self.ask("Input.insertText", text=text)

    def focus(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def click(self, selector):
        """A real click in the middle of the first visible element."""
        x, y = self.run(f"""(() => {{
            const element = [...document.querySelectorAll({json.dumps(selector)})].find(e => e.getClientRects().length);
            element.scrollIntoView({{ block: 'nearest' }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.click_at(x, y)

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def focused(self):
        return self.run("document.activeElement.id || document.activeElement.tagName")

    def events(self, method):
        with self.browser.news:
            return [event["params"] for event in self.browser.events.get(self.session, []) if event["method"] == method]

    def problems(self):
        """Exceptions, and what the console reports as an error."""
        found = [event["exceptionDetails"]["text"] for event in self.events("Runtime.exceptionThrown")]
        return found + [event["entry"]["text"] for event in self.events("Log.entryAdded") if event["entry"]["level"] == "error"]

    def requests(self):
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def screenshot(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)
