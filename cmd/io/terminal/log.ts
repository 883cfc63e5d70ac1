import { jsonText, oneLine } from "../../../lib/http/one_line.ts";
import { createPaint, type Output, type Paint, paintedLine } from "./terminal.ts";

/** The log entry of a request. */
export interface RequestEntry {
  method: string;
  /** Path and query as the client wrote them. */
  target: string;
  status: number;
  /** The media type of the response's body; empty without a body. */
  mediaType: string;
  /** Where the body came from, such as an example of the definition. */
  source: string;
  /** Milliseconds until the response was ready. */
  duration: number;
  /** The violations of the request, and other remarks. */
  remarks?: readonly string[];
}

/** What was found out about a request after its entry was written. */
export interface LateEntry {
  method: string;
  target: string;
  status: number;
  /** What found it out: `body`, the check of a body that was passed on, or `recording`. */
  source: "body" | "recording";
  remarks: readonly string[];
}

/** The log entry of a callback or webhook that gw sent, or couldn't send. */
export interface DeliveryEntry {
  kind: "callback" | "webhook";
  /** Name of the callback or webhook. */
  name: string;
  method: string;
  /** The URL; absent if it couldn't be determined. */
  url?: string;
  /** The status of the response; absent without a response. */
  status?: number;
  /** Why there was no response: a sentence. */
  failure?: string;
  /** Milliseconds until the response; absent if nothing was sent. */
  duration?: number;
}

/** A message of the log: one line, or several. A text of a definition in a line doesn't divide it. */
export type LogMessage = string | readonly string[];

/** The log of a server. */
export interface Log {
  /** Writes a message, unless the log is quiet. The JSON format adds the fields. */
  note(message: LogMessage, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a message, even if the log is quiet. */
  say(message: LogMessage, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes an error to standard error. */
  complain(message: LogMessage, fields?: Readonly<Record<string, unknown>>): void;
  /** Adds the line of a request to the next batch. */
  request(entry: RequestEntry): void;
  /** Adds the lines of what was found out about a request later, if anything was. */
  late(entry: LateEntry): void;
  /**
   * Adds the line of a callback or webhook to the next batch. A failure is written even if the log is quiet.
   *
   * @param told `isKnown`: an earlier line gave the reason of this failure; the text format doesn't repeat it.
   */
  delivery(entry: DeliveryEntry, told?: { isKnown: boolean }): void;
}

export interface LogOptions {
  format: "text" | "json";
  /** Whether to leave out notes and the lines of requests. */
  quiet: boolean;
}

/** The number of characters that may wait to be written. While more wait, lines of requests are dropped and counted. */
const MOST_WAITING = 4 * 1024 * 1024;

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
    late: (entry) => {
      if (!options.quiet && entry.remarks.length > 0 && hasRoom()) stdout.write(format.late(entry));
    },
    delivery: (entry, { isKnown } = { isKnown: false }) => {
      if ((!options.quiet || entry.failure !== undefined) && hasRoom()) stdout.write(format.delivery(entry, isKnown));
    },
  };

  /** Tells whether a line may be added to those that wait to be written. If not, counts it as dropped. */
  function hasRoom(): boolean {
    if (stdout.waiting > MOST_WAITING) {
      leftOut++;
      return false;
    }
    if (leftOut > 0) {
      write(stdout, `${leftOut} lines left out: the reader of this log is slower than the server.`, { leftOut });
      leftOut = 0;
    }
    return true;
  }

  function write(output: Output, message: LogMessage, fields: Readonly<Record<string, unknown>> = {}): void {
    const lines = typeof message === "string" ? [message] : message;
    if (isJson) output.write(toJsonLine({ message: lines.join("\n"), ...fields }));
    else for (const line of lines) output.write(`${paintedLine(line, output.color)}\n`);
    void output.flush();
  }
}

/** How each kind of entry is formatted as a line. */
interface LineFormat {
  request(entry: RequestEntry): string;
  late(entry: LateEntry): string;
  delivery(entry: DeliveryEntry, isKnown: boolean): string;
}

function createTextFormat(paint: Paint): LineFormat {
  const timeOfDay = createTimeOfDay();
  const statuses = new Map<number, string>();

  return {
    request: ({ method, target, status, mediaType, source, duration, remarks }) => {
      const time = paint.dim(timeOfDay(Date.now()));
      const media = mediaType === "" ? "-" : mediaType;
      const answer = oneLine(`${media} ${source}`);
      const line = `${time} ${method} ${oneLine(target)} ${paintStatus(status)} ${answer} ${
        formatDuration(duration)
      }\n`;
      return remarks === undefined ? line : line + remarks.map(formatRemark).join("");
    },
    late: ({ method, target, status, source, remarks }) => {
      const time = paint.dim(timeOfDay(Date.now()));
      return `${time} ${method} ${oneLine(target)} ${paintStatus(status)} ${source}\n${
        remarks.map(formatRemark).join("")
      }`;
    },
    delivery: ({ kind, name, method, url = "-", status, failure, duration }, isKnown) => {
      const time = paint.dim(timeOfDay(Date.now()));
      const failed = paint.red(duration === undefined ? "unsent" : "failed");
      const outcome = status === undefined ? failed : paintStatus(status);
      const took = duration === undefined ? "" : ` ${formatDuration(duration)}`;
      const line = `${time} ${kind} ${oneLine(`${name} ${method} ${url}`)} ${outcome}${took}\n`;
      return failure === undefined || isKnown ? line : line + formatRemark(failure);
    },
  };

  function formatRemark(remark: string): string {
    return `  ${paint.yellow("!")} ${oneLine(remark)}\n`;
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
  late: toJsonLine,
  delivery: ({ kind, name, duration, ...rest }) =>
    toJsonLine({
      [kind]: name,
      ...rest,
      ...(duration === undefined ? {} : { duration: Number(formatNumber(duration)) }),
    }),
};

function toJsonLine(fields: object): string {
  return `${jsonText({ time: new Date().toISOString(), ...fields })}\n`;
}

/** Creates a formatter of times such as `15:04:05.678`. It formats the part up to the second once per second. */
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

/** Formats a duration: with two decimals below 10, without decimals above. */
function formatNumber(milliseconds: number): string {
  return String(milliseconds < 10 ? Math.round(milliseconds * 100) / 100 : Math.round(milliseconds));
}
