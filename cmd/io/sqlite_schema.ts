import type { DatabaseSync } from "node:sqlite";

/**
 * The steps from an empty file to the schema of today, each from the version of its place to the next. A step that was
 * released stays as it is: files of that version exist.
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

/** The version of the schema; SQLite keeps it in the file as `user_version`. */
export const SCHEMA_VERSION = STEPS.length;

/**
 * Brings a database to the schema of today, in one transaction.
 *
 * @param steps The steps, for tests. Default: those of this program.
 */
export function migrate(database: DatabaseSync, steps: readonly string[] = STEPS): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version >= steps.length) return;
  database.exec(`BEGIN IMMEDIATE; ${steps.slice(version).join("")} PRAGMA user_version = ${steps.length}; COMMIT`);
}
