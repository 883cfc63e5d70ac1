/**
 * The stylesheet and scripts of the pages, which are inside the program.
 *
 * @module
 */
import { longHashOf } from "../http/hash.ts";
import style from "./assets/console.css" with { type: "text" };
import script from "./assets/console.js" with { type: "text" };
import icon from "./assets/icon.svg" with { type: "text" };

interface Asset {
  readonly text: string;
  readonly mediaType: string;
}

const ASSETS = {
  "console.css": { text: style, mediaType: "text/css; charset=utf-8" },
  "console.js": { text: script, mediaType: "text/javascript; charset=utf-8" },
  "icon.svg": { text: icon, mediaType: "image/svg+xml" },
} as const satisfies Record<string, Asset>;

export type AssetName = keyof typeof ASSETS;

const PATH = "assets/";
const versions = new Map<AssetName, string>();

/** The URL of an asset below the base path of a console. It changes with the asset, so that browsers may keep it. */
export function assetUrl(base: string, name: AssetName): string {
  let version = versions.get(name);
  if (version === undefined) versions.set(name, version = longHashOf(ASSETS[name].text));
  return `${base}${PATH}${name}?v=${version}`;
}

/**
 * Answers a request for an asset. Assets are for everybody: they are the same in every gw of a version.
 *
 * @param path The path below the console's base path.
 * @returns `undefined` if it isn't the path of an asset.
 */
export function answerAsset(path: string): Response | undefined {
  const name = path.startsWith(PATH) ? path.slice(PATH.length) : "";
  if (!isAssetName(name)) return undefined;
  const { text, mediaType } = ASSETS[name];
  return new Response(text, {
    headers: {
      "content-type": mediaType,
      "cache-control": "max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(ASSETS, name);
}
