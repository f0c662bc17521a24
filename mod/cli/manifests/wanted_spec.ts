/**
 * What the manifest of an object wants, beside what the agent has taken of it.
 *
 * @module
 */

import { stableJson } from "../../api/objects/mod.ts";
import { decodeManifest } from "../../api/read/mod.ts";
import { workloadId } from "../../api/workload/mod.ts";
import type { ShownObject } from "../kinds/mod.ts";
import { ManifestFolder } from "./manifest_folder.ts";
import type { ObjectName } from "./manifest_text.ts";

/**
 * Reads what the folder wants of an object, and says whether the agent has it: a command
 * that follows a change of a manifest may ask before the agent has read it.
 *
 * @returns a test that is always true where no good manifest of the object can be read
 */
export async function takenTest(
  name: ObjectName,
  manifestPath: string,
): Promise<(object: ShownObject) => boolean> {
  const wanted = await readSpec(name, manifestPath);
  return (object) =>
    wanted === undefined || stableJson(object["spec"]) === wanted;
}

async function readSpec(
  name: ObjectName,
  manifestPath: string,
): Promise<string | undefined> {
  let text: string | undefined;
  try {
    const folder = await ManifestFolder.read(manifestPath);
    text = folder.find(name)?.file.text;
  } catch {
    // Whoever may not read the folder is told what the agent says.
  }
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(text);
  const decoded = decodeManifest(bytes, { unknownFields: "warn" });
  // The agent goes on with the last good one, then.
  if (decoded.kind === "refused") return undefined;
  const found = decoded.workloads.find((each) => {
    const { kind, namespace, name: own } = workloadId(each);
    return kind === name.kind && own === name.name &&
      namespace === name.namespace;
  });
  return found && stableJson(found.spec);
}
