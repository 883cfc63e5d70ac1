import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { ValidatorLoader } from "../../wire/chooser.ts";
import { readSimple } from "../../wire/parameter_style.ts";
import { findValue, toValue } from "../../wire/text_value.ts";
import { type FoundViolations, type ResponseViolation, toViolations } from "./check_response.ts";
import { checkDecoded, prepareContent } from "./content.ts";
import { formsOf } from "./parameter.ts";

export type HeaderCheck = (
  headers: Headers,
) => readonly ResponseViolation[] | Promise<readonly ResponseViolation[]>;

type TextCheck = (text: string) => FoundViolations | Promise<FoundViolations>;

/** The check of a header's text, and, where a schema alone describes it, of the values of all its lines. */
interface ValueCheck {
  readonly text: TextCheck;
  readonly lines?: (values: readonly string[]) => FoundViolations;
}

/**
 * Headers that aren't checked: a definition's `Content-Type` header must be ignored (OpenAPI 3.1, Response Object), and
 * the others concern the connection only (RFC 9110, section 7.6.1).
 */
const IGNORED = new Set(["content-type", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

const NONE: readonly ResponseViolation[] = [];
const UTF8 = new TextEncoder();

/** Makes the checks of the headers that a Response Object declares (OpenAPI 3.1, Header Object). */
export function createHeaderChecks(
  document: Document,
  validator: DocumentValidator,
  response: Node<"Response">,
): HeaderCheck[] {
  return entries(follow(document, child(response, "headers"))).flatMap(([written, reference]) => {
    const name = written.toLowerCase();
    const header = follow(document, reference);
    if (IGNORED.has(name) || !isObject(header.value)) return [];
    const isRequired = child(header, "required").value === true;
    const check = createContentCheck(document, validator, header) ?? createStyleCheck(document, validator, header);
    return isRequired || check !== undefined ? [createHeaderCheck(name, isRequired, check)] : [];
  });
}

function createHeaderCheck(name: string, isRequired: boolean, check: ValueCheck | undefined): HeaderCheck {
  const place = ["header", name];
  const missing = toViolations(place, [{ path: [], keyword: "required", message: "is required" }]);
  return (headers) => {
    const text = headers.get(name);
    if (text === null) return isRequired ? missing : NONE;
    const found = (name === "set-cookie" ? checkCookies(headers.getSetCookie(), check) : check?.text(text)) ?? [];
    return found instanceof Promise ? found.then((found) => toViolations(place, found)) : toViolations(place, found);
  };
}

/**
 * Checks all `Set-Cookie` headers together. They can't be joined with commas (RFC 9110, section 5.3): they are the items
 * of an array, or the lines of a text (OpenAPI 3.2, Header Object), else the first is checked.
 */
function checkCookies(
  cookies: readonly string[],
  check: ValueCheck | undefined,
): FoundViolations | Promise<FoundViolations> {
  if (check?.lines === undefined) return check?.text(cookies.join("\n")) ?? [];
  const found = check.lines(cookies);
  return found.length === 0 ? found : check.text(cookies[0] ?? "");
}

/**
 * Makes the check of a header with `content`: its text is decoded by a media type. Returns `undefined` for other
 * headers.
 */
function createContentCheck(
  document: Document,
  validator: DocumentValidator,
  header: Node<"Header">,
): ValueCheck | undefined {
  const [content] = entries(child(header, "content"));
  if (content === undefined) return undefined;
  const [mediaType, written] = content;
  const prepared = prepareContent(document, validator, mediaType, follow(document, written), "response");
  if (prepared === undefined) return undefined;
  const text: TextCheck = async (text) => {
    const decoded = await prepared.read(UTF8.encode(text), mediaType);
    if (decoded.kind === "malformed") return [{ path: [], keyword: "malformed", message: decoded.message }];
    return decoded.kind === "value" ? await checkDecoded(decoded, prepared.check) : [];
  };
  return { text };
}

/** Makes the check of a header with a schema. Headers always have the style `simple`. */
function createStyleCheck(
  document: Document,
  validator: DocumentValidator,
  header: Node<"Header">,
): ValueCheck | undefined {
  const schema = child(header, "schema");
  if (schema.value === undefined) return undefined;
  const check = validator.checkOf(schema, "response");
  const validators = new ValidatorLoader();
  const hints = readHints(document, schema, "response", validators);
  const forms = formsOf(hints, { style: "simple" });
  const explode = child(header, "explode").value === true;

  return { text: checkText, lines: (values) => check([...values]) };

  function checkText(written: string): FoundViolations | Promise<FoundViolations> {
    const texts = forms.flatMap((form) => {
      const reading = readSimple(written, { form, explode, decode: (piece) => piece.trim() });
      return reading.kind === "text" ? [reading.text] : [];
    });
    let first: FoundViolations | undefined;
    for (const text of texts) {
      const found = check(toValue(text, hints));
      if (found.length === 0) return found;
      first ??= found;
    }
    return first === undefined ? [] : search(texts, first);
  }

  /**
   * Tries all values that the texts may represent, such as `1` as a number and as a string. If none is valid, returns
   * `first`: the violations of the likeliest value.
   */
  async function search(
    texts: readonly Parameters<typeof toValue>[0][],
    first: FoundViolations,
  ): Promise<FoundViolations> {
    for (const text of texts) {
      const found = check(await findValue(text, hints, validators));
      if (found.length === 0) return found;
    }
    return first;
  }
}
