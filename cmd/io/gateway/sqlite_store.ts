import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { createMemoryStore, type PersistedChange } from "../../../lib/management/memory_store.ts";
import type { Store, StoredResource } from "../../../lib/management/store.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { readRow } from "./stored_row.ts";

export interface SqliteStoreOptions {
  /** The path of the file, which is created if missing. `:memory:` stores nothing on disk. */
  path: string;
  /** The time, in milliseconds since 1970. */
  now: () => number;
  /** The largest size of the file, in pages of 4 KiB. Default: no limit. */
  mostPages?: number;
}

/** An open store, or the reason why it can't be opened. */
export type OpenedStore =
  | {
    kind: "open";
    store: Store;
    close: () => void;
    /** A warning, as a sentence: the disk is full, so the store can be read but not written. */
    warning?: string;
  }
  | { kind: "refused"; message: string };

/** SQLite's primary result codes. @see {@link https://www.sqlite.org/rescode.html SQLite, Result Codes} */
const CODE = { error: 1, busy: 5, corrupt: 11, full: 13, notADatabase: 26 } as const;

/**
 * The bytes of free space without which SQLite can't open a file. It needs them for the index of the write-ahead log.
 */
const FREE_BYTES_TO_OPEN = 32 * 1024;

/** The value of `Retry-After`, in seconds, in the response to a change that can't be written. */
const RETRY_AFTER = 5;

/**
 * Milliseconds to wait for the lock of another process. A gw that is being stopped and replaced by this process usually
 * ends within this time.
 */
const LOCK_TIMEOUT = 300;

/** The number of broken rows that a message names. */
const MOST_LISTED = 5;

/** The result of `PRAGMA quick_check` for an intact file. */
const WHOLE = "ok";

/**
 * Opens a store in an SQLite file, which this process locks until it closes the store. Each change is one transaction,
 * durable when acknowledged. Resources are read once; later reads are served from memory.
 *
 * A damaged file isn't changed.
 */
export function openSqliteStore({ path, now, mostPages }: SqliteStoreOptions): OpenedStore {
  let database: DatabaseSync | undefined;
  const isDiskFull = !hasRoom(path);
  try {
    if (isFile(path)) examine(path, isDiskFull);
    database = new DatabaseSync(path);
    configure(database, mostPages);
    migrate(database);
    const backing = { ...readAll(database), persist: createKeeper(database, path) };
    const opened = database;
    return {
      kind: "open",
      store: createMemoryStore(now, backing),
      close: () => opened.close(),
      ...(isDiskFull ? { warning: noRoom(path) } : {}),
    };
  } catch (error) {
    database?.close();
    return { kind: "refused", message: openErrorOf(path, error, isDiskFull) };
  }
}

/**
 * Checks the integrity of a file without writing to it, so that a damaged file can still be rescued.
 *
 * @param isDiskFull Whether the disk has no room for the index of the write-ahead log. Then the connection is exclusive,
 * which keeps that index in memory. SQLite can't open an exclusive connection read-only.
 * @see {@link https://www.sqlite.org/wal.html#noshm SQLite, Use of WAL Without Shared-Memory}
 */
function examine(path: string, isDiskFull: boolean): void {
  const database = new DatabaseSync(path, { readOnly: !isDiskFull });
  try {
    first(database, `PRAGMA busy_timeout = ${LOCK_TIMEOUT}`);
    if (isDiskFull) first(database, "PRAGMA locking_mode = EXCLUSIVE");
    const version = Number(first(database, "PRAGMA user_version"));
    if (version > SCHEMA_VERSION) throw new TooNewError(version);
    const found = first(database, "PRAGMA quick_check(1)");
    // Drop the first line of SQLite's message, which says nothing but the name of the database.
    if (found !== WHOLE) throw new DamagedError(String(found).replace(/^\*{3}.*\n/, ""));
  } finally {
    database.close();
  }
}

function configure(database: DatabaseSync, mostPages: number | undefined): void {
  first(database, `PRAGMA busy_timeout = ${LOCK_TIMEOUT}`);
  // The first transaction takes the lock. The system releases it when the process ends, also after a crash.
  first(database, "PRAGMA locking_mode = EXCLUSIVE");
  first(database, "PRAGMA journal_mode = WAL");
  run(database, "PRAGMA synchronous = FULL");
  if (mostPages !== undefined) first(database, `PRAGMA max_page_count = ${mostPages}`);
  run(database, "BEGIN IMMEDIATE");
  run(database, "COMMIT");
}

function readAll(database: DatabaseSync): { resources: StoredResource[]; revision: number } {
  const rows = database.prepare("SELECT kind, namespace, name, version, created, spec FROM resource").all();
  const revision = first(database, "SELECT value FROM counter WHERE name = 'revision'");
  const read = rows.map(readRow);
  const resources = read.flatMap((row) => row.kind === "read" ? [row.resource] : []);
  const broken = read.flatMap((row) => row.kind === "broken" ? [row.reason] : []);
  // A version is never given twice, so the counter must be at least the highest one.
  const highest = resources.reduce((highest, { version }) => Math.max(highest, Number(version)), 0);
  if (typeof revision !== "number" || revision < highest) {
    broken.push(`the revision in the table counter is ${revision ?? "missing"}; it must be ${highest} or more`);
  }
  if (broken.length > 0) throw new BrokenRowsError(broken);
  return { resources, revision: Number(revision) };
}

/** Creates the functions that write the store's changes to the database. */
function createKeeper(
  database: DatabaseSync,
  path: string,
): (changes: readonly PersistedChange[], revision: number) => void {
  const write = database.prepare(
    "INSERT OR REPLACE INTO resource (kind, namespace, name, version, created, spec) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM resource WHERE kind = ? AND namespace = ? AND name = ?");
  const count = database.prepare("UPDATE counter SET value = ? WHERE name = 'revision'");

  return (changes, revision) => {
    try {
      run(database, "BEGIN IMMEDIATE");
      for (const change of changes) keep(change);
      count.run(revision);
      run(database, "COMMIT");
    } catch (error) {
      undo();
      throw storeError(path, error);
    }
  };

  function keep({ kind, resource }: PersistedChange): void {
    const key = [resource.kind, resource.namespace, resource.name] as const;
    if (kind === "delete") remove.run(...key);
    else write.run(...key, resource.version, resource.created, JSON.stringify(resource.spec));
  }

  function undo(): void {
    try {
      run(database, "ROLLBACK");
    } catch {
      // SQLite may have rolled the transaction back itself, as it does if the disk is full.
    }
  }
}

function storeError(path: string, error: unknown): StoreError {
  if (codeOf(error) === CODE.full) {
    const message = `There is no room left for ${path}; nothing was changed. Make room on its disk and try again.`;
    return new StoreError("full", message, { cause: error });
  }
  const message = `${path} can't be written: ${messageOf(error)}. Nothing was changed.`;
  return new StoreError("unavailable", message, { cause: error, retryAfter: RETRY_AFTER });
}

class DamagedError extends Error {}

/** The file is intact, but another program has written rows that gw can't read. */
class BrokenRowsError extends Error {
  /** @param reasons Each row, with what is wrong in it. */
  constructor(reasons: readonly string[]) {
    const rest = reasons.length - MOST_LISTED;
    super([...reasons.slice(0, MOST_LISTED), ...(rest > 0 ? [`${rest} more`] : [])].join("; "));
  }
}

/** The file was written by a later version of gw. */
class TooNewError extends Error {
  constructor(version: number) {
    super(`it has version ${version}, this gw knows ${SCHEMA_VERSION} at most`);
  }
}

function openErrorOf(path: string, error: unknown, isDiskFull: boolean): string {
  if (error instanceof TooNewError) {
    return `Cannot use the store ${path}: a later gw has written it (${error.message}). Use that gw, or another --data.`;
  }
  if (error instanceof BrokenRowsError) {
    return `Cannot read the store ${path}, which was left as it is: ${error.message}. ` +
      "Correct the rows, put a backup in its place, or move it away to begin with an empty store.";
  }
  switch (codeOf(error)) {
    case CODE.busy:
      return `Another process uses the store ${path}. Stop that one, or choose another folder with --data.`;
    case CODE.corrupt:
    case CODE.notADatabase:
      return damaged(path, messageOf(error));
    case CODE.full:
      return `Cannot use the store ${path}: ${NO_ROOM}`;
    default:
      if (isDiskFull) return `Cannot use the store ${path}: ${NO_ROOM}`;
      // `error` is the code of a statement that doesn't fit the tables: one of them was dropped or changed.
      return error instanceof DamagedError || codeOf(error) === CODE.error
        ? damaged(path, messageOf(error))
        : `Cannot open the store ${path}: ${messageOf(error)}.`;
  }
}

const NO_ROOM = "there is no room left on its disk. Make room, or choose another folder with --data.";

function noRoom(path: string): string {
  return `There is no room left on the disk of ${path}: what is stored is served, and no change is taken until there is room.`;
}

/** Tells whether the disk has room for a small file. An error other than a full disk counts as room. */
function hasRoom(path: string): boolean {
  if (path === ":memory:") return true;
  const probe = `${path}-room`;
  try {
    Deno.writeFileSync(probe, new Uint8Array(FREE_BYTES_TO_OPEN));
    return true;
  } catch (error) {
    // A full disk, or an exhausted quota.
    return !/\b(ENOSPC|EDQUOT)\b|os error (28|122)\b/.test(
      `${error instanceof Error && "code" in error ? error.code : ""} ${error}`,
    );
  } finally {
    try {
      Deno.removeSync(probe);
    } catch {
      // No file was created.
    }
  }
}

function damaged(path: string, reason: string): string {
  return `The store ${path} is damaged, and was left as it is: ${reason}. ` +
    "Put a backup in its place, or move it away to begin with an empty store.";
}

/** Runs a prepared statement. Unlike errors of `exec`, its errors have SQLite's result code. */
function run(database: DatabaseSync, sql: string): void {
  database.prepare(sql).run();
}

/** Runs a statement, and returns the first value of the first row. */
function first(database: DatabaseSync, sql: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

/** The primary result code of an SQLite error: the low byte of its extended code. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

function isFile(path: string): boolean {
  try {
    // An empty file counts as missing. SQLite leaves one behind if the process ends before the first transaction.
    return path !== ":memory:" && Deno.statSync(path).size > 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * The migrations. The one at index N migrates a file from schema version N to N + 1; version 0 is an empty file. Never
 * change a released migration: files of its version exist.
 */
const STEPS: readonly string[] = [
  `
  CREATE TABLE resource (
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    spec TEXT NOT NULL,
    PRIMARY KEY (kind, namespace, name)
  ) STRICT;
  CREATE TABLE counter (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO counter (name, value) VALUES ('revision', 0);
  `,
];

/** The current schema version. SQLite stores it in the file as `user_version`. */
export const SCHEMA_VERSION = STEPS.length;

/**
 * Migrates a database to the current schema, in one transaction.
 *
 * @param steps The migrations, for tests. Default: those of this program.
 */
export function migrate(database: DatabaseSync, steps: readonly string[] = STEPS): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version >= steps.length) return;
  database.exec(`BEGIN IMMEDIATE; ${steps.slice(version).join("")} PRAGMA user_version = ${steps.length}; COMMIT`);
}
