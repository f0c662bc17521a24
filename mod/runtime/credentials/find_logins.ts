/**
 * Choosing the logins for an image.
 *
 * @module
 */

import type { RegistryLogin } from "./docker_config.ts";
import { matchesRegistry } from "./registry_pattern.ts";

/** Docker Hub's name in docker's own configuration. */
const DOCKER_HUB = "index.docker.io";

/**
 * The logins for an image, in the order in which they are tried: those with the longest
 * path first. A login for Docker Hub by its older name counts only where no other does.
 * (Upstream: BasicDockerKeyring.Lookup.)
 *
 * @param repository with its registry, such as `docker.io/library/busybox`
 */
export function findLogins<Login extends RegistryLogin>(
  logins: readonly Login[],
  repository: string,
): readonly Login[] {
  const found = logins.filter(({ pattern }) =>
    matchesRegistry(pattern, repository)
  ).sort(byKeyBackwards);
  if (found.length > 0 || !repository.startsWith("docker.io/")) return found;
  return logins.filter(({ pattern }) => pattern.key === DOCKER_HUB);
}

/** A longer path comes after its own beginning, so backwards it is first. */
function byKeyBackwards(
  { pattern: { key: a } }: RegistryLogin,
  { pattern: { key: b } }: RegistryLogin,
): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
