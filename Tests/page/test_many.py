import os
import time

from support import SPEED, PageCase, journal, page_file

COUNT = 1_000_000


class LongTexts(PageCase):
    def test_long_actions_make_small_chunks_and_are_shown_in_full_on_request(self):
        path = page_file("long", 12, ("--states", "none"))
        with open(path) as file:
            self.assertGreaterEqual(file.read().count('data-chunk="texts"'), 2)
        page = self.open_step("order-1", 9, kind="long", count=12, options=["--states", "none"])
        self.assertIn("price 9", page.text("#step .tree"))
        self.assertEqual(page.text("#step .tree button"), "Show all 600,000 characters")
        page.click("#step .tree button")
        page.wait("document.querySelector('#step .string').textContent.length > 600000")
        self.set(page, "filter-text", "7 7 7")
        page.wait("document.getElementById('found').innerText === '1 of 12 steps'")
        self.assertIn("order-1, step 7", self.rows(page)[0])


class AMillionSteps(PageCase):
    def test_a_page_with_a_million_steps_is_usable(self):
        journal("many", COUNT)
        start = time.monotonic()
        path = page_file("many", COUNT, ())
        made = time.monotonic() - start
        size = os.path.getsize(path)
        start = time.monotonic()
        page = self.open(kind="many", count=COUNT)
        ready = time.monotonic() - start
        painted = page.first_paint()
        page.ask("HeapProfiler.collectGarbage")
        heap = page.ask("Runtime.getHeapUsage")
        used = heap["usedSize"] + heap.get("backingStorageSize", 0)
        self.assertIn("1,000,000 steps", page.text("#facts"))
        start = time.monotonic()
        self.set(page, "filter-text", '"_0":777777}')
        page.wait("document.getElementById('found').innerText === '1 of 1,000,000 steps'")
        searched = time.monotonic() - start
        page.click("#filter-reset")
        page.wait("document.getElementById('found').innerText === ''")
        # The end and the middle of the list, and a step by its number.
        page.focus("#steps")
        page.press("Home")
        page.wait("document.querySelector('#steps .row').dataset.row === '0'")
        page.run("document.getElementById('steps').scrollTop = document.getElementById('steps').scrollHeight / 2")
        page.wait("Math.abs(document.querySelector('#steps .row').dataset.row - 500000) < 1000")
        page.press("End")
        page.wait("document.querySelector('#steps .row[aria-posinset=\\'1000000\\']')")
        start = time.monotonic()
        page.run("location.hash = '#stream=order-1&step=333333'")
        self.wait_for_step(page, "order-1", "333,333")
        moved = time.monotonic() - start
        frame = page.run("""(async () => {
            let longest = 0;
            for (let i = 0; i < 20; i++) {
                document.getElementById(i % 2 ? 'zoom-out' : 'zoom-in').click();
                const start = performance.now();
                await new Promise(requestAnimationFrame);
                await new Promise(done => setTimeout(done));
                longest = Math.max(longest, performance.now() - start);
            }
            return longest;
        })()""")
        print(f"\n1,000,000 steps: {size / 1e6:.1f} MB, made in {made:.1f} s, first paint {painted / 1e3:.2f} s, "
              f"usable {ready:.1f} s, memory {used / 1e6:.0f} MB, search {searched:.1f} s, move {moved:.2f} s, "
              f"longest frame {frame:.0f} ms")
        self.assertLess(size, 40e6)
        self.assertLess(used, 400e6)
        if SPEED:
            self.assertLess(made, 180)
            self.assertLess(painted, 5000)
            self.assertLess(ready, 40)
            self.assertLess(searched, 25)
            self.assertLess(moved, 3)
            self.assertLess(frame, 500)
