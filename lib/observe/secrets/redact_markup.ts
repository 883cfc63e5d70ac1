import { REDACTED } from "./redacted.ts";
import { isSecretName } from "../../names/secret_names.ts";
import { isNameProperty, isValueProperty } from "./named_value.ts";

/** Matches a comment, a CDATA section, or a tag. A quoted attribute of a tag may contain `>`. */
const MARKUP =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[([^]*?)(?:\]\]>|$)|<(\/?)([^\s<>/="']+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/g;
const ATTRIBUTE = /([^\s=<>"'/]{1,256})\s{0,16}=\s{0,16}(?:"([^"]*)"|'([^']*)')/g;
/** Attributes that name the value of their element: `<input name="password" value="…">`. */
const NAME_ATTRIBUTES = /^(?:name|key|id|field|type)$/i;
const VALUE_ATTRIBUTES = /^(?:value|content|default)$/i;

type RedactText = (text: string) => string;

/**
 * Redacts the secrets in XML or HTML: values of elements and attributes with the name of a secret, and texts in which
 * `redact` finds secrets.
 *
 * @param redact Redacts the secrets in the text of an element, a comment or an attribute.
 */
export function redactMarkup(text: string, redact: RedactText): string {
  let redacted = "";
  let at = 0;
  /**
   * The number of open elements, counted from the outermost element whose content is secret; 0 outside such elements.
   */
  let depth = 0;
  /** Whether an element before, such as `<Name>password</Name>`, says that the next `<Value>` is a secret. */
  let isNamed = false;
  let element = "";
  for (const match of text.matchAll(MARKUP)) {
    const [whole, cdata, slash, name = "", attributes = "", empty] = match;
    const written = text.slice(at, match.index);
    redacted += content(written, depth > 0, redact);
    if (isNameProperty(element) && written.trim() !== "") isNamed = isSecretName(written.trim());
    at = match.index + whole.length;
    if (cdata !== undefined) {
      redacted += `<![CDATA[${content(cdata, depth > 0, redact)}]]>`;
    } else if (slash === undefined) {
      redacted += depth > 0 && whole.startsWith("<!--") ? `<!--${REDACTED}-->` : redact(whole);
    } else if (slash === "/") {
      depth = Math.max(0, depth - 1);
      element = "";
      redacted += whole;
    } else {
      element = localName(name);
      const isSecret = isSecretName(element) || namesSecret(attributes) || (isNamed && isValueProperty(element));
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

/** Whether an attribute says that the element's value is a secret: `name="password"`. */
function namesSecret(attributes: string): boolean {
  return [...attributes.matchAll(ATTRIBUTE)].some(([, name = "", double, single]) =>
    NAME_ATTRIBUTES.test(localName(name)) && isSecretName(double ?? single ?? "")
  );
}

function redactAttributes(attributes: string, isSecret: boolean, redact: RedactText): string {
  return attributes.replace(ATTRIBUTE, (whole, name: string, double?: string, single?: string) => {
    const value = double ?? single ?? "";
    const local = localName(name);
    const hides = isSecretName(local) || (isSecret && VALUE_ATTRIBUTES.test(local));
    const redacted = hides && value !== "" ? REDACTED : redact(value);
    return redacted === value ? whole : `${whole.slice(0, whole.length - value.length - 1)}${redacted}${whole.at(-1)}`;
  });
}
