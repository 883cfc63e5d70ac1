import assert from "node:assert/strict";
import { readCommandLine } from "../../cmd/line/flag.ts";
import {
  mayLead,
  SERVE_COMMAND,
  serveMistake,
  type ServeSettings,
  type StoreKind,
  storeOf,
} from "../../cmd/serve/settings.ts";

Deno.test("gw serve keeps resources where its flags say or imply", () => {
  const table: [args: string[], want: StoreKind][] = [
    [[], "sqlite"],
    [["--data", ":memory:"], "sqlite"],
    [["--kubeconfig", "x"], "kubernetes"],
    [["--context", "x"], "kubernetes"],
    [["--store", "kubernetes"], "kubernetes"],
    [["--store", "sqlite", "--context", "x"], "sqlite"],
    [["--context", "x", "--data", "y"], "kubernetes"],
  ];
  for (const [args, want] of table) assert.equal(storeOf(settingsOf(args), () => undefined), want, args.join(" "));
});

Deno.test("gw serve refuses flags of another store, and a public address without authentication", () => {
  const table: [args: string[], mistake: RegExp | undefined][] = [
    [["--context", "x", "--data", "y"], /^--data is for --store sqlite; this is --store kubernetes\.$/],
    [["--store", "sqlite", "--no-controller"], /^--no-controller is for --store kubernetes/],
    [["--store", "sqlite", "--controller"], /^--controller is for --store kubernetes/],
    [["--context", "x", "--controller", "--no-controller"], /^--controller and --no-controller exclude each other/],
    [["--namespace", "gw"], /^--namespace is for --store kubernetes/],
    [["--host", "0.0.0.0"], /would let everybody/],
    [["--host", "0.0.0.0", "--insecure"], undefined],
    // With a store in a cluster, `--host 0.0.0.0` needs no tokens: the cluster authenticates and authorizes.
    [["--host", "0.0.0.0", "--context", "x"], undefined],
    [["--context", "x", "--webhook-port", "9443", "--token-file", "tokens.csv"], undefined],
  ];
  for (const [args, mistake] of table) {
    const settings = settingsOf(args);
    const found = serveMistake([], settings, storeOf(settings, () => undefined));
    if (mistake === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", mistake);
  }
});

Deno.test("gw serve stands for election in a pod of the cluster, and elsewhere only with --controller", () => {
  const table: [args: string[], isPod: boolean, want: boolean][] = [
    [["--context", "staging"], false, false],
    [["--store", "kubernetes"], false, false],
    [["--context", "staging", "--controller"], false, true],
    [["--context", "staging", "--no-controller"], false, false],
    [["--store", "kubernetes"], true, true],
    [["--store", "kubernetes", "--no-controller"], true, false],
    // A pod that serves another cluster than its own.
    [["--context", "staging"], true, false],
    [["--kubeconfig", "staging.yaml"], true, false],
    [["--kubeconfig", "staging.yaml", "--controller"], true, true],
  ];
  for (const [args, isPod, want] of table) {
    assert.equal(mayLead(settingsOf(args), isPod), want, `${args.join(" ")} ${isPod}`);
  }
});

function settingsOf(args: readonly string[]): ServeSettings {
  const line = readCommandLine(SERVE_COMMAND.flags, args, (name) => ({ name, value: undefined }));
  assert.ok(line.kind === "line");
  return line.values;
}
