import { CST, Parser, stringify } from "yaml";
import { hasControls, jsonText, oneLine } from "../../../lib/http/one_line.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

/**
 * Formats objects as YAML, each as a document of its own. Texts that YAML 1.1 reads as another type, such as `yes`, are
 * quoted.
 */
export function toYaml(objects: readonly KubernetesObject[]): string {
  return printableYaml(
    objects.map((object) => stringify(object, { version: "1.1", lineWidth: 120, aliasDuplicateObjects: false }))
      .join("---\n"),
  );
}

/**
 * Escapes the control characters in a text of YAML, which may reorder or hide what a terminal or an editor shows. A
 * scalar with such a character becomes a double-quoted one, which means the same. In comments, the characters are
 * replaced.
 */
export function printableYaml(text: string): string {
  if (!hasControls(text)) return text;
  return [...new Parser().parse(text)].map((token) => {
    quoteControls(token);
    return CST.stringify(token);
  }).join("");
}

/** Quotes the scalars with control characters in a token and in its parts. */
function quoteControls(token: CST.Token): void {
  if ("source" in token && hasControls(token.source)) {
    const scalar = CST.resolveAsScalar(token);
    if (scalar === null) token.source = token.type === "newline" ? "\n" : oneLine(token.source);
    else {
      CST.setScalarValue(token, scalar.value, { type: "QUOTE_DOUBLE" });
      token.source = jsonText(scalar.value);
    }
  }
  for (const part of Object.values(token).flat()) if (typeof part === "object" && part !== null) quoteControls(part);
}
