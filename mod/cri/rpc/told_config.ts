/**
 * The configuration that a runtime shows in its verbose status.
 *
 * @module
 */

/** What containerd before 2.0 shows of its own; `undefined` where there is nothing to read. */
export function toldConfig(info: ReadonlyMap<string, string>): unknown {
  const text = info.get("config");
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** One field of a value that may be anything. */
export function infoField(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/**
 * The image of sandboxes; `undefined` where it does not say. From CRI 1.28 on runtimes pin
 * it, which they show in the list of images.
 */
export function toldSandboxImage(
  info: ReadonlyMap<string, string>,
): string | undefined {
  const image = infoField(toldConfig(info), "sandboxImage");
  return typeof image === "string" && image !== "" ? image : undefined;
}
