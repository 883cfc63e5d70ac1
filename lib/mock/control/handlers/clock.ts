import { isClockTime } from "../../session/clock.ts";
import type { Session } from "../../session/session.ts";
import { readJson } from "../content.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { invalidBody } from "../invalid_body.ts";
import { emptyResponse, jsonResponse } from "../responses.ts";

/** `GET /clock` */
export function getClock({ session }: ControlCall): Response {
  return jsonResponse(represent(session));
}

/** `PUT /clock` */
export async function setClock(call: ControlCall, context: ControlContext): Promise<Response> {
  const { clock } = call.session;
  // The cast is safe: `readJson` has validated the body.
  const { time, isStopped } = await readJson(call, context) as { time?: string; isStopped?: boolean };
  const wanted = time === undefined ? undefined : inRange(Date.parse(time), "/time");
  if (isStopped === true) clock.stop();
  if (isStopped === false) clock.start();
  if (wanted !== undefined) clock.set(wanted);
  return jsonResponse(represent(call.session));
}

/** `POST /clock/advance` */
export async function advanceClock(call: ControlCall, context: ControlContext): Promise<Response> {
  const { clock } = call.session;
  const { milliseconds } = await readJson(call, context) as { milliseconds: number };
  inRange(clock.now() + milliseconds, "/milliseconds");
  clock.advance(milliseconds);
  return jsonResponse(represent(call.session));
}

/** `DELETE /clock` */
export function resetClock({ session }: ControlCall): Response {
  session.clock.reset();
  return emptyResponse();
}

function inRange(time: number, pointer: string): number {
  if (isClockTime(time)) return time;
  throw invalidBody([{ pointer, detail: "The time must be one of the years 1 to 9999." }]);
}

function represent({ clock }: Session) {
  return { time: new Date(clock.now()).toISOString(), offset: clock.offset, isStopped: clock.isStopped };
}
