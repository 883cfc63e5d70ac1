import { checkRule } from "../../operation/check_rule.ts";
import { parseRule } from "../../rules/parse_rule.ts";
import type { ReadRule } from "../../rules/read_rule.ts";
import type { Rule } from "../../../openapi/extension/rule.ts";
import type { ListedRule } from "../../rules/rule_list.ts";
import { parseContent, readControlText } from "../content.ts";
import { writeJson } from "../../../schema/json/json.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { type ErrorResponse, errorResponse } from "../../../api/error_response.ts";
import { invalidBody } from "../invalid_body.ts";
import { emptyResponse, jsonResponse } from "../responses.ts";

/** `GET /rules` */
export function listRules({ session }: ControlCall): Response {
  return jsonResponse({ rules: session.rules.list() });
}

/** `POST /rules` */
export async function addRule(call: ControlCall, context: ControlContext): Promise<Response> {
  const added = call.session.rules.add(await readRule(call, context));
  const location = `${context.server.controlPath}rules/${added.id}`;
  return jsonResponse(added, 201, [["location", location]]);
}

/** `DELETE /rules` */
export function resetRules({ session }: ControlCall): Response {
  session.rules.reset();
  const { length } = session.rules.list();
  if (length === 0) return emptyResponse();
  const stay = length === 1 ? "1 rule of the command line stays" : `${length} rules of the command line stay`;
  return jsonResponse({
    kept: length,
    detail: `${stay}, for all sessions: \`--rule\` sets them until gw ends. Their counts begin anew.`,
  });
}

/** `GET /rules/{id}` */
export function getRule(call: ControlCall): Response {
  return jsonResponse(ruleOf(call));
}

/** `PUT /rules/{id}` */
export async function replaceRule(call: ControlCall, context: ControlContext): Promise<Response> {
  const { id, source } = ruleOf(call);
  if (source !== "session") throw notOwn(id);
  const rule = await readRule(call, context);
  const replaced = call.session.rules.replace(id, rule);
  if (replaced === undefined) throw noRule(id);
  return jsonResponse(replaced);
}

/** `DELETE /rules/{id}` */
export function removeRule(call: ControlCall): Response {
  const { id, source } = ruleOf(call);
  if (source !== "session") throw notOwn(id);
  call.session.rules.remove(id);
  return emptyResponse();
}

function ruleOf({ session, parameters: { id = "" } }: ControlCall): ListedRule {
  const rule = session.rules.list().find((listed) => listed.id === id);
  if (rule === undefined) throw noRule(id);
  return rule;
}

function noRule(id: string): ErrorResponse {
  return errorResponse(
    404,
    `The session has no rule ${writeJson(id.slice(0, 40))}. GET rules lists its rules.`,
  );
}

function notOwn(id: string): ErrorResponse {
  return errorResponse(404, `The rule ${id} isn't the session's own, so that it can't be changed here.`);
}

/** Reads a rule, as JSON or as text such as `GET /pets: 503 10%`, and checks it against the definitions. */
async function readRule(call: ControlCall, { server, ruleReader }: ControlContext): Promise<Rule> {
  const { mediaType, text } = await readControlText(call, { server }, ["application/json", "text/plain"]);
  const reader = await ruleReader();
  const read = mediaType === "text/plain" ? readRuleText(text.trim()) : readValue(text);
  if (read.kind === "refused") throw refused(read.problems);
  const problems = await checkRule(read.rule, server.operations.map(({ operation }) => operation), server.handlers);
  if (problems.length > 0) throw refused(problems);
  return read.rule;

  function readRuleText(written: string): ReadRule {
    const parsed = parseRule(written);
    return parsed.kind === "rule" ? reader.read(parsed.rule) : parsed;
  }

  function readValue(written: string): ReadRule {
    return reader.read(parseContent(written));
  }
}

function refused(problems: Extract<ReadRule, { kind: "refused" }>["problems"]): ErrorResponse {
  return invalidBody(problems.map(({ pointer, message }) => ({ pointer, detail: message })));
}
