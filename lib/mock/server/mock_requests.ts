import { mistakeInFilter } from "../journal/check_filter.ts";
import { filterConditions, fulfils, type RequestFilter } from "../journal/filter.ts";
import type { Journal } from "../journal/journal.ts";
import { type EntryJson, representEntry } from "../journal/represent.ts";
import { type Expectation, type Verification, verify } from "../journal/verify.ts";
import type { LocalMock } from "../local_mock.ts";

/** The recorded requests of a session, the oldest first. */
export class MockRequests {
  readonly #journal: Journal | undefined;
  readonly #engine: Pick<LocalMock, "operations">;

  /** Called by `createMockServer`. */
  constructor(journal: Journal | undefined, engine: Pick<LocalMock, "operations">) {
    this.#journal = journal;
    this.#engine = engine;
  }

  /**
   * The requests that match a filter, with secrets as they were sent. Default: all.
   *
   * @throws {RangeError} If the definition doesn't have the operation of the filter.
   */
  async list(filter: RequestFilter = {}): Promise<EntryJson[]> {
    const journal = await this.#settled();
    this.#check(filter);
    const conditions = filterConditions(filter);
    return [...journal.entries()].filter((entry) => fulfils(entry, conditions)).map(representEntry);
  }

  /**
   * Checks that requests have come that match a filter: at least one, or the number given.
   *
   * @throws {Error} If the expectation isn't met. The message says how many came, lists the first of them, and names the
   * request nearest to the filter.
   * @throws {RangeError} If the definition doesn't have the operation of the filter.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { operationId: "listPets", responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const { fetch, requests } = await createMockServer(document);
   * await fetch(new Request("http://localhost/pets?limit=3"));
   * await requests.verify({ operation: "listPets", query: { limit: "3" }, count: 1 });
   * await assert.rejects(requests.verify({ operation: "listPets", query: { limit: "4" } }), /0 requests came/);
   * ```
   */
  async verify(expectation: Expectation): Promise<Verification> {
    const journal = await this.#settled();
    this.#check(expectation);
    const result = verify(journal.entries(), expectation);
    if (result.isMet) return result;
    // The message goes to the log of tests.
    const { createEntryRedactor } = await import("../journal/redact_entry.ts");
    const operations = this.#engine.operations.map(({ operation }) => operation);
    const documents = [...new Set(operations.map(({ document }) => document))];
    const redactor = createEntryRedactor({ documents, operations });
    throw new Error(verify(journal.entries(), expectation, redactor).detail);
  }

  /** Removes all recorded requests. */
  clear(): void {
    this.#journal?.clear();
  }

  #check(filter: Expectation): void {
    const mistake = mistakeInFilter(filter, this.#engine.operations.map(({ operation }) => operation));
    if (mistake !== undefined) throw new RangeError(mistake);
  }

  async #settled(): Promise<Journal> {
    if (this.#journal === undefined) throw new RangeError("The server has no journal: set the option `journal`.");
    await this.#journal.settled();
    return this.#journal;
  }
}
