/**
 * What lives on the pages. Each works on elements with an attribute of its own, in HTML that the server made: the server
 * also makes what replaces it, so that nothing is rendered twice. Without scripts the pages are read and forms sent as
 * usual.
 *
 * @module
 */

const announcer = document.getElementById("announcer");

/** @param {string} text Text for screen readers. */
function announce(text) {
  if (announcer !== null) announcer.textContent = text;
}

/** `<time datetime>`: shows times in the reader's zone. */
/** @param {ParentNode} root */
function localiseTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const date = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(date.getTime())) continue;
    const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
    const shown = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    if (time.textContent !== shown) time.textContent = shown;
    if (time instanceof HTMLElement) time.title = date.toLocaleString();
  }
}

/** `data-copy="ID"`: copies the text of an element. */
document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const source = document.getElementById(button.dataset["copy"] ?? "");
  const text = source instanceof HTMLTextAreaElement ? source.value : source?.textContent ?? "";
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const range = document.createRange();
    if (source !== null) range.selectNodeContents(source);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    button.textContent = "Selected: press Ctrl+C";
  }
  announce(button.textContent ?? "");
  setTimeout(() => button.textContent = label, 1500);
});

/**
 * Loads a page again, and puts its element with an id in the place of the one shown.
 *
 * @param {string} url
 * @param {string} id
 * @returns {Promise<Element | null>} The new element; `null` if the page couldn't be loaded.
 */
async function reload(url, id) {
  const old = document.getElementById(id);
  try {
    const response = await fetch(url, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById(id);
    if (!response.ok || old === null || fresh === null) return null;
    localiseTimes(fresh);
    old.replaceWith(fresh);
    return fresh;
  } catch {
    return null;
  }
}

/** `form[data-filter="ID"]`: filters while one types. The filter is in the address. */
for (const form of document.querySelectorAll("form[data-filter]")) {
  if (!(form instanceof HTMLFormElement)) continue;
  let turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const apply = async () => {
    const mine = ++turn;
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
    const url = `${location.pathname}${query === "" ? "" : `?${query}`}`;
    history.replaceState(null, "", url);
    const shown = await reload(url, form.dataset["filter"] ?? "");
    if (mine === turn && shown !== null) announce(shown.querySelector("[data-count]")?.textContent ?? "");
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 20);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void apply();
  });
}

/** `select` in `form[data-submit]`: sends the form at once. */
for (const form of document.querySelectorAll("form[data-submit]")) {
  if (form instanceof HTMLFormElement) form.addEventListener("change", () => form.submit());
}

/** `form[data-send]`: sends a request to the mock server, and shows the answer. The form's target is a path. */
document.addEventListener("submit", async (event) => {
  const { target: form } = event;
  if (!(form instanceof HTMLFormElement) || form.dataset["send"] === undefined) return;
  event.preventDefault();
  const fields = new FormData(form);
  const text = (/** @type {string} */ name) => String(fields.get(name) ?? "");
  const result = form.querySelector("[data-result]");
  const url = new URL(text("target"), location.origin);
  if (result === null || url.origin !== location.origin) return;
  const method = text("method");
  const headers = new Headers();
  const show = (/** @type {string} */ headline, /** @type {string} */ body) => {
    const [title, pre] = [document.createElement("p"), document.createElement("pre")];
    title.textContent = headline;
    pre.textContent = body;
    pre.tabIndex = 0;
    result.replaceChildren(title, ...body === "" ? [] : [pre]);
    return title;
  };
  try {
    for (const line of text("headers").split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
    const body = text("body");
    const isBare = body === "" || method === "GET" || method === "HEAD";
    const start = performance.now();
    const response = await fetch(url, {
      method,
      headers,
      ...isBare ? {} : { body },
      redirect: "manual",
      cache: "no-store",
    });
    const answer = await response.text();
    const time = Math.round(performance.now() - start);
    let shown = answer.slice(0, 100_000);
    if (/json/.test(response.headers.get("content-type") ?? "")) {
      try {
        shown = JSON.stringify(JSON.parse(answer), null, 2);
      } catch {
        // It isn't the JSON that its header says: it is shown as it is.
      }
    }
    const title = show(`${response.status || "A redirect"} ${response.statusText} in ${time} ms. `, shown);
    const link = document.createElement("a");
    link.href = form.dataset["send"] ?? "";
    link.textContent = "See why, in the requests";
    title.append(link);
  } catch (error) {
    show(
      `No answer: ${error instanceof Error ? error.message : error}. The connection broke, as a fault of a rule does.`,
      "",
    );
  }
});

/** `data-template`: fields of parameters, whose values make the path, query and headers of the form after them. */
document.addEventListener("input", ({ target }) => {
  const fields = target instanceof Element ? target.closest("[data-template]") : null;
  const form = fields?.nextElementSibling;
  if (!(fields instanceof HTMLElement) || !(form instanceof HTMLFormElement)) return;
  const [path, headers] = [form.elements.namedItem("target"), form.elements.namedItem("headers")];
  if (!(path instanceof HTMLInputElement) || !(headers instanceof HTMLTextAreaElement)) return;
  let template = fields.dataset["template"] ?? "";
  const query = [];
  const lines = new Map();
  for (const field of fields.querySelectorAll("input, select")) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
    const { in: location, name = "", header } = field.dataset;
    const { value } = field;
    if (location === "path") template = template.replace(`{${name}}`, () => encodeURIComponent(value));
    if (location === "query" && value !== "") query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    if (location === "header") lines.set(name.toLowerCase(), value);
    if (header !== undefined) lines.set(header, value);
  }
  path.value = query.length === 0 ? template : `${template}?${query.join("&")}`;
  const others = headers.value.split("\n").filter((line) =>
    line.includes(":") && !lines.has(line.split(":")[0]?.trim().toLowerCase())
  );
  headers.value = [...others, ...[...lines].filter(([, value]) => value !== "").map((pair) => pair.join(": "))].join(
    "\n",
  );
});

/** Milliseconds between two questions for what is new. */
const PERIOD = 1000;

/**
 * `data-live`: shows what is new, without moving what somebody reads: not while the pointer or the focus is in it, nor
 * while the page is scrolled. `data-pause="ID"` is the button to pause.
 */
function keepAlive() {
  const pause = document.querySelector("[data-pause]");
  let isPaused = false;
  pause?.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    announce(isPaused ? "Paused" : "Going on");
  });
  const isRead = (/** @type {Element} */ live) =>
    live.querySelector("tbody:hover, tbody :focus-visible") !== null || scrollY > 200 ||
    getSelection()?.isCollapsed === false;
  const turn = async () => {
    const live = document.querySelector("[data-live]");
    if (!(live instanceof HTMLElement) || isPaused || document.hidden || isRead(live)) return;
    const known = live.dataset["known"] ?? "";
    const response = await fetch(location.href, { headers: { accept: "text/html", "x-gw-known": known } });
    if (response.status !== 200) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById(live.id);
    // The filter may have replaced it meanwhile.
    if (fresh === null || !live.isConnected || isRead(live)) return;
    const before = new Set(Array.from(live.querySelectorAll("tbody a"), (link) => link.getAttribute("href")));
    for (const row of fresh.querySelectorAll("tbody tr")) {
      const link = row.querySelector("a");
      if (before.size > 0 && link !== null && !before.has(link.getAttribute("href"))) row.classList.add("fresh");
    }
    localiseTimes(fresh);
    live.replaceWith(fresh);
  };
  const again = () =>
    setTimeout(async () => {
      // The server may be restarting: the next turn asks again.
      await turn().catch(() => {});
      again();
    }, PERIOD);
  again();
}

if (document.querySelector("[data-live]") !== null) keepAlive();
localiseTimes(document);
