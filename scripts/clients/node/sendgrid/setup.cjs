// What the clients' tests expect to be there, and requests to their own mock server sent to SENDGRID_MOCK.
const { createRequire } = require("node:module");
const process = require("node:process");

const load = createRequire(`${process.cwd()}/`);

globalThis.expect = load("chai").expect;
globalThis.sinon = load("sinon");

load("axios").interceptors.request.use((request) => {
  // The tests tell their mock server by this header which status they expect; nock answers the other requests.
  if (request.headers.has("X-Mock") && load("nock").activeMocks().length === 0) {
    request.baseURL = process.env.SENDGRID_MOCK;
  }
  return request;
});
