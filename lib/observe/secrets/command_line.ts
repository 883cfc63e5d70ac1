/**
 * Finds secrets in command lines and in lines of .netrc files.
 *
 * @module
 */
import type { SecretNameTest } from "../../names/secret_names.ts";
import { pairValue } from "./secret_pair.ts";
import type { Span } from "./span.ts";

/** A flag with its name, before its value: `--password …`. Values after `=` are found as pairs. */
const FLAG = /(?<![\w-])--?([A-Za-z][\w-]{2,40})[ \t]+(?!-)/g;

/** Commands whose flags don't say that their value is a secret. Each pattern ends where the secret begins. */
const COMMANDS: readonly { readonly names: RegExp; readonly flag: RegExp }[] = [
  { names: /^curl/, flag: /[ \t](?:-[a-zA-Z]*[uU]|--user|--proxy-user)(?:[ \t]*|=)\\?["']?[^\s:"']{0,256}:/g },
  { names: /^sshpass/, flag: /[ \t]-p[ \t]*/g },
  { names: /^(?:mysql|mariadb)/, flag: /[ \t]-p(?=[^\s])/g },
  { names: /^(?:docker|podman|nerdctl|helm|az|oc)/, flag: /[ \t]login[ \t](?:[^\n]{0,500}?[ \t])??-p[ \t]+/g },
  { names: /^redis-cli/, flag: /[ \t]-a[ \t]+/g },
  { names: /^ldap/, flag: /[ \t]-w[ \t]+/g },
  { names: /^(?:https?|xh)/, flag: /[ \t](?:-a|--auth)(?:[ \t]+|=)\\?["']?[^\s:"']{0,256}:/g },
  { names: /^openssl/, flag: /[ \t]-[kK][ \t]+/g },
  { names: /^kubectl/, flag: /[ \t]--from-literal(?:=|[ \t]+)\\?["']?[\w.-]{1,253}=/g },
  { names: /^smbclient/, flag: /[ \t]-U[ \t]*\\?["']?[^\s%"']{1,256}%/g },
];
const COMMAND =
  /(?<![\w.-])(?:curl|sshpass|mysql(?:dump|admin)?|mariadb(?:-dump)?|docker|podman|nerdctl|helm|az|oc|redis-cli|https?|xh|openssl|kubectl|ldap[a-z]{3,8}|smbclient)(?=[ \t])/g;
/** The end of a command: the end of its line, unless it is continued. */
const COMMAND_END = /(?<!\\)\r?\n/;

/** A line of a .netrc file. */
const NETRC =
  /\b(?:machine|login|account|default)[ \t]+(?:\S{1,256}[ \t]+)?password[ \t]+(?=\S)|^[ \t]*password[ \t]+(?=\S+[ \t]*$)/gm;

/** Finds secrets in command lines and lines of .netrc files, in linear time. */
export function findInCommands(text: string, isSecretName: SecretNameTest): Span[] {
  return [...findFlags(text, isSecretName), ...findArguments(text), ...findAfter(text, NETRC)];
}

function findFlags(text: string, isSecretName: SecretNameTest): Span[] {
  if (!text.includes("-")) return [];
  return [...text.matchAll(FLAG)].flatMap(({ 0: whole, 1: name = "", index }) =>
    isSecretName(name) ? pairValue(text, index + whole.length) ?? [] : []
  );
}

function findArguments(text: string): Span[] {
  const commands = [...text.matchAll(COMMAND)];
  return commands.flatMap(({ 0: name, index }, number) => {
    const { flag } = COMMANDS.find(({ names }) => names.test(name)) ?? {};
    if (flag === undefined) return [];
    const [line = ""] = text.slice(index, commands[number + 1]?.index ?? text.length).split(COMMAND_END, 1);
    return findAfter(line, flag).map(({ start, end }) => ({ start: index + start, end: index + end }));
  });
}

function findAfter(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, index }) => {
    const isQuoted = /["'][^"']*$/.test(whole);
    return pairValue(text, index + whole.length, isQuoted) ?? [];
  });
}
