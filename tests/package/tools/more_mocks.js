/**
 * Tests that the examples of Vitest and Jest in docs/ don't show. Axios and the test runner's functions are arguments;
 * `advance` advances the fake timers by milliseconds, and resolves when what waited for them has run.
 */
const PETS = "https://api.example.com/v1/pets";

export function moreMocks({ axios, api, test, expect, useFakeTimers, advance, useRealTimers }) {
  /** The HTTP clients that programs use, each as a function that reads the pets. */
  const CLIENTS = {
    fetch: async () => await (await fetch(PETS)).json(),
    axios: async () => (await axios.get(PETS, { timeout: 1_000 })).data,
  };

  for (const [name, readPets] of Object.entries(CLIENTS)) {
    test(`${name} gets the items of the test`, async () => {
      await api.state.replace("pets", [{ id: 1, name: "Tom" }]);
      expect(await readPets()).toEqual([{ id: 1, name: "Tom" }]);
    });

    test(`${name} gets the definition's items again after the test before`, async () => {
      expect(await readPets()).toHaveLength(3);
      expect(await api.requests.list()).toHaveLength(1);
    });

    test(`${name} isn't stopped by fake timers`, async () => {
      useFakeTimers();
      try {
        expect(await readPets()).toHaveLength(3);
        await api.verify({ operation: "listPets", count: 1 });
      } finally {
        useRealTimers();
      }
    });

    test(`${name} waits for a delay as long as the timers of the test say`, async () => {
      await api.rules.add("listPets: delay 5000");
      useFakeTimers();
      try {
        let isLoading = true;
        // Axios would give up before.
        const pets = (name === "axios" ? axios.get(PETS) : readPets()).finally(() => isLoading = false);
        for (let time = 0; time < 4_900; time += 100) await advance(100);
        expect(isLoading).toBe(true);
        while (isLoading) await advance(100);
        expect(await pets).toBeDefined();
      } finally {
        useRealTimers();
      }
    });

    test(`${name} waits for a delay by the clock`, async () => {
      await api.rules.add("listPets: delay 80");
      const start = performance.now();
      await readPets();
      expect(performance.now() - start).toBeGreaterThan(70);
    });

    test(`${name} fails as a rule says`, async () => {
      await api.rules.add("listPets: reset");
      await expect(readPets()).rejects.toThrow();
    });

    test(`${name} can't leave the process if others are refused`, async () => {
      const client = {
        fetch: () => fetch("https://other.example.com/"),
        axios: () => axios.get("https://other.example.com/"),
      };
      await expect(client[name]()).rejects.toThrow("isn't for the mocked API");
    });
  }

  test("axios times out as a rule says", async () => {
    await api.rules.add("listPets: time-out");
    await expect(axios.get(PETS, { timeout: 10 })).rejects.toThrow("timeout of 10ms exceeded");
  });

  test("axios sends bodies", async () => {
    const { status, data } = await axios.post(PETS, { name: "Kim" });
    expect([status, data.name]).toEqual([201, "Kim"]);
    expect(await api.state.get("pets", data.id)).toEqual(data);
  });

  test("axios gets long bodies", async () => {
    const items = Array.from({ length: 900 }, (_, id) => ({ id, name: `Pet ${id} ${"x".repeat(1_000)}` }));
    await api.state.replace("pets", items);
    expect((await axios.get(PETS)).data).toEqual(items);
  });

  test("requests for paths that the definition doesn't have are refused", async () => {
    const response = await fetch("https://api.example.com/v1/pet");
    expect(response.status).toBe(404);
    expect((await response.json()).detail).toMatch("/v1/pet.");
  });

  test("sessions are apart, and reset with the others", async () => {
    const session = api.session("a");
    await session.state.replace("pets", []);
    const response = await fetch(PETS, { headers: { "x-gw-session": "a" } });
    expect(await response.json()).toEqual([]);
    api.reset();
    expect(await session.state.list("pets")).toHaveLength(3);
  });
}
