import { percentDecode } from "../../http/url/url.ts";
import { quote } from "../../schema/wording.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { EXTENSION } from "../extension/extension.ts";
import type { ExtensionSettings } from "../extension/settings.ts";
import { nameOf } from "../operation.ts";
import { templateOf } from "../path_condition.ts";
import type { ConfiguredOperation } from "./operations.ts";
import { atKey, warning } from "./report.ts";
import { writeJson } from "../../schema/json/json.ts";

/** An operation with the segments of its path at the gateway. */
interface Placed {
  readonly configured: ConfiguredOperation;
  readonly segments: readonly string[];
}

/** Matches a path parameter in a segment of a path template. */
const PARAMETER = /\{[^{}]+\}/;

/**
 * Finds protected and disabled operations beside an open operation whose path template takes their path in another
 * spelling, as `/users/{id}` takes `/users/ADMIN`. An upstream that ignores case would answer such a request.
 */
export function checkOpenTemplates(operations: readonly ConfiguredOperation[]): UnlocatedDiagnostic[] {
  const guarded = operations.filter(({ extension: { settings } }) => isGuarded(settings));
  if (guarded.length === 0) return [];
  const open = operations.filter(({ extension: { settings }, operation: { path } }) =>
    PARAMETER.test(path) && isProxied(settings)
  );
  const groups = Map.groupBy(open.map(place), ({ configured, segments }) => keyOf(configured, segments.length));
  return guarded.flatMap((configured) => {
    const { segments } = place(configured);
    const others = groups.get(keyOf(configured, segments.length)) ?? [];
    const other = others.find((other) => isWeaker(other.configured, configured) && takes(other.segments, segments));
    return other === undefined ? [] : [warningOf(configured, segments, other)];
  });
}

function warningOf(
  { operation, extension: { settings } }: ConfiguredOperation,
  segments: readonly string[],
  other: Placed,
): UnlocatedDiagnostic {
  const spelling = segments.map((segment, index) =>
    PARAMETER.test(other.segments[index] ?? "") && !PARAMETER.test(segment) ? segment.toUpperCase() : segment
  );
  const needed = settings.disabled === true ? `${EXTENSION}.disabled` : `${EXTENSION}.auth`;
  const message =
    `${quote(nameOf(other.configured.operation))} takes ${quote(`/${spelling.join("/")}`)}. An upstream ` +
    `that ignores case answers it as ${quote(nameOf(operation))}, past \`${needed}\`. Let the upstream compare paths ` +
    "with their case, or give both operations the same setting.";
  return atKey(warning("open-template", message, operation.node));
}

function isGuarded({ disabled, auth }: ExtensionSettings): boolean {
  return disabled === true || auth !== undefined;
}

function isProxied({ disabled, redirect, mocking, upstream, upstreams }: ExtensionSettings): boolean {
  return disabled !== true && redirect === undefined && mocking?.enabled !== true &&
    (upstream !== undefined || upstreams !== undefined);
}

/** Tells whether an operation lets requests pass that another operation refuses. */
function isWeaker(one: ConfiguredOperation, other: ConfiguredOperation): boolean {
  const [settings, others] = [one.extension.settings, other.extension.settings];
  return others.disabled === true || writeJson(settings.auth) !== writeJson(others.auth);
}

/** Tells whether a path template takes another spelling of a path: a parameter stands for a text of the path. */
function takes(template: readonly string[], path: readonly string[]): boolean {
  let isSpelled = false;
  for (const [index, segment] of template.entries()) {
    const other = path[index] ?? "";
    if (!PARAMETER.test(segment)) {
      if (!PARAMETER.test(other) && percentDecode(segment) !== percentDecode(other)) return false;
    } else if (!PARAMETER.test(other)) isSpelled ||= /\p{Cased}/u.test(percentDecode(other));
  }
  return isSpelled;
}

function place(configured: ConfiguredOperation): Placed {
  const { operation, extension: { settings: { path } } } = configured;
  const whole = (path?.prefix ?? "").replace(/\/+$/, "") + templateOf(operation.path);
  return { configured, segments: whole.slice(1).split("/") };
}

function keyOf({ operation: { method } }: ConfiguredOperation, count: number): string {
  return `${method === "HEAD" ? "GET" : method} ${count}`;
}
