/**
 * What can be read off an image's name without asking a registry.
 *
 * @module
 */

/**
 * True when an image without a pull policy is pulled at every start: its tag is
 * `latest`, or it has neither tag nor digest and so means `latest`.
 */
export function pullsAlways(image: string): boolean {
  if (image === "" || image.includes("@")) return tagOf(image) === "latest";
  return (tagOf(image) ?? "latest") === "latest";
}

/** The tag in an image's name; a port of the registry is none. */
function tagOf(image: string): string | undefined {
  const [name = ""] = image.split("@", 1);
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/") ? name.slice(colon + 1) : undefined;
}
