"""What the tests of the page share: journals, pages, a browser."""
import base64
import functools
import os
import re
import subprocess
import tempfile
import unittest
import zlib

from browser import Browser

TOOL = os.environ["PAGE_TOOL"]
folder = tempfile.TemporaryDirectory(prefix="page-test-")
SHOTS = os.environ.get("PAGE_SHOTS")
# Whether times and rates must keep their limits. They are printed always, and depend on the machine and on what else it does.
SPEED = os.environ.get("PAGE_SPEED") == "1"


def tool(*arguments, status=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def journal(kind, count=40):
    return written(kind, count)


@functools.cache
def written(kind, count):
    path = f"{folder.name}/{kind}-{count}.db"
    tool("journal", kind, path, count)
    return path


@functools.cache
def page_file(kind, count, options):
    path = f"{folder.name}/{kind}-{count}-{abs(hash(options))}.html"
    tool("page", journal(kind, count), "-o", path, *options)
    return path


@functools.cache
def browser():
    return Browser()


def data(path):
    """All data of a page as text; also a check that the compressed data is what zlib understands."""
    with open(path, "rb") as file:
        parts = re.findall(rb'<script type="application/octet-stream"[^>]*>([^<]*)</script>', file.read())
    return b"\n".join(zlib.decompress(base64.b64decode(part), -15) for part in parts).decode(errors="replace")


class PageCase(unittest.TestCase):
    """A test with pages. At its end, no page may have reported a problem or have asked for anything."""

    def open(self, kind="orders", fragment="", count=40, options=(), width=1440, height=900, scheme="light"):
        path = page_file(kind, count, tuple(options))
        page = browser().page(f"file://{path}{fragment}", width, height, scheme)
        self.addCleanup(page.close)
        self.addCleanup(self.check_is_quiet, page, path)
        return page

    def check_is_quiet(self, page, path):
        self.assertEqual(page.problems(), [])
        self.assertEqual({address.split("#")[0] for address in page.requests()}, {f"file://{path}"})

    def open_step(self, stream, step, **more):
        page = self.open(fragment=f"#stream={stream}&step={step}", **more)
        self.wait_for_step(page, stream, step)
        return page

    def wait_for_step(self, page, stream, step):
        page.wait(f"document.querySelector('#step .facts').innerText.startsWith('{stream} · step {step} ')")
        page.wait(f"document.getElementById('place').innerText === '{stream}, step {step}'")

    def set(self, page, field, value):
        """Fills a field as a person does: by the keyboard, or by choosing an option."""
        if page.run(f"document.getElementById('{field}').tagName") == "SELECT":
            page.run(f"""(() => {{ const field = document.getElementById('{field}');
                field.value = [...field.options].find(o => o.text === {value!r} || o.text.startsWith({value + ' ('!r})).value;
                field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")
        else:
            page.focus("#" + field)
            page.write(value)

    def rows(self, page, kind="steps"):
        return page.texts(f"#{kind} .row")


def close():
    if browser.cache_info().currsize:
        browser().close()
    folder.cleanup()
