import { hasProgram } from "../../scripts/program.ts";
import { readPage } from "./page.ts";
import { listPages, readRepositoryFile } from "./pages.ts";
import { runPage } from "./run_page.ts";
import { SETUPS } from "./setups.ts";

for (const path of listPages()) {
  const { steps } = readPage(readRepositoryFile(path));
  if (steps.every(({ kind }) => ["elsewhere", "not run"].includes(kind))) continue;
  const { tools = [], ...setup } = SETUPS[path] ?? {};
  const missing = tools.filter((tool) => !hasProgram(tool));
  Deno.test({
    name: `${path} does what it says${missing.length > 0 ? `: needs ${missing.join(", ")}` : ""}`,
    ignore: missing.length > 0 && Deno.env.get("CI") !== "true",
    fn: (t) => runPage(t, steps, setup),
  });
}
