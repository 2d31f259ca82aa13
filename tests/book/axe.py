#!/usr/bin/env python3
"""The pages of a folder before axe, in headless Chromium: at a phone's width and a desk's, light and dark.

    axe.py AXE.JS FOLDER      exit 0, or 1 and a line for each violation

One Chromium for each colour scheme, both at once. Its page has a frame of each width, in which the book's pages
stand one after the other while axe stays there, loaded and warm: they have no scripts, so a document put in
another's place is the same page. What axe found is sent back to this program. A page that is wider than the
window is a violation too: code scrolls in its box, not with the page.

Contrast takes axe longer than all its other rules together, and a listing has hundreds of words that differ in
nothing that contrast depends on. So of the texts that are alike (alike() below says in what) axe measures one.
"""
import concurrent.futures
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

WIDTHS = (375, 1280)
SCHEMES = {"light": 1, "dark": 0}  # Chromium's preferredColorScheme
PATIENCE = 150  # seconds for a colour scheme

HARNESS = """<!DOCTYPE html><title>axe</title><body style="margin:0"><script>
const pages = PAGES, widths = WIDTHS, answers = location.search.slice(1);

// The elements with text of their own, one list for each kind: the same colours, size and weight on the same
// grounds, and equally inside or outside of the boxes around it. What lies under something that is out of the
// flow is a kind by itself.
function alike(root) {
    const style = new Map(), boxes = new Map(), box = e => boxes.get(e);
    for (const e of root.querySelectorAll("*")) style.set(e, root.defaultView.getComputedStyle(e)), boxes.set(e, e.getBoundingClientRect());
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const inside = (a, b) => a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 1 && a.bottom < b.bottom + 1;
    const floating = [...style].filter(([e, s]) => s.position !== "static" || s.float !== "none" || s.transform !== "none").map(([e]) => box(e));
    const kinds = new Map();
    for (const [e, s] of style) {
        if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
        const own = box(e), kind = [s.color, s.fill, s.fontSize, s.fontWeight, s.textShadow, s.visibility, e.namespaceURI];
        for (let around = e; around !== root.documentElement; around = around.parentElement) {
            const a = style.get(around);
            if (a.backgroundColor !== "rgba(0, 0, 0, 0)" || a.backgroundImage + a.opacity + a.filter + a.mixBlendMode !== "none1nonenormal")
                kind.push(a.backgroundColor, a.backgroundImage, a.opacity, a.filter, a.mixBlendMode);
            if (!inside(own, box(around))) kind.push("beyond " + around.localName);
        }
        if (floating.some(f => meet(f, own))) kind.push(kinds.size);
        const key = kind.join();
        kinds.set(key, [...(kinds.get(key) || []), e]);
    }
    return [...kinds.values()];
}

async function frame(width) {
    const element = document.createElement("iframe");
    element.style.cssText = `border:0;width:${width}px;height:900px`;
    await new Promise(done => { element.onload = done; element.src = "/frame"; document.body.append(element); });
    return element.contentWindow;
}

async function show(page, root) {
    const text = await (await fetch("/" + page)).text();
    const html = root.documentElement, next = new DOMParser().parseFromString(text, "text/html").documentElement;
    for (const name of html.getAttributeNames()) html.removeAttribute(name);
    for (const { name, value } of next.attributes) html.setAttribute(name, value);
    html.replaceChildren(...next.childNodes);
    await Promise.all([...root.querySelectorAll("link[rel=stylesheet]")].map(link => link.sheet || new Promise(done => { link.onload = done; })));
    for (const fold of root.querySelectorAll("details")) fold.open = true;
    root.defaultView.scrollTo(0, 0);
}

async function judge(page, width, inside) {
    const root = inside.document;
    await show(page, root);
    const kinds = alike(root);
    for (const [one] of kinds) one.setAttribute("data-measured", "");
    inside.axe.configure({ rules: [{ id: "color-contrast", selector: "[data-measured]" }] });
    const found = await inside.axe.run(root, { resultTypes: ["violations"] });
    const bad = found.violations.flatMap(v => v.nodes.map(n => `${v.id}: ${n.target.join(" ").replaceAll('[data-measured=""]', "")}: ${n.any.concat(n.all).map(a => a.message)[0] || v.help}`));
    if (root.documentElement.scrollWidth > width) bad.push(`wider than the window: ${root.documentElement.scrollWidth}`);
    const measured = found.passes.concat(found.violations).some(rule => rule.id === "color-contrast");
    return { page, width, bad, passes: measured ? found.passes.length : 0, kinds: kinds.length, texts: kinds.flat().length, dark: inside.matchMedia("(prefers-color-scheme: dark)").matches };
}
(async () => {
    const frames = await Promise.all(widths.map(frame));
    for (const page of pages) for (const [at, width] of widths.entries()) {
        let result;
        try { result = await judge(page, width, frames[at]); } catch (error) { result = { page, width, bad: ["axe did not run: " + error], passes: 0 }; }
        await fetch(answers, { method: "POST", body: JSON.stringify(result) });
    }
    await fetch(answers, { method: "POST", body: "null" });
})();
</script>"""
FRAME = """<!DOCTYPE html><title>axe</title><script src="/axe.js"></script>"""


def server_for(axe, folder, pages, results):
    harness = HARNESS.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=folder)

        def do_GET(self):
            ours = {"/": ("text/html", harness.encode()), "/frame": ("text/html", FRAME.encode()),
                    "/axe.js": ("text/javascript", axe)}.get(self.path.split("?")[0])
            if not ours:
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", ours[0] + "; charset=utf-8")
            self.end_headers()
            self.wfile.write(ours[1])

        def do_POST(self):
            results[self.path[1:]].put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def browse(address, scheme, results):
    """What the browser sends, page by page, until it says that it is done or has been silent for too long."""
    found = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1300,1000",
             f"--user-data-dir={profile}", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
             "--remote-debugging-port=0", f"{address}?{scheme}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while (result := results.get(timeout=PATIENCE)) is not None:
                found.append(result)
        except queue.Empty:
            print(f"Chromium said nothing for {PATIENCE} s ({scheme})")
        finally:
            browser.terminate()
            browser.wait()
    return found


def violations(result, scheme):
    if result.get("dark", scheme == "dark") != (scheme == "dark"):
        yield "not shown in this colour scheme"
    if not result["passes"]:
        yield "axe judged nothing"
    yield from result["bad"]


def main(axe, folder):
    pages = sorted(path.name for path in pathlib.Path(folder).glob("*.html"))
    results = {scheme: queue.Queue() for scheme in SCHEMES}
    server = server_for(pathlib.Path(axe).read_bytes(), folder, pages, results)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with concurrent.futures.ThreadPoolExecutor() as both:
        views = list(both.map(lambda scheme: browse(address, scheme, results[scheme]), SCHEMES))
    bad = 0
    for scheme, found in zip(SCHEMES, views):
        for result in found:
            for line in violations(result, scheme):
                print(f"{result['page']} at {result['width']} px, {scheme}: {line}")
                bad += 1
    seen = sum(map(len, views))
    texts, kinds = (sum(result.get(what, 0) for found in views for result in found) for what in ("texts", "kinds"))
    print(f"{seen} views of {len(pages)} pages, {texts} texts of {kinds} kinds, {bad} violations")
    return 1 if bad or seen != len(pages) * len(WIDTHS) * len(SCHEMES) or not pages else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
