/**
 * Forms that change something: each is a request to the control API, which this sends for the browser. So forms work
 * without scripts, and what they may do is what the API does.
 *
 * @module
 */
import { ErrorResponse, errorResponse } from "../../api/error_response.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";
import { messageOf } from "../../http/message.ts";
import { readForm } from "../form.ts";
import { type Html, type HtmlValue, markup } from "../html.ts";
import { ownPath } from "../login.ts";
import { seeOther } from "../site.ts";
import { sessionOf, type View } from "./view.ts";

/** A form whose fields are sent to the control API. */
export interface ApiForm {
  /** Method and path below the API's base path: `POST /rules`. */
  readonly call: string;
  /** The path to which the browser is led then. */
  readonly back: string;
  readonly body: HtmlValue;
}

/**
 * A form for a request to the control API. A field `text` is sent as plain text, a field `json` as JSON; others are the
 * members of an object: `name`, as a number `name:number`, as JSON `name:json`. Empty ones are left out.
 * With a field `_key`, the object has the member `value` under that key. `_name` stands for `{name}` in the path.
 */
export function apiForm(view: View, { call, back, body }: ApiForm): Html {
  return markup`<form method="post" action="${view.site.base}act">
<input type="hidden" name="_call" value="${call}"><input type="hidden" name="_back" value="${back}">
<input type="hidden" name="_session" value="${sessionOf(view).name}">
${body}
</form>`;
}

/** A button for a request to the control API without a body. */
export function apiButton(view: View, call: string, back: string, label: string, kind = ""): Html {
  return apiForm(view, { call, back, body: markup`<button class="${kind}">${label}</button>` });
}

/**
 * Answers `POST …/act`: sends the request of a form, and leads back to the page.
 *
 * @throws {ErrorResponse} With the problem of the control API.
 */
export async function act(view: View): Promise<Response> {
  const { request, context: { api, server: { controlPath, handlers } }, site } = view;
  const form = await readForm(request, handlers.bodies);
  const [method = "", written = ""] = (form.get("_call") ?? "").split(" ");
  const path = written.replace("{name}", encodeURIComponent(form.get("_name") ?? ""));
  const url = new URL(controlPath + path.replace(/^\//, ""), request.url);
  const back = ownPath(site, form.get("_back"));
  const session = form.get("_session") ?? "";
  if (session !== "") url.searchParams.set("session", session);
  const content = contentOf(form);
  if (content.kind === "refused") throw errorResponse(400, content.detail);
  const { body, mediaType } = content;
  const response = await api(
    new Request(url, {
      method,
      headers: body === undefined ? {} : {
        "content-type": mediaType,
        "content-length": String(new TextEncoder().encode(body).length),
      },
      ...body === undefined ? {} : { body },
    }),
  );
  if (!response.ok) throw new ErrorResponse(response);
  await response.body?.cancel();
  return seeOther(back);
}

type FormContent =
  | { kind: "content"; body?: string; mediaType: string }
  | { kind: "refused"; detail: string };

function contentOf(form: URLSearchParams): FormContent {
  const text = form.get("text");
  if (text !== null) return { kind: "content", body: text, mediaType: "text/plain" };
  const json = form.get("json");
  if (json !== null) return { kind: "content", body: json, mediaType: "application/json" };
  const fields = [...form].filter(([name, value]) => !name.startsWith("_") && value !== "");
  if (fields.length === 0) return { kind: "content", mediaType: "" };
  const members = new Map<string, unknown>();
  for (const [field, value] of fields) {
    const [, name = "", type] = /^(.*?)(?::(number|json))?$/s.exec(field) ?? [];
    try {
      members.set(name, type === undefined ? value : type === "number" ? Number(value) : readJsonText(value));
    } catch (error) {
      return { kind: "refused", detail: `What was written as JSON isn't: ${messageOf(error)}.` };
    }
  }
  const key = form.get("_key");
  const content = key === null ? Object.fromEntries(members) : { [key]: members.get("value") };
  return { kind: "content", body: writeJson(content), mediaType: "application/json" };
}
