import { cleanLines, oneLine } from "../../lib/http/one_line.ts";
import { splitTarget } from "../../lib/http/url/url.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { INSTALLED } from "../../lib/cluster/install/installation.ts";
import { type Review, review, type ReviewOptions } from "../../lib/management/admission_review.ts";
import { UnreadBodyError } from "../../lib/http/limits/body_limits.ts";
import { BODIES } from "../io/bodies.ts";
import { readBody } from "../../lib/http/body.ts";
import { isObject } from "../../lib/schema/json/node.ts";

/** The largest body that is read, in bytes. It has an object before and after a change, each of at most 3 MB. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The most characters of a warning, and of all warnings together. The API server cuts off the rest. */
const LONGEST_WARNING = 256;
const MOST_WARNING_CHARACTERS = 4096;

/**
 * The `request` of an AdmissionReview.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request}
 */
interface AdmissionRequest {
  uid: string;
  /** The object after the write; absent for a deletion. */
  object: KubernetesObject | undefined;
}

/**
 * Makes the handler of the webhook. The API server sends it each custom resource for a review before it stores the
 * resource.
 */
export function createAdmissionHandler(options: ReviewOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (splitTarget(request.url).path !== INSTALLED.webhookPath) {
      return refuse(404, "Not Found", `Only ${INSTALLED.webhookPath} is answered here.`);
    }
    if (request.method !== "POST") return refuse(405, "Method Not Allowed", "An AdmissionReview is sent by POST.");
    const body = await readBody(request, MOST_BYTES, BODIES).catch((error: unknown) => {
      if (error instanceof UnreadBodyError) return error;
      throw error;
    });
    if (body instanceof UnreadBodyError) return problemResponse(body.problem, body.headers);
    if (body.kind === "too-large") return refuse(413, "Content Too Large", `At most ${MOST_BYTES} bytes are read.`);
    if (body.kind === "unknown-coding") return refuse(415, "Unsupported Media Type", `The body ${body.message}.`);
    if (body.kind === "broken") return refuse(400, "Bad Request", `The body can't be read: ${body.message}.`);
    const asked = readReview(body.bytes);
    if (asked === undefined) {
      return refuse(400, "Bad Request", "An AdmissionReview of admission.k8s.io/v1 is expected.");
    }
    const answer: Review = asked.object === undefined
      ? { kind: "taken", warnings: [] }
      : await review(asked.object, options);
    return Response.json({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: asked.uid, ...responseOf(answer) },
    });
  };
}

function responseOf(answer: Review): object {
  switch (answer.kind) {
    case "taken":
      return { allowed: true, warnings: fitting(answer.warnings) };
    case "refused":
      return { allowed: false, status: { code: 422, reason: "Invalid", message: cleanLines(answer.message) } };
    case "forbidden":
      return { allowed: false, status: { code: 403, reason: "Forbidden", message: cleanLines(answer.message) } };
  }
}

/** Returns the warnings that fit into the limits of the API server. */
function fitting(warnings: readonly string[]): string[] {
  const fits: string[] = [];
  let left = MOST_WARNING_CHARACTERS;
  for (const warning of warnings.map(oneLine)) {
    const shown = warning.length > LONGEST_WARNING ? `${warning.slice(0, LONGEST_WARNING - 1)}…` : warning;
    left -= shown.length;
    if (left < 0) break;
    fits.push(shown);
  }
  return fits;
}

function readReview(bytes: Uint8Array): AdmissionRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value) || value["kind"] !== "AdmissionReview" || !isObject(value["request"])) return undefined;
  const { uid, object } = value["request"];
  return typeof uid === "string" ? { uid, object: isKubernetesObject(object) ? object : undefined } : undefined;
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return isObject(value) && typeof value["apiVersion"] === "string" && typeof value["kind"] === "string" &&
    isObject(value["metadata"]) && typeof value["metadata"]["name"] === "string";
}

function refuse(status: number, title: string, detail: string): Response {
  return problemResponse({ title, status, detail });
}
