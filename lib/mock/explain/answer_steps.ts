/**
 * The steps that choose the contents of an answer: response, media type, body.
 *
 * @module
 */
import { reasonPhrase } from "../../http/reason_phrase.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import type { Answer } from "../answer/answer.ts";
import type { AnswerTrace } from "../answer/answer_trace.ts";
import { rankOffers } from "../answer/negotiate.ts";
import { listResponses } from "../answer/select_response.ts";
import type { Binding } from "../infer/resource.ts";
import type { Step } from "./explanation.ts";
import type { Places } from "./places.ts";

/** An answer that was made for an operation, and what was decided on the way. */
export interface MadeAnswer {
  readonly trace: AnswerTrace;
  readonly operation: Operation;
  readonly answer: Answer;
  /** The operation's binding, if the answer is from the state. */
  readonly binding: Binding | undefined;
  /** The id of the item that the path names; `undefined` if it names none. */
  readonly key?: string | undefined;
}

/**
 * The step that chooses the response.
 *
 * @param why What asks for its status: `The request prefers it`; absent if nothing but the definition does.
 */
export function responseStep({ trace, operation, answer }: MadeAnswer, why: string | undefined, places: Places): Step {
  const responses = listResponses(operation).map(([code]) => code);
  const { selected } = trace;
  const details = { responses };
  const name = nameOf(operation);
  const has = responses.length === 0 ? "none" : responses.join(", ");
  if (selected === undefined || selected.kind === "none") {
    const status = `${answer.status} ${reasonPhrase(answer.status) ?? ""}`.trimEnd();
    const summary = `The answer is ${status}${why === undefined ? "" : `: ${why}`}. ` +
      `${name} declares no response for that; it declares ${has}.`;
    return { step: "response", summary, details, at: places.of(operation.node) };
  }
  if (selected.kind === "broken") {
    const summary = `The ${selected.part} of ${name} can't be used: ${
      selected.reference === undefined ? "it is no object" : `its $ref ${selected.reference} leads nowhere`
    }.`;
    return { step: "response", summary, details, at: places.of(operation.node) };
  }
  if (selected.status !== answer.status) {
    const summary = `The answer is ${answer.status} instead of the operation's ${selected.status}` +
      `${why === undefined ? "" : `: ${why}`}.`;
    return { step: "response", summary, details, at: places.of(selected.node) };
  }
  const reason = why ??
    (responses.includes(String(selected.status))
      ? selected.status < 300 ? "it is the operation's success response" : "the operation has no other to mock"
      : "it stands for a range or for the default response");
  const summary = `The answer is ${selected.status}: ${reason}.`;
  return { step: "response", summary, details, at: places.of(selected.node) };
}

/** The step that chooses the media type; `undefined` if the response has no body. */
export function acceptStep(
  { trace, answer }: MadeAnswer,
  accept: string | null,
  places: Places,
): Step | undefined {
  const { offers, negotiated } = trace;
  if (offers === undefined || offers.length === 0) return undefined;
  const ranked = new Map(rankOffers(accept, offers).map(({ index, rank: [weight] }) => [index, weight]));
  const details = {
    ...accept === null ? {} : { accept },
    offers: offers.map((mediaType, index) => (
      { mediaType, weight: ranked.get(index) ?? 0, isChosen: index === negotiated?.index }
    )),
  };
  const asked = accept === null || accept === ""
    ? "The request accepts any media type"
    : `The request accepts ${accept}`;
  const media = answer.origin?.media;
  const at = media === undefined ? {} : { at: places.of(media.node) };
  const summary = negotiated === undefined
    ? `${asked}; the response offers only ${offers.join(", ")}.`
    : `${asked}; of ${offers.join(", ")}, the answer has ${negotiated.mediaType}.`;
  return { step: "accept", summary, details, ...at };
}

/** The step that chooses the body. */
export function contentStep(made: MadeAnswer, places: Places): Step {
  const { answer, operation, binding, key } = made;
  const { example, media, response } = answer.origin ?? {};
  const node = example?.node ?? media?.node ?? response ?? operation.node;
  const { seed } = answer.facts ?? {};
  const details = {
    ...example === undefined || answer.source === "rule"
      ? {}
      : { example: example.source.replace(/^examples?\.?/, "") },
    ...seed === undefined ? {} : { seed },
    ...binding === undefined ? {} : {
      resource: { name: binding.resource.name, kind: binding.kind, ...key === undefined ? {} : { key } },
    },
  };
  return { step: "content", summary: contentReason(made), details, at: places.of(node) };
}

/** Where the body of an answer comes from and why, as a sentence. */
export function contentReason(
  { answer: { source, status, detail, facts, mediaType }, binding }: Pick<MadeAnswer, "answer" | "binding">,
): string {
  if (source === "problem") return detail ?? `The body is a problem with status ${status}.`;
  if (binding !== undefined && source === "state") {
    if (status >= 400 && detail !== undefined) return `${detail} ${boundReason(binding)}`;
    return `${boundReason(binding)} ${EFFECTS[binding.kind]}`;
  }
  if (source === "example") return "The definition has an example.";
  if (source.startsWith("examples.")) return `It is the definition's example ${source.slice("examples.".length)}.`;
  if (source === "generated") {
    const seeded = facts?.seed === undefined ? "" : `, with the seed ${facts.seed}`;
    return `The definition has no example; the body is generated from its schema${seeded}.`;
  }
  if (source === "rule") return mediaType === "" ? "The rule's answer has no body." : "The body is as the rule says.";
  return "The definition has no body for this status.";
}

const EFFECTS: Readonly<Record<Binding["kind"], string>> = {
  list: "The answer lists its items in the state of the session.",
  count: "The answer counts its items in the state of the session.",
  create: "The request adds an item to the state of the session.",
  read: "The answer has its item from the state of the session.",
  replace: "The request replaces its item in the state of the session.",
  update: "The request changes its item in the state of the session.",
  delete: "The request deletes its item from the state of the session.",
  action: "The request acts on its item in the state of the session.",
};

/** Why an operation is answered from the state, as a sentence; the subject is the operation. */
export function boundReason({ kind, resource: { name } }: Binding): string {
  return `It is bound to the resource ${name} as ${kind}.`;
}
