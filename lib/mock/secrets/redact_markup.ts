import { REDACTED } from "./redacted.ts";
import { isSecretName } from "./secret_name.ts";

/** A comment, a section of CDATA, or a tag; quoted attributes may have `>` in them. */
const MARKUP =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<(\/?)([^\s<>/="']+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/g;
const ATTRIBUTE = /([^\s=<>"'/]{1,256})\s{0,16}=\s{0,16}(?:"([^"]*)"|'([^']*)')/g;
/** Attributes that name the element's value, which is in `value` or the text: `<input name="password" value="…">`. */
const NAMING = /^(?:name|key|id|field|type)$/i;
const NAMED = /^(?:value|content|default)$/i;

/** Replaces the secrets in a text. */
type RedactText = (text: string) => string;

/**
 * Replaces the secrets in XML or HTML: values whose element or attribute has the name of a secret, and texts in which
 * `redact` finds secrets.
 *
 * @param redact Replaces the secrets in the text of an element, a comment or an attribute.
 */
export function redactMarkup(text: string, redact: RedactText): string {
  let redacted = "";
  let at = 0;
  /**
   * How many elements are open, counted from the outermost one whose name, or naming attribute, is that of a secret.
   */
  let depth = 0;
  for (const match of text.matchAll(MARKUP)) {
    const [whole, cdata, slash, name = "", attributes = "", empty] = match;
    redacted += content(text.slice(at, match.index), depth > 0, redact);
    at = match.index + whole.length;
    if (cdata !== undefined) {
      redacted += `<![CDATA[${content(cdata, depth > 0, redact)}]]>`;
    } else if (slash === undefined) {
      redacted += redact(whole);
    } else if (slash === "/") {
      depth = Math.max(0, depth - 1);
      redacted += whole;
    } else {
      const isSecret = isSecretName(localName(name)) || namesSecret(attributes);
      redacted += `<${name}${redactAttributes(attributes, depth > 0 || isSecret, redact)}${empty}>`;
      if (empty === "" && (depth > 0 || isSecret)) depth++;
    }
  }
  return redacted + content(text.slice(at), depth > 0, redact);
}

function content(text: string, isSecret: boolean, redact: RedactText): string {
  if (text.trim() === "") return text;
  return isSecret ? REDACTED : redact(text);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Whether an attribute names the element's value as a secret: `name="password"`. */
function namesSecret(attributes: string): boolean {
  return [...attributes.matchAll(ATTRIBUTE)].some(([, name = "", double, single]) =>
    NAMING.test(localName(name)) && isSecretName(double ?? single ?? "")
  );
}

function redactAttributes(attributes: string, isSecret: boolean, redact: RedactText): string {
  return attributes.replace(ATTRIBUTE, (whole, name: string, double?: string, single?: string) => {
    const value = double ?? single ?? "";
    const local = localName(name);
    const hides = isSecretName(local) || (isSecret && NAMED.test(local));
    const redacted = hides && value !== "" ? REDACTED : redact(value);
    return redacted === value ? whole : `${whole.slice(0, whole.length - value.length - 1)}${redacted}${whole.at(-1)}`;
  });
}
