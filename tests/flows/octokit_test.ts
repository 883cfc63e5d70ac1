/**
 * Tests GitHub's official client for Node with `gw mock --stateful` of GitHub's definition.
 *
 * @module
 */
import assert from "node:assert/strict";
import { importPackage, startStateful, statusOf } from "./flow.ts";

type Fields = Record<string, unknown>;
type Call<Data> = (
  fields: Fields,
) => Promise<{ status: number; data: Data; headers: Record<string, string | undefined> }>;

interface Octokit {
  readonly issues: Readonly<
    & Record<
      "create" | "get" | "update" | "createComment" | "getComment" | "updateComment" | "deleteComment",
      Call<Fields>
    >
    & Record<"createLabel" | "getLabel" | "updateLabel" | "deleteLabel", Call<Fields>>
    & Record<"listForRepo" | "listComments" | "listLabelsForRepo", Call<Fields[]>>
  >;
  paginate(call: Call<Fields[]>, fields: Fields): Promise<Fields[]>;
}

const gw = await startStateful("github.com/api.github.com.json");
const { Octokit: Client } = await importPackage("@octokit/rest", "22.0.1", "dist-src/index.js") as {
  Octokit: new (options: Fields) => Octokit;
};
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const octokit = new Client({ baseUrl: gw.url, auth: "token", log: silent });
const { issues } = octokit;

Deno.test.afterAll(async () => await gw[Symbol.asyncDispose]());

Deno.test("issues: created, read, closed, listed", async () => {
  const repo = { owner: "octo", repo: "issues" };
  const { status, data: created } = await issues.create({
    ...repo,
    title: "It fails",
    body: "Always",
    labels: ["bug"],
  });
  assert.equal(status, 201);
  assert.deepEqual([created["title"], created["body"], created["state"]], ["It fails", "Always", "open"]);
  const issue = { ...repo, issue_number: created["number"] };
  assert.deepEqual((await issues.get(issue)).data, created);

  for (const title of ["Second", "Third", "Fourth"]) await issues.create({ ...repo, title });
  const { data: closed } = await issues.update({ ...issue, state: "closed" });
  assert.deepEqual([closed["number"], closed["title"], closed["state"]], [created["number"], "It fails", "closed"]);

  const titlesOf = async (fields: Fields): Promise<unknown[]> =>
    (await issues.listForRepo({ ...repo, ...fields })).data.map(({ title }) => title);
  assert.deepEqual(await titlesOf({}), ["Fourth", "Third", "Second"]);
  assert.deepEqual(await titlesOf({ state: "closed" }), ["It fails"]);
  assert.deepEqual(await titlesOf({ state: "all", labels: "bug" }), ["It fails"]);
  assert.deepEqual(await titlesOf({ direction: "asc" }), ["Second", "Third", "Fourth"]);
  assert.equal(await statusOf(issues.get({ ...repo, issue_number: 99_999 })), 404);
});

Deno.test("issues: a list is paged through by its client, each repository has its own", async () => {
  const repo = { owner: "octo", repo: "pages" };
  for (let number = 1; number <= 7; number++) await issues.create({ ...repo, title: `Issue ${number}` });
  const first = await issues.listForRepo({ ...repo, per_page: 3 });
  assert.equal(first.data.length, 3);
  assert.match(first.headers["link"] ?? "", /per_page=3&page=2>; rel="next".*page=3>; rel="last"/);
  const all = await octokit.paginate(issues.listForRepo, { ...repo, per_page: 3 });
  assert.deepEqual(all.map(({ title }) => title), [7, 6, 5, 4, 3, 2, 1].map((number) => `Issue ${number}`));
  const { data: others } = await issues.listForRepo({ owner: "octo", repo: "elsewhere" });
  assert.ok(others.every(({ title }) => !String(title).startsWith("Issue ")));
});

Deno.test("comments of an issue: created, changed, listed, deleted", async () => {
  const repo = { owner: "octo", repo: "comments" };
  const { data: { number } } = await issues.create({ ...repo, title: "Talk" });
  const issue = { ...repo, issue_number: number };
  const { data: first } = await issues.createComment({ ...issue, body: "Me too" });
  await issues.createComment({ ...issue, body: "Fixed" });
  const comment = { ...repo, comment_id: first["id"] };
  assert.equal((await issues.getComment(comment)).data["body"], "Me too");
  assert.equal((await issues.updateComment({ ...comment, body: "Me three" })).data["body"], "Me three");
  const bodiesOf = async (): Promise<unknown[]> => (await issues.listComments(issue)).data.map(({ body }) => body);
  assert.deepEqual(await bodiesOf(), ["Me three", "Fixed"]);
  assert.equal((await issues.deleteComment(comment)).status, 204);
  assert.equal(await statusOf(issues.getComment(comment)), 404);
  assert.deepEqual(await bodiesOf(), ["Fixed"]);
});

Deno.test("labels of a repository, whose id is their name", async () => {
  const repo = { owner: "octo", repo: "labels" };
  const { status, data: created } = await issues.createLabel({ ...repo, name: "urgent", color: "ff0000" });
  assert.deepEqual([status, created["name"], created["color"]], [201, "urgent", "ff0000"]);
  const label = { ...repo, name: "urgent" };
  assert.deepEqual((await issues.getLabel(label)).data, created);
  const { data: updated } = await issues.updateLabel({ ...label, color: "00ff00", description: "Now" });
  assert.deepEqual([updated["name"], updated["color"], updated["description"]], ["urgent", "00ff00", "Now"]);
  const { data: listed } = await issues.listLabelsForRepo(repo);
  assert.ok(listed.some(({ name, color }) => name === "urgent" && color === "00ff00"));
  assert.equal((await issues.deleteLabel(label)).status, 204);
  assert.equal(await statusOf(issues.getLabel(label)), 404);
});
