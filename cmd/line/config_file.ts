import { suggest } from "../../lib/http/message.ts";
import type { FlagTable, Setting } from "./flag.ts";
import { reasonOf } from "../io/files/read.ts";

/** A configuration file that was read, or the message that it can't be read or is invalid. */
export type ConfigFile =
  | { kind: "read"; settingOf: (flag: string) => Setting | undefined }
  | { kind: "unreadable"; message: string }
  | { kind: "mistake"; message: string };

/**
 * Reads a configuration file: YAML with the names of flags as keys, and lists for repeatable flags.
 *
 * ```yaml
 * port: 9000
 * token-file: /etc/gw/tokens
 * service: [default/todo=http://127.0.0.1:3000]
 * ```
 */
export async function readConfigFile(path: string, flags: FlagTable): Promise<ConfigFile> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    return { kind: "unreadable", message: `Cannot read ${path}: ${reasonOf(error)}.` };
  }
  return await parseConfig(text, path, flags);
}

async function parseConfig(text: string, path: string, flags: FlagTable): Promise<ConfigFile> {
  const { load, YAMLException } = await import("js-yaml");
  let root: unknown;
  try {
    root = load(text) ?? {};
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return mistake(`${path} is not YAML: ${error.message}`);
  }
  if (typeof root !== "object" || root === null || Array.isArray(root)) {
    return mistake(`${path} must have the names of flags as keys, such as "port: 9000".`);
  }
  const settings = new Map<string, Setting>();
  for (const [key, value] of Object.entries(root)) {
    const flag = Object.hasOwn(flags, key) ? flags[key] : undefined;
    if (flag === undefined) {
      const [nearest] = suggest(key, Object.keys(flags));
      return mistake(`${path} has an unknown key ${key}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`);
    }
    const isMany = flag.read !== undefined && flag.many === true;
    const texts = (isMany && Array.isArray(value) ? value : [value]).map(toText);
    const known = texts.filter((item) => item !== undefined);
    if (known.length < texts.length) {
      return mistake(`${path}: ${key} must be a text, a number or a boolean${isMany ? ", or a list of them" : ""}.`);
    }
    settings.set(key, { name: `${path}: ${key}`, value: known });
  }
  return { kind: "read", settingOf: (flag) => settings.get(flag) };
}

function mistake(message: string): { kind: "mistake"; message: string } {
  return { kind: "mistake", message };
}

function toText(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}
