// Defines the globals that the tests of SendGrid's client use, and sends their requests to the server at SENDGRID_MOCK.
const { createRequire } = require("node:module");
const process = require("node:process");

const load = createRequire(`${process.cwd()}/`);

globalThis.expect = load("chai").expect;
globalThis.sinon = load("sinon");

load("axios").interceptors.request.use((request) => {
  // A test sets this header to the status that it expects from the mock server. Requests without it are answered by nock.
  if (request.headers.has("X-Mock") && load("nock").activeMocks().length === 0) {
    request.baseURL = process.env.SENDGRID_MOCK;
  }
  return request;
});
