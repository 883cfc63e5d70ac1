// Mocha's `bdd` interface, in which skipped tests run too: SendGrid's client skips tests that its usual mock server can't
// answer.
const { createRequire } = require("node:module");
const process = require("node:process");

const load = createRequire(`${process.cwd()}/`);
const bdd = load("mocha/lib/interfaces/bdd.js");

module.exports = function lifted(suite) {
  bdd(suite);
  suite.on("pre-require", (context) => {
    context.xit = context.xspecify = context.it.skip = context.it;
    context.xdescribe = context.xcontext = context.describe.skip = context.describe;
  });
};
