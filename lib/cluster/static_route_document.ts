/**
 * Converts a static route between its custom resource and its document. A static route sends requests to some hosts to
 * an upstream, without a definition. Its settings are fields of the custom resource; in the management API they are
 * `x-svc` settings in an OpenAPI document:
 *
 * ```text
 * document -> x-svc at its root -> hosts, upstream, auth, settings -> document
 * ```
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { parseStaticRoute } from "../gateway/plan_routes.ts";
import { EXTENSION, readLevel } from "../openapi/extension/extension.ts";
import type { ExtensionSettings } from "../openapi/extension/settings.ts";
import type { StaticRouteObjectSpec } from "./custom_resource.ts";
import { MOST_DOCUMENT_CHARACTERS } from "./crds/static_route_schema.ts";

/** Converts a document to the fields of the custom resource. */
export async function routeFields(name: string, openapi: string): Promise<Omit<StaticRouteObjectSpec, "fleet">> {
  const settings = await settingsOf(openapi);
  const { hosts, upstream, auth, ...others } = settings;
  const isKept = openapi !== documentOf(name, settings) && openapi.length <= MOST_DOCUMENT_CHARACTERS;
  return {
    ...(hosts === undefined ? {} : { hosts }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(auth === undefined ? {} : { auth }),
    ...(Object.keys(others).length === 0 ? {} : { settings: others }),
    ...(isKept ? { openapi } : {}),
  };
}

/**
 * Returns `spec.openapi` if its settings equal those of the other fields, or else a document made from these fields.
 */
export async function documentOfFields(
  name: string,
  { hosts, upstream, auth, settings, openapi }: StaticRouteObjectSpec,
): Promise<string> {
  const all: ExtensionSettings = {
    ...(hosts === undefined ? {} : { hosts }),
    ...(upstream === undefined ? {} : { upstream }),
    ...(auth === undefined ? {} : { auth }),
    ...settings,
  };
  const isSame = openapi !== undefined && isDeepStrictEqual(await settingsOf(openapi), all);
  return isSame ? openapi : documentOf(name, all);
}

async function settingsOf(openapi: string): Promise<Readonly<ExtensionSettings>> {
  const document = await parseStaticRoute(openapi);
  return readLevel(document, document.root, "root").settings;
}

function documentOf(name: string, settings: Readonly<ExtensionSettings>): string {
  const document = { openapi: "3.1.0", info: { title: name, version: "1.0.0" }, [EXTENSION]: settings, paths: {} };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
