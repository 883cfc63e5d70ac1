import { basename } from "node:path";
import { child } from "../lib/schema/node.ts";
import type { Definition } from "./io/definition.ts";

/** Generic names of files, which don't name the API. */
const GENERIC = /^(openapi|swagger|api|spec|index|definition|stdin)$/;

/** Derives a DNS label (RFC 1123) from the name of a definition's file, or from its title. */
export function apiNameOf({ operand, document }: Pick<Definition, "operand" | "document">): string {
  const file = labelOf(basename(URL.parse(operand)?.pathname ?? operand).replace(/\.[^.]*$/, ""));
  if (file !== "" && !GENERIC.test(file)) return file;
  const title = child(child(document.root, "info"), "title").value;
  return (typeof title === "string" ? labelOf(title) : "") || "api";
}

function labelOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 63).replace(/^-+|-+$/g, "");
}
