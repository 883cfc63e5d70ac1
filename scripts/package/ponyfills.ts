/**
 * Functions of ECMAScript and of the web platform that Node.js 20 lacks, or the jsdom of Jest 29. Each is exported under
 * the name by which the sources call it, and esbuild replaces the calls. The runtime's own function is preferred.
 * Globals aren't changed, since they belong to the program that uses the library.
 *
 * @module
 */

/** The runtime's own function, bound to its object; `undefined` if the runtime lacks it. */
function native<F>(owner: object, name: string): F | undefined {
  const found: unknown = Reflect.get(owner, name);
  return typeof found === "function" ? found.bind(owner) as F : undefined;
}

type GroupBy = <K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K) => Map<K, V[]>;

const groupBy: GroupBy = /* @__PURE__ */ native<GroupBy>(Map, "groupBy") ?? ((items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
});

type GroupByName = <V>(items: Iterable<V>, keyOf: (item: V, index: number) => string) => Record<string, V[]>;

const groupByName: GroupByName = /* @__PURE__ */ native<GroupByName>(Object, "groupBy") ??
  ((items, keyOf) => Object.assign(Object.create(null), Object.fromEntries(groupBy(items, keyOf))));

interface Resolvers<T> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason?: unknown) => void;
}

const withResolvers: <T>() => Resolvers<T> = /* @__PURE__ */ native<<T>() => Resolvers<T>>(Promise, "withResolvers") ??
  (<T>() => {
    const resolvers: Partial<Resolvers<T>> = {};
    const promise = new Promise<T>((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
    return Object.assign(resolvers, { promise }) as Resolvers<T>;
  });

type CanParseUrl = (url: string, base?: string) => boolean;

/** Node.js 20 has this function, but the `URL` of jsdom 20, which is that of Jest 29, lacks it. */
const canParseUrl: CanParseUrl = /* @__PURE__ */ native<CanParseUrl>(URL, "canParse") ?? ((url, base) => {
  try {
    return new URL(url, base) !== undefined;
  } catch {
    return false;
  }
});

type ParseUrl = (url: string, base?: string) => URL | null;

const parseUrl: ParseUrl = /* @__PURE__ */ native<ParseUrl>(URL, "parse") ??
  ((url, base) => canParseUrl(url, base) ? new URL(url, base) : null);

type FromBase64 = (text: string, options?: { alphabet?: "base64" | "base64url" }) => Uint8Array<ArrayBuffer>;

/** `atob` ignores the same white space and missing padding as `fromBase64`, but has only one alphabet. */
const fromBase64: FromBase64 = /* @__PURE__ */ native<FromBase64>(Uint8Array, "fromBase64") ??
  ((text, { alphabet = "base64" } = {}) => {
    if ((alphabet === "base64" ? /[-_]/ : /[+/]/).test(text)) throw new SyntaxError("Not Base64");
    let binary;
    try {
      binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    } catch {
      throw new SyntaxError("Not Base64");
    }
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  });

type EscapePattern = (text: string) => string;

/** Escapes a digit or letter at the start too: it could continue an escape that precedes the text in a pattern. */
const escapePattern: EscapePattern = /* @__PURE__ */ native<EscapePattern>(RegExp, "escape") ??
  ((text) =>
    text.replaceAll(
      /^[0-9A-Za-z]|[^0-9A-Za-z_]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ));

export {
  canParseUrl as "URL.canParse",
  escapePattern as "RegExp.escape",
  fromBase64 as "Uint8Array.fromBase64",
  groupBy as "Map.groupBy",
  groupByName as "Object.groupBy",
  parseUrl as "URL.parse",
  withResolvers as "Promise.withResolvers",
};
