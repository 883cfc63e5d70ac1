/**
 * What programs do in a test environment with a DOM: jsdom, happy-dom. The test runner's functions come as arguments; the
 * base URL `/api` of the mocked API is relative to the page's URL.
 */
const PETS = "/api/pets";

/** Sends a request by XMLHttpRequest. Resolves at its end, with the events that came. */
function send({ method = "GET", body, set = {}, opened = () => {} }) {
  const request = new XMLHttpRequest();
  const events = [];
  const types = ["loadstart", "readystatechange", "progress", "load", "error", "abort", "timeout", "loadend"];
  request.open(method, PETS);
  Object.assign(request, set);
  for (const type of types) {
    request.addEventListener(type, () => events.push(type === "readystatechange" ? request.readyState : type));
  }
  return new Promise((resolve) => {
    request.onloadend = () => resolve({ request, events });
    request.send(body);
    opened(request);
  });
}

export function domMocks({ api, test, expect }) {
  test("XMLHttpRequest has the events and values of its specification", async () => {
    await api.state.replace("pets", [{ id: 1, name: "Tom" }]);
    const { request, events } = await send({});
    expect(events).toEqual(["loadstart", 2, 3, "progress", 4, "load", "loadend"]);
    expect([request.status, request.readyState]).toEqual([200, 4]);
    expect(request.getResponseHeader("Content-Type")).toBe("application/json");
    expect(request.getAllResponseHeaders()).toMatch("content-type: application/json\r\n");
    expect(request.responseText).toBe('[{"id":1,"name":"Tom"}]');
    expect(request instanceof XMLHttpRequest).toBe(true);
  });

  test("XMLHttpRequest gives a body as each type", async () => {
    await api.state.replace("pets", [{ id: 1, name: "Tom" }]);
    const bodyAs = async (responseType) => (await send({ set: { responseType } })).request.response;
    expect(await bodyAs("json")).toEqual([{ id: 1, name: "Tom" }]);
    expect(await bodyAs("text")).toBe('[{"id":1,"name":"Tom"}]');
    expect((await bodyAs("arraybuffer")).byteLength).toBe(23);
    const blob = await bodyAs("blob");
    expect([blob instanceof Blob, blob.size, blob.type]).toEqual([true, 23, "application/json"]);
  });

  test("XMLHttpRequest fails, is aborted, and has a timeout", async () => {
    await api.rules.add("listPets: time-out");
    const aborted = await send({ opened: (request) => request.abort() });
    expect(aborted.events).toEqual(["loadstart", 4, "abort", "loadend"]);
    expect([aborted.request.status, aborted.request.readyState]).toEqual([0, 0]);
    const late = await send({ set: { timeout: 1 } });
    expect(late.events).toEqual(["loadstart", 4, "timeout", "loadend"]);
    await api.rules.add("listPets: reset");
    const { request, events } = await send({});
    expect(events).toEqual(["loadstart", 4, "error", "loadend"]);
    expect(request.status).toBe(0);
  });

  test("fetch is aborted by a signal of the DOM", async () => {
    await api.rules.add("listPets: time-out");
    const controller = new AbortController();
    const answer = fetch(PETS, { signal: controller.signal });
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    await expect(fetch(PETS, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  });

  const SENDERS = {
    fetch: (body) => fetch(PETS, { method: "POST", body }),
    XMLHttpRequest: (body) => send({ method: "POST", body }),
  };
  for (const [name, post] of Object.entries(SENDERS)) {
    test(`${name} sends forms, files and bytes of the DOM`, async () => {
      const form = new FormData();
      form.append("name", "Kim");
      form.append("photo", new File(["pixels"], "kim.png", { type: "image/png" }));
      await post(form);
      await post(new Blob(['{"name":"Bo"}'], { type: "application/json" }));
      await post(new TextEncoder().encode('{"name":"Al"}'));
      await post(new URLSearchParams({ name: "Jo" }));
      const requests = (await api.requests.list()).map(({ request }) => request);
      expect(requests[0].headers["content-type"]).toMatch(/^multipart\/form-data; ?boundary=/);
      expect(requests[0].body).toMatch(/name="name"\r\n\r\nKim\r\n/);
      expect(requests[0].body).toMatch(/filename="kim.png"\r\nContent-Type: image\/png\r\n\r\npixels\r\n/);
      expect(requests.slice(1).map(({ body }) => body)).toEqual([{ name: "Bo" }, { name: "Al" }, "name=Jo"]);
    });
  }
}
