/**
 * Records the answers of an upstream as an overlay that adds them to the definition as examples.
 *
 * ```text
 * exchange -> request and response without secrets -> pool of answers -> chosen examples -> actions of an overlay
 * ```
 *
 * @module
 */
import { dump } from "js-yaml";
import { EXACT_DUMP_SCHEMA } from "../../openapi/text/exact_yaml.ts";
import type { Document } from "../../openapi/document.ts";
import { listOperations, nameOf, type Operation } from "../../openapi/operation.ts";
import { joinDocuments, RECORDED } from "../../openapi/overlay/recorded_text.ts";
import { readSource } from "../../openapi/text/source.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { child, isObject, type JsonObject, stringOf } from "../../schema/json/node.ts";
import { parsePointer } from "../../schema/json/pointer.ts";
import type { Exchange } from "../exchange.ts";
import type { BodyGenerator } from "../../mock/generate/generate.ts";
import { credentialsOf } from "../secrets/credentials.ts";
import { secretsOfOperation } from "../secrets/declared_secrets.ts";
import { KnownSecrets } from "../secrets/known_secrets.ts";
import { createRedactor, type Redactor } from "../secrets/redactor.ts";
import { AnswerPool } from "./answer_pool.ts";
import { chooseExamples } from "./choose_examples.ts";
import { finishAnswer } from "./finish_answer.ts";
import { actionsOf } from "./overlay_actions.ts";
import { readRecording } from "./read_recording.ts";
import { readRecordedRequest } from "./read_request.ts";
import { readResponse } from "./read_response.ts";
import { DEFAULT_EXAMPLES, type RecordedResponse } from "./recorded_answer.ts";
import { hasSecretFormats, requestSecretRules, secretRules } from "./secret_rules.ts";
import { schemaOf } from "./declared_response.ts";

/** Options of {@linkcode Recording}. */
export interface RecordingOptions {
  /** The definitions whose operations are recorded. */
  documents: readonly Document[];
  /** The most examples of each status and media type of an operation. Default: 100. */
  examples?: number;
  /** JSON Pointers of further secrets in bodies. The token `*` stands for any name or index. Default: none. */
  redact?: readonly string[];
  validatorOf: (document: Document) => Promise<DocumentValidator>;
  generatorOf: (document: Document) => Promise<BodyGenerator>;
}

/**
 * The most characters of all recorded bodies together. The limit is well below 64 MiB, the largest overlay that can be
 * read.
 */
const MOST_CHARACTERS = 24 * 1024 * 1024;

/**
 * Statuses that aren't recorded, because they depend on how the request was sent: with a range (206, 416),
 * conditionally (304), through a proxy (407).
 */
const UNRECORDED: ReadonlySet<number> = new Set([206, 304, 407, 416]);

interface RecordedOperation {
  readonly operation: Operation;
  readonly pool: AnswerPool;
  size: number;
  /** The operation's overlay actions as YAML; `undefined` if they must be rendered anew. */
  text: string | undefined;
}

/** Collects the answers of an upstream, and renders them as an overlay of examples. */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #pointers: readonly (readonly string[])[];
  readonly #known = new KnownSecrets();
  readonly #operations = new Map<string, RecordedOperation>();
  readonly #remarks = new Set<string>();
  #documents: readonly Document[];
  #others: readonly unknown[] = [];
  #head: JsonObject | undefined;
  #size = 0;
  /** The version of `#known` for which all answers were last searched for secrets. */
  #searchedVersion = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#documents = options.documents;
    this.#pointers = (options.redact ?? []).map(parsePointer);
  }

  get documents(): readonly Document[] {
    return this.#documents;
  }

  /** Replaces the definitions by newer versions of them. */
  set documents(documents: readonly Document[]) {
    this.#documents = documents;
    const known = new Map(documents.flatMap(listOperations).map((operation) => [keyOf(operation), operation]));
    for (const [key, recorded] of [...this.#operations]) {
      const operation = known.get(key);
      if (operation !== undefined) this.#operations.set(key, { ...recorded, operation, text: undefined });
    }
  }

  /**
   * Reads an earlier recording, to which answers can be added.
   *
   * @returns A sentence that says why the text isn't an overlay; `undefined` if it was read.
   */
  async read(text: string): Promise<string | undefined> {
    const { source: { value }, diagnostics } = await readSource("recording", joinDocuments(text));
    const error = diagnostics.find(({ severity }) => severity === "error");
    if (error !== undefined) return error.message;
    if (!isObject(value) || typeof value["overlay"] !== "string") {
      return "It is no overlay: it has no field `overlay`, such as `overlay: 1.0.0`.";
    }
    const { answers, others, head } = readRecording(value, this.#documents.flatMap(listOperations));
    for (const [operation, answer] of answers) this.#pool(operation, answer);
    this.#others = others;
    this.#head = head;
    return undefined;
  }

  /**
   * Adds an exchange if its response came from the upstream and can become an example.
   *
   * @returns Whether the recording has changed, and remarks for the log. Each remark is returned only once.
   */
  async add(exchange: Exchange): Promise<{ isChanged: boolean; remarks: string[] }> {
    const { operation, request, response } = exchange;
    if (operation === undefined || !response.isUpstream || request.method === "HEAD") return NOTHING;
    const { status } = response;
    const hasFormats = hasSecretFormats(operation.document);
    const declared = secretsOfOperation(operation);
    // Replace the secrets of this exchange at once. `#known` keeps only the newest secrets, so it may have forgotten
    // them when the recording is rendered.
    const own = new KnownSecrets();
    const learn = (secret: string): void => {
      own.add(secret);
      this.#known.add(secret);
    };
    for (const credential of credentialsOf(request, declared)) learn(credential);
    const ofRequest = createRedactor({
      known: own,
      declared,
      found: learn,
      rules: requestSecretRules(operation, request.headers.get("content-type") ?? ""),
    });
    const conditions = await readRecordedRequest(operation, exchange, declared, ofRequest);
    if (status < 200 || UNRECORDED.has(status)) return NOTHING;

    const schema = schemaOf(operation, status, response.headers.get("content-type") ?? "");
    const read = await readResponse(
      operation,
      exchange,
      createRedactor({
        rules: secretRules(operation.document, schema, this.#pointers, hasFormats),
        known: own,
        declared,
        found: (secret) => {
          if (looksRandom(secret)) this.#known.add(secret);
        },
      }),
    );
    if (read.kind === "skipped") {
      return this.#remark(`Answers of ${nameOf(operation)} are not recorded: ${read.reason}.`);
    }
    if (this.#size + read.size > MOST_CHARACTERS) {
      return this.#remark(`The recording is full: its bodies have ${MOST_CHARACTERS} characters.`);
    }
    const added = this.#pool(operation, { status, ...read, ...conditions, isKept: false });
    if (added === "full") {
      return this.#remark(`${nameOf(operation)} has answered with too many statuses and media types to record all.`);
    }
    return { isChanged: added === "changed", remarks: [] };
  }

  /** Renders the recording as an overlay in YAML; `undefined` if there is nothing to record yet. */
  async render(): Promise<string | undefined> {
    const { version } = this.#known;
    const isSearched = version === this.#searchedVersion;
    const texts: string[] = [];
    for (const operation of this.#documents.flatMap(listOperations)) {
      const recorded = this.#operations.get(keyOf(operation));
      if (recorded === undefined) continue;
      if (!isSearched) await this.#finish(recorded);
      else if (recorded.text === undefined) await this.#finish(recorded);
      texts.push(recorded.text ??= this.#write(recorded));
    }
    this.#searchedVersion = version;
    const others = this.#others.length === 0 ? "" : toItems(this.#others);
    const actions = texts.join("") + others;
    if (actions === "") return undefined;
    return `${RECORDED}${toYaml(this.#head ?? this.#defaultHead())}actions:\n${actions}`;
  }

  #write({ operation, pool }: RecordedOperation): string {
    const chosen = chooseExamples(pool.responses, this.#options.examples ?? DEFAULT_EXAMPLES);
    const actions = actionsOf(operation, chosen);
    return actions === undefined || actions.length === 0 ? "" : toItems(actions);
  }

  /**
   * Replaces secrets in an operation's answers that became known after the answers were added. Makes the answers valid
   * again.
   */
  async #finish(recorded: RecordedOperation): Promise<void> {
    const { operation, pool } = recorded;
    const { document } = operation;
    const hasFormats = hasSecretFormats(document);
    const finished = new Map<RecordedResponse, RecordedResponse>();
    for (const { answer } of pool.responses.flat()) {
      const schema = schemaOf(operation, answer.status, answer.mediaType);
      const redactor: Redactor = createRedactor({
        rules: secretRules(document, schema, this.#pointers, hasFormats),
        known: this.#known,
      });
      const { validatorOf, generatorOf } = this.#options;
      const done = await finishAnswer(answer, redactor, schema, {
        document,
        validator: () => validatorOf(document),
        generator: () => generatorOf(document),
      });
      if (done !== answer) finished.set(answer, done);
    }
    if (finished.size === 0) return;
    pool.replace(finished);
    recorded.text = undefined;
  }

  #pool(operation: Operation, answer: RecordedResponse): "changed" | "same" | "full" {
    const key = keyOf(operation);
    let recorded = this.#operations.get(key);
    if (recorded === undefined) {
      const pool = new AnswerPool(this.#options.examples ?? DEFAULT_EXAMPLES);
      this.#operations.set(key, recorded = { operation, pool, size: 0, text: undefined });
    }
    const added = recorded.pool.add(answer);
    if (added !== "changed") return added;
    recorded.text = undefined;
    const { size } = recorded.pool;
    this.#size += size - recorded.size;
    recorded.size = size;
    return added;
  }

  #remark(remark: string): { isChanged: boolean; remarks: string[] } {
    if (this.#remarks.has(remark) || this.#remarks.size >= MOST_REMARKS) return NOTHING;
    this.#remarks.add(remark);
    return { isChanged: false, remarks: [remark] };
  }

  #defaultHead(): JsonObject {
    const titles = this.#documents.map(({ root }) => stringOf(child(child(root, "info"), "title")) ?? "the definition");
    return { overlay: "1.0.0", info: { title: `Recorded examples of ${titles.join(", ")}`, version: "1.0.0" } };
  }
}

/** The most remarks for the log about one recording. */
const MOST_REMARKS = 100;

const NOTHING = { isChanged: false, remarks: [] };

/** Identifies an operation across versions of its definition. */
function keyOf({ node }: Operation): string {
  return `${node.source.uri}#${node.pointer}`;
}

/** Formats a value as a part of a YAML document. */
function toYaml(value: unknown): string {
  const text = dump(value, { lineWidth: -1, noRefs: true, schema: EXACT_DUMP_SCHEMA });
  // After a text that ends with an empty line, js-yaml ends the document. The parts that follow belong to it, too.
  return text.endsWith("\n...\n") ? text.slice(0, -"...\n".length) : text;
}

/** Formats values as the items of a YAML list. */
function toItems(values: readonly unknown[]): string {
  const text = toYaml({ actions: values });
  return text.slice(text.indexOf("\n") + 1);
}

/** Whether a text is so random that another occurrence of it must be the same secret. */
function looksRandom(text: string): boolean {
  return text.length >= 8 && /\d/.test(text) && /[A-Za-z]/.test(text);
}
