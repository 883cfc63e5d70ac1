import { errorResponse } from "../../api/error_response.ts";
import type { Resource } from "../../mock/infer/resource.ts";
import type { Item } from "../../mock/state/item/item.ts";
import { writeJson } from "../../schema/json/json.ts";
import { exact, type Html, type HtmlValue, markup } from "../html.ts";
import { countText, table } from "../parts.ts";
import { apiButton, apiForm } from "./act.ts";
import { keyOf, nameOfSession, respond, sessionChoice, sessionOf, urlOf, type View } from "./view.ts";

/** Limits of what a table of items shows. */
const MOST_ITEMS = 200;
const MOST_COLUMNS = 6;
const LONGEST = 80;

/** The state of a session: resources with their items, snapshots, the clock; and all sessions. */
export async function statePage(view: View): Promise<Response> {
  const { query, context: { server: { resources } } } = view;
  const session = sessionOf(view);
  const all = resources?.all ?? [];
  const name = query.get("resource");
  const chosen = name === undefined ? all[0] : all.find((resource) => resource.name === name);
  if (name !== undefined && chosen === undefined) throw errorResponse(404, `There is no resource ${name}.`);
  const back = urlOf(view, "state", { session: session.name, resource: chosen?.name ?? "" });
  const body = markup`<div class="heading"><h1>State</h1><div class="actions">
${apiButton(view, "DELETE /state", back, "Reset the state")}
${apiButton(view, "POST /reset", back, "Reset everything", "danger")}
</div></div>
${
    all.length === 0
      ? markup`<div class="card empty"><p>No operation is stateful: start <code>gw mock</code> with <code>--stateful</code>.</p></div>`
      : markup`<nav class="bar" aria-label="Resources">${
        all.map((resource) =>
          markup`<a class="button" href="${urlOf(view, "state", { session: session.name, resource: resource.name })}"${
            resource === chosen && markup` aria-current="true"`
          }>${resource.name}</a>`
        )
      }</nav>`
  }
${chosen !== undefined && await itemsCard(view, chosen, back)}
<div class="columns">
${sessionsCard(view)}
${snapshotsCard(view, back)}
${clockCard(view, back)}
</div>`;
  return respond(view, { title: "State", current: "state", body, aside: sessionChoice(view, "state") });
}

async function itemsCard(view: View, resource: Resource, back: string): Promise<Html> {
  const { state } = sessionOf(view);
  await state.prepare(resource.name);
  const items = [...state.list(resource.name, resource.scope.map(() => undefined))];
  const shown = items.slice(0, MOST_ITEMS);
  const properties = [...new Set(shown.flatMap(({ value }) => Object.keys(value)))].slice(0, MOST_COLUMNS);
  const path = `/state/${encodeURIComponent(resource.name)}`;
  const columns = [
    ...resource.scope.map(({ parameter }) => ({ label: parameter, kind: "tight" })),
    ...properties.map((label) => ({ label })),
    { label: markup`<span class="unseen">Change</span>`, kind: "tight" },
  ];
  const creates = resource.bindings.filter(({ kind }) => kind === "create");
  return markup`<section class="card"><div class="heading"><h2>${resource.name}</h2>
<p class="muted">${countText(items.length, "item")}${
    items.length > shown.length && `, the first ${MOST_ITEMS} are shown`
  }</p></div>
${
    shown.length === 0 ? markup`<p class="muted">It has no items.</p>` : table(
      `Items of ${resource.name}`,
      columns,
      shown.map((item) => [
        ...item.scope,
        ...properties.map((name) => shortValue(item.value[name])),
        changeOf(view, item, path, back),
      ]),
    )
  }
<div class="actions">
${
    creates.map(({ operation }) =>
      markup`<a class="button" href="${urlOf(view, "operation", { of: keyOf(operation) })}">Add by ${
        keyOf(operation)
      }</a>`
    )
  }
${apiButton(view, `DELETE ${path}`, back, "Reset its items")}
</div>
${
    resource.scope.length === 0 && !resource.isSingleton &&
    markup`<details><summary>Add an item</summary>${
      apiForm(view, {
        call: `PATCH ${path}`,
        back,
        body: markup`<label>${resource.id.join(".")} <input name="_key" required></label>
<label>Item, as JSON <textarea name="value:json" rows="5" required spellcheck="false">{"${
          resource.id[0] ?? "id"
        }": }</textarea></label>
<button>Add</button>`,
      })
    }</details>`
  }
</section>`;
}

function changeOf(view: View, { key, value }: Item, path: string, back: string): Html {
  return markup`<details><summary>Change</summary>
${
    apiForm(view, {
      call: `PATCH ${path}`,
      back,
      body:
        markup`<label>${key} as JSON; null removes a property <textarea name="value:json" rows="8" cols="40" spellcheck="false">\n${
          exact(JSON.stringify(value, undefined, 2))
        }</textarea></label><input type="hidden" name="_key" value="${exact(key)}"><button>Save</button>`,
    })
  }
${
    apiForm(view, {
      call: `PATCH ${path}`,
      back,
      body: markup`<input type="hidden" name="_key" value="${
        exact(key)
      }"><input type="hidden" name="value:json" value="null">
<button class="quiet danger">Delete</button>`,
    })
  }</details>`;
}

function shortValue(value: unknown): HtmlValue {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : writeJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Limit of the sessions that are shown. */
const MOST_SESSIONS = 100;

function sessionsCard(view: View): Html {
  const sessions = view.context.server.sessions.list();
  const back = urlOf(view, "state");
  return markup`<section class="card"><h2>Sessions</h2>
${
    table(
      "Sessions",
      [
        { label: "Session" },
        { label: "Requests", kind: "number" },
        { label: "Rules", kind: "number" },
        { label: markup`<span class="unseen">Delete</span>`, kind: "tight" },
      ],
      sessions.slice(0, MOST_SESSIONS).map(({ name, journal, rules }) => [
        markup`<a href="${urlOf(view, "state", { session: name })}">${nameOfSession(name)}</a>`,
        journal?.size ?? 0,
        rules.size,
        name !== "" && apiButton(view, `DELETE /sessions/${encodeURIComponent(name)}`, back, "Delete", "quiet danger"),
      ]),
    )
  }
${
    apiForm(view, {
      call: "POST /sessions",
      back,
      body: markup`<div class="bar"><label class="grow">A copy of ${
        nameOfSession(sessionOf(view).name)
      } with the name <input name="name" required pattern="[A-Za-z0-9._~\\-]+"></label><button>Fork</button></div>`,
    })
  }</section>`;
}

function snapshotsCard(view: View, back: string): Html {
  const { snapshots } = sessionOf(view);
  return markup`<section class="card"><h2>Snapshots</h2>
${
    snapshots.length > 0 &&
    table(
      "Snapshots",
      [{ label: "Name" }, { label: markup`<span class="unseen">Change</span>`, kind: "tight" }],
      snapshots.map((name) => {
        const path = `/snapshots/${encodeURIComponent(name)}`;
        return [
          name,
          markup`<div class="actions">${apiButton(view, `POST ${path}/restore`, back, "Restore")}${
            apiButton(view, `DELETE ${path}`, back, "Delete", "quiet danger")
          }</div>`,
        ];
      }),
    )
  }
${
    apiForm(view, {
      call: "PUT /snapshots/{name}",
      back,
      body:
        markup`<div class="bar"><label class="grow">Name <input name="_name" required pattern="[A-Za-z0-9._~\\-]+"></label>
<button>Take a snapshot</button></div>`,
    })
  }</section>`;
}

function clockCard(view: View, back: string): Html {
  const { clock } = sessionOf(view);
  return markup`<section class="card"><h2>Clock</h2>
<p><span class="mono">${new Date(clock.now()).toISOString()}</span>${clock.isStopped && " (stopped)"}</p>
${
    apiForm(view, {
      call: "PUT /clock",
      back,
      body:
        markup`<div class="bar"><label class="grow">Set to <input name="time" required placeholder="2026-01-01T12:00:00Z"></label>
<button>Set</button></div>`,
    })
  }
${
    apiForm(view, {
      call: "POST /clock/advance",
      back,
      body:
        markup`<div class="bar"><label class="grow">Advance by ms <input name="milliseconds:number" type="number" required></label>
<button>Advance</button></div>`,
    })
  }
<div class="actions">
${
    apiForm(view, {
      call: "PUT /clock",
      back,
      body: markup`<input type="hidden" name="isStopped:json" value="${String(!clock.isStopped)}"><button>${
        clock.isStopped ? "Start" : "Stop"
      }</button>`,
    })
  }
${apiButton(view, "DELETE /clock", back, "Reset")}
</div></section>`;
}
