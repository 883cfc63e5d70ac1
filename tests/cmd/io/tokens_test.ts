import assert from "node:assert/strict";
import { readTokens } from "../../../cmd/io/tokens.ts";
import { createFolder } from "../definitions.ts";

Deno.test("readTokens() knows users by their tokens", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/tokens`;
  await Deno.writeTextFile(path, "# token,user,group\n\nalpha,alice,developers,admins\r\nbeta, bob\n");
  const tokens = await readTokens(path, () => {});
  assert.deepEqual(tokens.find("alpha"), { name: "alice", groups: ["developers", "admins"] });
  assert.deepEqual(tokens.find("beta"), { name: "bob", groups: [] });
  for (const unknown of ["", "alph", "alpha ", "Alpha", "alice"]) assert.equal(tokens.find(unknown), undefined);
  tokens.close();
});

Deno.test("readTokens() names the line that is wrong, and no token", async (t) => {
  await using folder = await createFolder();
  const path = `${folder.path}/tokens`;
  const cases = [
    { text: "alpha,alice\nsecret\n", want: /tokens:2: a line must be token,user,group/ },
    { text: ",alice\n", want: /tokens:1: a line must be token,user,group/ },
    { text: "secret,alice\n\nsecret,bob\n", want: /tokens:3: this is the same token as on line 1\./ },
  ];
  for (const { text, want } of cases) {
    await t.step(JSON.stringify(text), async () => {
      await Deno.writeTextFile(path, text);
      await assert.rejects(
        readTokens(path, () => {}),
        (error: Error) => want.test(error.message) && !error.message.includes("secret"),
      );
    });
  }
});

Deno.test(
  "readTokens() warns of a file that others can read, once",
  { ignore: Deno.build.os === "windows" },
  async () => {
    await using folder = await createFolder();
    const path = `${folder.path}/tokens`;
    await Deno.writeTextFile(path, "alpha,alice\n", { mode: 0o600 });
    assert.deepEqual(await warningsOf(path), []);
    await Deno.chmod(path, 0o640);
    assert.deepEqual(await warningsOf(path), [`${path} can be read by other users of this machine: chmod 600 ${path}`]);
  },
);

async function warningsOf(path: string): Promise<string[]> {
  const warnings: string[] = [];
  const tokens = await readTokens(path, (message) => void warnings.push(message));
  tokens.close();
  return warnings;
}

Deno.test("readTokens() follows the file; a broken one leaves the tokens from before", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/tokens`;
  await Deno.writeTextFile(path, "alpha,alice\n", { mode: 0o600 });
  let tell: (message: string) => void = () => {};
  const next = (): Promise<string> => new Promise((resolve) => tell = resolve);
  const tokens = await readTokens(path, (message) => tell(message));

  let told = next();
  await Deno.writeTextFile(path, "beta,bob\n");
  assert.match(await told, /^Reloaded .*tokens: 1 tokens?\.$/);
  assert.equal(tokens.find("alpha"), undefined);
  assert.equal(tokens.find("beta")?.name, "bob");

  told = next();
  await Deno.writeTextFile(path, "gamma\n");
  assert.match(await told, /tokens:1: .* The tokens from before stay valid\.$/);
  assert.equal(tokens.find("beta")?.name, "bob");
  tokens.close();
});
