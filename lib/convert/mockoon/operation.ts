import type { JsonObject } from "../../schema/json/node.ts";
import type { Leftover } from "../conversion.ts";
import { variablesOf } from "./endpoint.ts";
import type { Environment, MockoonRoute, RouteResponse } from "./environment.ts";
import { type ConvertedResponse, convertResponses } from "./responses.ts";
import { convertRules } from "./rules.ts";

/**
 * The most responses with conditions that `checkOrder` compares. Each is compared with all before it, which takes
 * quadratic time.
 */
const MOST_COMPARED = 100;

/** Converts a Mockoon route to an operation of one method. */
export function convertRoute(
  route: MockoonRoute,
  method: string,
  path: string,
  environment: Environment,
  leftovers: Leftover[],
): JsonObject {
  const names = exampleNames(route.responses);
  const usual = route.responses.find(({ isDefault }) => isDefault) ?? route.responses[0];
  const sequence = sequenceOf(route, names, leftovers);
  const chosen = usual === undefined ? [] : [
    { response: usual, name: names.get(usual) ?? "" },
    ...route.responses.filter((response) => response !== usual).flatMap((response): ConvertedResponse[] => {
      const name = names.get(response) ?? "";
      if (sequence !== undefined || route.mode !== undefined) return [{ response, name, matches: [] }];
      if (response.rules.length === 0) return [{ response, name }];
      const matches = convertRules(response, method, leftovers);
      return [{ response, name, ...matches === undefined ? {} : { matches } }];
    }),
  ];
  checkOrder(chosen, leftovers);
  for (const { response } of chosen) reportRest(response, leftovers);
  const mocking = { ...usualStatus(chosen, leftovers), ...delayOf(chosen, environment, leftovers), ...sequence };
  const parameters = variablesOf(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    ...route.documentation === "" ? {} : { summary: route.documentation },
    ...parameters.length === 0 ? {} : { parameters },
    ...Object.keys(mocking).length === 0 ? {} : { "x-svc": { mocking } },
    responses: convertResponses(chosen.map(keptExample), environment, leftovers),
  };
}

/** Keeps a response that no conditions select as an example, so that `Prefer: example=NAME` and rules can name it. */
function keptExample(chosen: ConvertedResponse): ConvertedResponse {
  return chosen.matches?.length === 0 ? { response: chosen.response, name: chosen.name } : chosen;
}

/** Names the example of each response after the response's label. Names are unique. */
function exampleNames(responses: readonly RouteResponse[]): Map<RouteResponse, string> {
  const taken = new Set<string>();
  return new Map(responses.map((response, index) => {
    const label = response.label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
    const name = label === "" || taken.has(label) ? `response-${index + 1}` : label;
    taken.add(name);
    return [response, name];
  }));
}

/** Converts the responses to successive requests to `x-svc.mocking.sequence`; `undefined` if the route has none. */
function sequenceOf(
  { mode, responses, pointer }: MockoonRoute,
  names: ReadonlyMap<RouteResponse, string>,
  leftovers: Leftover[],
): JsonObject | undefined {
  const stepOf = (response: RouteResponse): string => `example ${names.get(response) ?? ""}`;
  switch (mode) {
    case "SEQUENTIAL":
      leftovers.push({
        pointer: `${pointer}/responseMode`,
        message: "gw doesn't begin the sequence anew: after it comes the usual answer.",
      });
      return { sequence: responses.map(stepOf) };
    case "RANDOM":
      leftovers.push({
        pointer: `${pointer}/responseMode`,
        message: "gw chooses no example at random. A share of requests gets a status by x-svc.mocking.faults: 503 10%.",
      });
      return undefined;
    case "FALLBACK":
      leftovers.push({
        pointer: `${pointer}/responseMode`,
        message: "gw has one operation for a method and path: no other route answers instead.",
      });
      return undefined;
  }
  const numbered = responses.flatMap((response) => {
    const [rule, ...others] = response.rules;
    const isNumber = rule?.target === "request_number" && rule.operator === "equals" && !rule.isInverted;
    return isNumber && others.length === 0 ? [{ response, number: Number(rule.value) }] : [];
  }).toSorted((a, b) => a.number - b.number);
  const withNumber = new Set(numbered.map(({ response }) => response));
  const isCounted = numbered.length > 0 && numbered.every(({ number }, index) => number === index + 1) &&
    responses.every((response) => response.rules.length === 0 || withNumber.has(response));
  return mode === undefined && isCounted ? { sequence: numbered.map(({ response }) => stepOf(response)) } : undefined;
}

/**
 * Makes gw answer with the status of Mockoon's default response, if gw would choose another. gw's default is the lowest
 * 2xx status of an operation.
 */
function usualStatus([usual, ...others]: readonly ConvertedResponse[], leftovers: Leftover[]): JsonObject {
  if (usual === undefined) return {};
  const { response: { status, pointer } } = usual;
  const isSuccess = status >= 200 && status < 300;
  const lower = others.filter(({ response }) => response.status >= 200 && response.status < (isSuccess ? status : 300));
  if (isSuccess && lower.length === 0) return {};
  if (
    !isSuccess && status >= 200 && status < 600 &&
    others.every(({ matches }) => matches === undefined || matches.length === 0)
  ) {
    return { faults: [status] };
  }
  leftovers.push({
    pointer: `${pointer}/statusCode`,
    message:
      `gw's usual answer is the lowest 2xx status of an operation, not this ${status}: it is answered on Prefer: code=${status}, ` +
      "or by a rule (documentation, page rules).",
  });
  return {};
}

function delayOf(
  [usual, ...others]: readonly ConvertedResponse[],
  { latency }: Environment,
  leftovers: Leftover[],
): JsonObject {
  if (usual === undefined) return {};
  const own = usual.response.latency;
  for (const { response } of others.filter(({ response }) => response.latency !== own)) {
    leftovers.push({
      pointer: `${response.pointer}/latency`,
      message:
        "All answers of an operation have the same delay in gw, unless a rule says otherwise (documentation, page rules).",
    });
  }
  return own === 0 ? {} : { delay: latency + own };
}

/**
 * Reports responses that gw and Mockoon choose in different order. If the conditions of several responses hold, gw
 * chooses the example with the most conditions, Mockoon the first response.
 */
function checkOrder(chosen: readonly ConvertedResponse[], leftovers: Leftover[]): void {
  const conditional = chosen.filter(({ matches = [] }) => matches.length > 0).slice(0, MOST_COMPARED);
  conditional.forEach((later, index) => {
    const isHidden = conditional.slice(0, index).some((earlier) =>
      earlier.matches?.some((few) =>
        later.matches?.some((many) =>
          Object.keys(few).length < Object.keys(many).length &&
          Object.entries(few).every(([key, value]) => many[key] === value)
        )
      )
    );
    if (!isHidden) return;
    leftovers.push({
      pointer: `${later.response.pointer}/rules`,
      message:
        "An earlier response has some of these rules, and comes first in Mockoon. gw chooses the example with the " +
        "most conditions: this one.",
    });
  });
}

function reportRest(response: RouteResponse, leftovers: Leftover[]): void {
  if (response.callbacks > 0) {
    leftovers.push({
      pointer: `${response.pointer}/callbacks`,
      message: "Write it as a Callback Object of the operation, and start gw mock with --callbacks.",
    });
  }
  if (response.status < 200) {
    leftovers.push({ pointer: `${response.pointer}/statusCode`, message: "gw answers statuses from 200 to 599." });
  }
}
