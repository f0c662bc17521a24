/**
 * The manual page, made from the help. Pure.
 *
 * @module
 */

import { COMMAND_NAMES, helpText } from "../../mod/cli/parse/mod.ts";
import { DEFAULT_CONFIG_PATH } from "../../mod/config/mod.ts";

const FILES: readonly (readonly [path: string, what: string])[] = [
  ["/etc/skerry/manifests/", "what to run"],
  [DEFAULT_CONFIG_PATH, "settings of the service"],
  ["/var/lib/skerry/", "state: pods, claims, checkpoints"],
  ["/run/skerry/", "the control socket, and what a boot may lose"],
  ["/var/log/pods/", "logs of containers"],
];

/** Writes `skerry(1)`. */
export function manPage(version: string): string {
  return [
    `.TH SKERRY 1 "" "skerry ${escape(version)}" "User Commands"`,
    ".SH NAME",
    "skerry \\- runs Kubernetes Pod manifests on this machine",
    ".SH SYNOPSIS",
    ".B skerry",
    "COMMAND [FLAGS]",
    ".SH DESCRIPTION",
    ...verbatim(helpText(undefined)),
    ".SH COMMANDS",
    ...COMMAND_NAMES.flatMap((name) => [
      `.SS "skerry ${name}"`,
      ...verbatim(helpText(name)),
    ]),
    ".SH FILES",
    ...FILES.flatMap(([path, what]) => [
      ".TP",
      `.I ${escape(path)}`,
      escape(what),
    ]),
    "",
  ].join("\n");
}

/** Lines that are set as they stand; wide ones are no concern of the reader's. */
function verbatim(text: string): string[] {
  return [
    ".nf",
    ".ad l",
    ...text.trimEnd().split("\n").map(escape),
    ".ad",
    ".fi",
  ];
}

function escape(line: string): string {
  const plain = line.replaceAll("\\", "\\e").replaceAll("-", "\\-")
    .replaceAll("`", "\\(ga").replaceAll("'", "\\(aq");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
