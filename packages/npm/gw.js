#!/usr/bin/env node
/**
 * The command `gw` of the npm package: runs the executable of the optional package for this platform, or the bundle
 * with Deno where there is no such package, or its executable can't be started.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const FOLDER = dirname(fileURLToPath(import.meta.url));
/** What the package was made with; scripts/package/npm_command.ts writes it. */
const { name, version, platforms, denoFlags } = JSON.parse(readFileSync(join(FOLDER, "launch.json"), "utf8"));
const isWindows = process.platform === "win32";
const platform = `${process.platform}-${process.arch}`;

/** Exit code where neither an executable nor Deno is found, as in gw: the environment is at fault. */
const NOT_FOUND = 3;

/** The file of another package, or `undefined` if the package isn't installed. */
function fileOf(packageName, file, require = createRequire(import.meta.url)) {
  try {
    const path = join(dirname(require.resolve(`${packageName}/package.json`)), file);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The Deno of the npm package `deno`, of this program itself, or of the PATH. */
function findDeno() {
  const file = isWindows ? "deno.exe" : "deno";
  const packageName = `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`;
  const manifest = fileOf("deno", "package.json");
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return fileOf(packageName, file) ??
    (manifest === undefined ? undefined : fileOf(packageName, file, createRequire(manifest))) ??
    (process.versions.deno === undefined ? undefined : process.execPath) ??
    folders.map((folder) => join(folder, file)).find((path) => existsSync(path));
}

/** The programs that can be gw, each with its first arguments; the preferred one comes first. */
function findPrograms() {
  const executable = fileOf(`@${name}/${platform}`, join("bin", isWindows ? "gw.exe" : "gw"));
  const deno = findDeno();
  return [
    ...(executable === undefined ? [] : [[executable]]),
    ...(deno === undefined ? [] : [[deno, "run", ...denoFlags, join(FOLDER, "bundle", "main.js")]]),
  ];
}

/**
 * Starts the first program that can be started in place of this one: with its input and outputs, its signals and its exit
 * code. Package managers that don't know the field `libc` install the executable for glibc on systems with musl too,
 * where it can't be started.
 */
function run([[file, ...first], ...others]) {
  const child = spawn(file, [...first, ...process.argv.slice(2)], { stdio: "inherit" });
  child.on("error", ({ message }) => {
    if (others.length > 0) run(others);
    else fail(isMusl() ? adviceFor() : `Cannot start ${file}: ${message}.`);
  });
  // An error follows.
  if (child.pid === undefined) return;
  // Deno's child.kill() reports the signal as the end of a process that then exits with a code.
  const send = (signal) => {
    try {
      process.kill(child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both processes. gw takes both signals for one; on Windows, sending one is killing.
      if (signal !== "SIGINT" || !isWindows) send(signal);
    });
  }
  // npx passes a signal to its shell only. The shell ends, and this process would remain without a parent.
  if (process.env.npm_command === "exec" && !isWindows) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      send("SIGTERM");
    }, 500);
  }
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = NOT_FOUND;
}

/** Whether the system has musl. Node tells the version of glibc; with musl there is none. */
function isMusl() {
  const { header } = process.report?.getReport() ?? {};
  return process.platform === "linux" && header !== undefined && header.glibcVersionRuntime === undefined;
}

/** What is missing, and what to do. */
function adviceFor() {
  const hasMusl = isMusl();
  if (!platforms.includes(platform) || hasMusl) {
    return `There is no executable of gw for ${platform}${hasMusl ? " with musl" : ""}, and no Deno to run it with.\n` +
      "Install Deno by the package manager of your system, or with npm: npm install deno";
  }
  return `The executable of gw is missing: the package @${name}/${platform} isn't installed, as with --omit=optional.\n` +
    `Install it: npm install ${name}@${version} @${name}/${platform}@${version}`;
}

const programs = findPrograms();
if (programs.length === 0) fail(adviceFor());
else run(programs);
