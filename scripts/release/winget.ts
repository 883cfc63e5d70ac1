import { executableOf, PLATFORMS } from "../package/names.ts";
import { checksumOf } from "./checksums.ts";
import type { Release } from "./release.ts";

/** The name of the package in winget: publisher and product. */
const IDENTIFIER = "openapi-gw.gw";
const SCHEMA = "1.10.0";

/**
 * Makes the manifests of a release for winget, by file name: version, installer, default locale.
 *
 * @throws {RangeError} If the executable has no checksum.
 */
export function wingetManifestsOf({ version, url, checksums }: Release): Record<string, string> {
  const manifest = (type: string, lines: string[]): string =>
    [
      `PackageIdentifier: ${IDENTIFIER}`,
      `PackageVersion: ${version}`,
      ...lines,
      `ManifestType: ${type}`,
      `ManifestVersion: ${SCHEMA}`,
      "",
    ].join("\n");
  const installers = PLATFORMS.filter(({ os }) => os === "win32").flatMap((platform) => {
    const name = executableOf(platform);
    return [
      `  - Architecture: ${platform.cpu}`,
      `    InstallerUrl: ${url}/${name}`,
      `    InstallerSha256: ${checksumOf(name, checksums).toUpperCase()}`,
    ];
  });
  return {
    [`${IDENTIFIER}.yaml`]: manifest("version", ["DefaultLocale: en-US"]),
    [`${IDENTIFIER}.installer.yaml`]: manifest("installer", [
      "InstallerType: portable",
      "Commands:",
      "  - gw",
      "Installers:",
      ...installers,
    ]),
    [`${IDENTIFIER}.locale.en-US.yaml`]: manifest("defaultLocale", [
      "PackageLocale: en-US",
      "Publisher: openapi-gw",
      "PackageName: gw",
      "License: Apache-2.0",
      "ShortDescription: Mock server and gateway for OpenAPI definitions",
    ]),
  };
}
