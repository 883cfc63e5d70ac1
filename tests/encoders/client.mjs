// Sends the cases of standard input with an encoder of JavaScript: URLSearchParams, or that of axios.
import { readFileSync } from "node:fs";

const [, , encoder, axiosUrl] = process.argv;
const cases = JSON.parse(readFileSync(0, "utf8"));

async function withUrlSearchParams({ url, place, pairs }) {
  if (place === "header") return (await fetch(url, { headers: pairs })).status;
  if (place === "cookie") return (await fetch(url, { headers: { cookie: cookieOf(pairs) } })).status;
  const params = new URLSearchParams(pairs);
  if (place === "form") return (await fetch(url, { method: "POST", body: params })).status;
  return (await fetch(place === "path" ? `${url}/${encodeURIComponent(pairs[0][1])}` : `${url}?${params}`)).status;
}

/** As the package cookie writes it: percent-encoded. */
function cookieOf(pairs) {
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; ");
}

async function withAxios({ url, place, pairs }) {
  const { default: axios } = await import(axiosUrl);
  const params = {};
  for (const [name, value] of pairs) (params[name] ??= []).push(value);
  for (const name of Object.keys(params)) if (params[name].length === 1) [params[name]] = params[name];
  const options = {
    validateStatus: () => true,
    paramsSerializer: { indexes: null },
    formSerializer: { indexes: null },
  };
  if (place === "header") return (await axios.get(url, { ...options, headers: params })).status;
  if (place === "cookie") return (await axios.get(url, { ...options, headers: { cookie: cookieOf(pairs) } })).status;
  if (place === "query") return (await axios.get(url, { ...options, params })).status;
  if (place === "path") return (await axios.get(`${url}/${encodeURIComponent(pairs[0][1])}`, options)).status;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return (await axios.post(url, params, { ...options, headers })).status;
}

const send = encoder === "axios" ? withAxios : withUrlSearchParams;
const statuses = [];
for (const one of cases) statuses.push(await send(one));
process.stdout.write(JSON.stringify(statuses));
