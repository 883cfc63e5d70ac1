import type { HeaderList } from "../../http/handler.ts";
import { exact, type Html, markup } from "../html.ts";
import type { View } from "./view.ts";

/** A request that a form begins with. */
export interface FormRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly body: string;
  /** The session to send it in; empty for the shared one. */
  readonly session: string;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/**
 * A form for a request that the page's script sends to the mock server, and to no other: its target is a path. Without
 * scripts it can be read and copied.
 */
export function sendForm(view: View, { method, target, headers, body, session }: FormRequest): Html {
  const named = session === ""
    ? headers
    : [...headers.filter(([name]) => name !== "x-gw-session"), ["x-gw-session", session] as const];
  const lines = named.map(([name, value]) => `${name}: ${value}`).join("\n");
  const methods = METHODS.includes(method) ? METHODS : [method, ...METHODS];
  return markup`<form data-send="${view.site.home}" action="${view.site.home}" method="get">
<div class="bar">
<label>Method <select name="method">${
    methods.map((name) => markup`<option${name === method && markup` selected`}>${name}</option>`)
  }</select></label>
<label class="grow">Path and query <input class="mono" name="target" value="${
    exact(target)
  }" required pattern="/.*"></label>
<button class="main">Send</button>
</div>
<div class="columns">
<label>Headers <textarea name="headers" rows="6" spellcheck="false">\n${exact(lines)}</textarea></label>
<label>Body <textarea name="body" rows="6" spellcheck="false">\n${exact(body)}</textarea></label>
</div>
<noscript><p class="muted">Sending takes scripts.</p></noscript>
<div data-result role="status" aria-live="polite"></div>
</form>`;
}
