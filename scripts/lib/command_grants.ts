/**
 * What the commands beside the agent may touch, for who launches or compiles them.
 *
 * @module
 */

import { type Grants, tidyGrants } from "../../mod/config/mod.ts";

/** Grants of a process that needs none. */
export const NO_GRANTS: Grants = { read: [], write: [], net: [], sys: [] };

/** What a client needs to talk to its agent. */
export function deriveClientGrants(location: {
  readonly controlSocket: string;
  readonly configPath: string | undefined;
}): Grants {
  const { controlSocket: target, configPath } = location;
  const socket = { target, option: "--control-socket" };
  const file = configPath === undefined
    ? []
    : [{ target: configPath, option: "--config" }];
  return tidyGrants({
    read: [socket, ...file],
    write: [socket],
    net: [{ ...socket, target: `unix:${target}` }],
    sys: [],
  });
}

/** What a command needs that works on the manifests of a folder. */
export function deriveFolderGrants(path: string, isWritten: boolean): Grants {
  const folder = [{ target: path, option: "--pod-manifest-path" }];
  return tidyGrants({
    ...NO_GRANTS,
    read: folder,
    write: isWritten ? folder : [],
  });
}

/** What a command needs that reads the given files and nothing else. */
export function deriveReadGrants(paths: readonly string[]): Grants {
  return tidyGrants({
    ...NO_GRANTS,
    read: paths.map((target) => ({ target, option: "the file's argument" })),
  });
}

/** Everything that any of several processes may touch. */
export function mergeGrants(...all: readonly Grants[]): Grants {
  const of = (kind: keyof Grants) => all.flatMap((grants) => grants[kind]);
  return tidyGrants({
    read: of("read"),
    write: of("write"),
    net: of("net"),
    sys: of("sys"),
  });
}
