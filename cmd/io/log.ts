import type { Output } from "./terminal.ts";
import { createPaint, type Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";

/** What the log says of a request. */
export interface RequestEntry {
  method: string;
  /** Path and query as the client wrote them. */
  target: string;
  status: number;
  /** Media type of the body; empty without one. */
  mediaType: string;
  /** What the body came from. */
  source: string;
  /** How long the answer took to make, in milliseconds. */
  duration: number;
  /** What is wrong with the request, if anything. */
  remarks?: readonly string[];
}

/** What the log says of a request that gw itself sent, or couldn't send. */
export interface DeliveryEntry {
  kind: "callback" | "webhook";
  /** Name of the callback or webhook. */
  name: string;
  method: string;
  /** Where it went; absent where that couldn't be found out. */
  url?: string;
  /** What the receiver answered, if it did. */
  status?: number;
  /** Why there was no answer: a sentence. */
  failure?: string;
  /** How long the receiver took, in milliseconds; absent where nothing was sent. */
  duration?: number;
}

/** What a server says while it runs. */
export interface Log {
  /** Says something at once, unless it is to be quiet; `fields` are what a program reads of it in JSON. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Says something at once, quiet or not. */
  say(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Says what is wrong, on standard error. */
  complain(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Adds the line of a request to the next batch. */
  request(entry: RequestEntry): void;
  /**
   * Adds the line of a callback or webhook to the next batch; what failed is told also when the log is quiet.
   *
   * @param told `isKnown`: why there was no answer was said before, so that a person needs no second line for it.
   */
  delivery(entry: DeliveryEntry, told?: { isKnown: boolean }): void;
}

/** How the log is written. */
export interface LogOptions {
  format: "text" | "json";
  /** No notes and no lines of requests. */
  quiet: boolean;
}

/** Characters that may wait for a slow reader; beyond this, lines of requests are left out and counted. */
const MOST_WAITING = 4 * 1024 * 1024;

/** Characters that nearly every target is made of, and that are harmless. */
const VISIBLE = /^[\x21-\x7e]*$/;

/** Makes a log. */
export function createLog(platform: { stdout: Output; stderr: Output }, options: LogOptions): Log {
  const { stdout, stderr } = platform;
  const isJson = options.format === "json";
  const format = isJson ? JSON_FORMAT : createTextFormat(createPaint(stdout.color));
  let leftOut = 0;

  return {
    note: (message, fields) => {
      if (!options.quiet) write(stdout, message, fields);
    },
    say: (message, fields) => write(stdout, message, fields),
    complain: (message, fields) => write(stderr, message, fields),
    request: options.quiet ? () => {} : (entry) => {
      if (hasRoom()) stdout.write(format.request(entry));
    },
    delivery: (entry, { isKnown } = { isKnown: false }) => {
      if ((!options.quiet || entry.failure !== undefined) && hasRoom()) stdout.write(format.delivery(entry, isKnown));
    },
  };

  /** Whether one more line can wait to be written; one that can't is counted. */
  function hasRoom(): boolean {
    if (stdout.waiting > MOST_WAITING) {
      leftOut++;
      return false;
    }
    if (leftOut > 0) {
      write(stdout, `${leftOut} lines left out: whoever reads this log is slower than the server.`, { leftOut });
      leftOut = 0;
    }
    return true;
  }

  function write(output: Output, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    output.write(isJson ? toJsonLine({ message, ...fields }) : `${message}\n`);
    void output.flush();
  }
}

/** How lines are written. */
interface LineFormat {
  request(entry: RequestEntry): string;
  delivery(entry: DeliveryEntry, isKnown: boolean): string;
}

function createTextFormat(paint: Paint): LineFormat {
  const timeOfDay = createTimeOfDay();
  const statuses = new Map<number, string>();

  return {
    request: ({ method, target, status, mediaType, source, duration, remarks }) => {
      const time = paint.dim(timeOfDay(Date.now()));
      const media = mediaType === "" ? "-" : mediaType;
      const asked = VISIBLE.test(target) ? target : printable(target);
      const line = `${time} ${method} ${asked} ${paintStatus(status)} ${media} ${source} ${formatDuration(duration)}\n`;
      return remarks === undefined ? line : line + remarks.map(formatRemark).join("");
    },
    delivery: ({ kind, name, method, url = "-", status, failure, duration }, isKnown) => {
      const time = paint.dim(timeOfDay(Date.now()));
      const failed = paint.red(duration === undefined ? "unsent" : "failed");
      const outcome = status === undefined ? failed : paintStatus(status);
      const took = duration === undefined ? "" : ` ${formatDuration(duration)}`;
      const line = `${time} ${kind} ${printable(`${name} ${method} ${url}`)} ${outcome}${took}\n`;
      return failure === undefined || isKnown ? line : line + formatRemark(failure);
    },
  };

  function formatRemark(remark: string): string {
    return `  ${paint.yellow("!")} ${printable(remark)}\n`;
  }

  function paintStatus(status: number): string {
    let painted = statuses.get(status);
    if (painted === undefined) {
      const color = status < 300 ? paint.green : status < 400 ? paint.cyan : status < 500 ? paint.yellow : paint.red;
      painted = color(String(status));
      statuses.set(status, painted);
    }
    return painted;
  }
}

const JSON_FORMAT: LineFormat = {
  request: ({ duration, ...rest }) => toJsonLine({ ...rest, duration: Number(formatNumber(duration)) }),
  delivery: ({ kind, name, duration, ...rest }) =>
    toJsonLine({
      [kind]: name,
      ...rest,
      ...(duration === undefined ? {} : { duration: Number(formatNumber(duration)) }),
    }),
};

function toJsonLine(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`;
}

/** Formats times of day, `15:04:05.678`; the part that changes once a second is made once a second. */
function createTimeOfDay(): (time: number) => string {
  let second = -1;
  let prefix = "";
  return (time) => {
    const now = Math.floor(time / 1000);
    if (now !== second) {
      second = now;
      prefix = new Date(time).toTimeString().slice(0, 8);
    }
    return `${prefix}.${String(time - now * 1000).padStart(3, "0")}`;
  };
}

function formatDuration(milliseconds: number): string {
  return `${formatNumber(milliseconds)} ms`;
}

/** Two decimals below ten, none above. */
function formatNumber(milliseconds: number): string {
  return String(milliseconds < 10 ? Math.round(milliseconds * 100) / 100 : Math.round(milliseconds));
}
