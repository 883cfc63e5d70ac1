import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { readHints } from "../../schema/hints.ts";
import { child, entries, isObject, type Node } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { ValidatorLoader } from "../../wire/chooser.ts";
import { readSimple } from "../../wire/parameter_style.ts";
import { findValue, toValue } from "../../wire/text_value.ts";
import { type Found, type ResponseViolation, toViolations } from "./check_response.ts";
import { checkDecoded, prepareContent } from "./content.ts";
import { formsOf } from "./parameter.ts";

/** Finds the violations of one header of a response. */
export type HeaderCheck = (
  headers: Headers,
) => readonly ResponseViolation[] | Promise<readonly ResponseViolation[]>;

/** Finds the violations of the text of a header. */
type TextCheck = (text: string) => Found | Promise<Found>;

/** `Content-Type`, which a definition can't describe here, and headers of one connection (RFC 9110, section 7.6.1). */
const IGNORED = new Set(["content-type", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);

const NONE: readonly ResponseViolation[] = [];
const UTF8 = new TextEncoder();

/** Makes the checks of the headers that a Response Object declares (OpenAPI 3.1, section 4.8.21, Header Object). */
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

function createHeaderCheck(name: string, isRequired: boolean, check: TextCheck | undefined): HeaderCheck {
  const place = ["header", name];
  const missing = toViolations(place, [{ path: [], keyword: "required", message: "is required" }]);
  return (headers) => {
    const text = headers.get(name);
    if (text === null) return isRequired ? missing : NONE;
    // `Set-Cookie` can't be joined to one value (RFC 9110, section 5.3): check the first.
    const found = check?.(name === "set-cookie" ? headers.getSetCookie()[0] ?? "" : text) ?? [];
    return found instanceof Promise ? found.then((found) => toViolations(place, found)) : toViolations(place, found);
  };
}

/** The check of a header that is written in a media type, since its Header Object has `content`. */
function createContentCheck(
  document: Document,
  validator: DocumentValidator,
  header: Node<"Header">,
): TextCheck | undefined {
  const [content] = entries(child(header, "content"));
  if (content === undefined) return undefined;
  const [mediaType, written] = content;
  const prepared = prepareContent(document, validator, mediaType, follow(document, written), "response");
  if (prepared === undefined) return undefined;
  return async (text) => {
    const decoded = await prepared.read(UTF8.encode(text), mediaType);
    if (decoded.kind === "malformed") return [{ path: [], keyword: "malformed", message: decoded.message }];
    return decoded.kind === "value" ? await checkDecoded(decoded, prepared.check) : [];
  };
}

/** The check of a header in style `simple`, in the form that its schema allows. */
function createStyleCheck(
  document: Document,
  validator: DocumentValidator,
  header: Node<"Header">,
): TextCheck | undefined {
  const schema = child(header, "schema");
  if (schema.value === undefined) return undefined;
  const check = validator.checkOf(schema, "response");
  const validators = new ValidatorLoader();
  const hints = readHints(document, schema, "response", validators);
  const forms = formsOf(hints, { style: "simple" });
  const explode = child(header, "explode").value === true;

  return (written) => {
    const texts = forms.flatMap((form) => {
      const reading = readSimple(written, { form, explode, decode: (piece) => piece.trim() });
      return reading.kind === "text" ? [reading.text] : [];
    });
    let first: Found | undefined;
    for (const text of texts) {
      const found = check(toValue(text, hints));
      if (found.length === 0) return found;
      first ??= found;
    }
    return first === undefined ? [] : search(texts, first);
  };

  /**
   * Tries all values that the texts may represent; if none is valid, returns `first`, the violations of the likeliest.
   */
  async function search(texts: readonly Parameters<typeof toValue>[0][], first: Found): Promise<Found> {
    for (const text of texts) {
      const found = check(await findValue(text, hints, validators));
      if (found.length === 0) return found;
    }
    return first;
  }
}
