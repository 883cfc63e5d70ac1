import assert from "node:assert/strict";
import { readRepositoryFile } from "../tour/pages.ts";

const instructions = readRepositoryFile("Dockerfile").split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1) ?? []);

/** The arguments of the last instruction with a name. */
function last(name: string): string | undefined {
  return instructions.findLast(([instruction]) => instruction === name)?.[1];
}

Deno.test("the image runs gw as a user that isn't root, and asks gw for its health", () => {
  assert.deepEqual(JSON.parse(last("ENTRYPOINT") ?? ""), ["gw"]);
  assert.match(last("USER") ?? "", /^[1-9]\d*:[1-9]\d*$/);
  assert.match(last("HEALTHCHECK") ?? "", /CMD \["gw", "health"\]$/);
  assert.equal(last("EXPOSE"), "8080");
  assert.equal(last("CMD"), undefined);
});

Deno.test("the base of the image is an official one by name, and can be another", () => {
  assert.deepEqual(instructions[0], ["ARG", "BASE=debian:trixie-slim"]);
  const bases = instructions.flatMap(([name, rest = ""]) => name === "FROM" ? rest.split(" ")[0] : []);
  assert.deepEqual(new Set(bases), new Set(["${BASE}"]));
});

Deno.test("the image gets one executable, and no other file of the repository", () => {
  // Docker 20.10 looks for exceptions only in folders that the exception names without a wildcard.
  assert.deepEqual(readRepositoryFile(".dockerignore").trim().split("\n"), ["*", "!dist/image"]);
  const copied = instructions.flatMap(([name, rest = ""]) => /^(?:COPY|ADD|RUN)$/.test(name ?? "") ? rest : []);
  assert.deepEqual(copied, ["dist/image/${TARGETARCH}/gw /usr/local/bin/gw"]);
});
