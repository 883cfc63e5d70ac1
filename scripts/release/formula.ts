import { executableOf, PLATFORMS } from "../package/names.ts";
import { checksumOf } from "./checksums.ts";
import type { Release } from "./release.ts";

/** The names of operating systems and CPUs: Node's, and those of Ruby in a formula. */
const SYSTEMS = [["darwin", "macos"], ["linux", "linux"]] as const;
const CPUS = { arm64: "arm", x64: "intel" } as const;

/**
 * Makes the Homebrew formula of a release, `gw.rb`.
 *
 * @throws {RangeError} If an executable has no checksum.
 */
export function formulaOf({ version, url, checksums }: Release): string {
  const systems = SYSTEMS.flatMap(([os, system]) => [
    `  on_${system} do`,
    ...PLATFORMS.filter((platform) => platform.os === os).flatMap((platform) => {
      const name = executableOf(platform);
      return [
        `    on_${CPUS[platform.cpu]} do`,
        `      url "${url}/${name}"`,
        `      sha256 "${checksumOf(name, checksums)}"`,
        "    end",
      ];
    }),
    "  end",
    "",
  ]);
  return [
    "class Gw < Formula",
    '  desc "Mock server and gateway for OpenAPI definitions"',
    `  homepage "${url.replace(/\/releases\/.*$/, "")}"`,
    `  version "${version}"`,
    '  license "Apache-2.0"',
    "",
    ...systems,
    "  def install",
    '    bin.install Dir["gw-*"].first => "gw"',
    '    chmod 0555, bin/"gw"',
    '    generate_completions_from_executable(bin/"gw", "completions")',
    '    (man1/"gw.1").write Utils.safe_popen_read(bin/"gw", "man")',
    "  end",
    "",
    "  test do",
    '    assert_match version.to_s, shell_output("#{bin}/gw --version")',
    "  end",
    "end",
    "",
  ].join("\n");
}
