/**
 * The names of what tests share: each stands for one thing.
 *
 * @module
 */

import type { Fault } from "./rules.ts";
import { lineAt, scan } from "./scan.ts";

const SHARED = "tests/support/";
const EXPORT =
  /^export (?:abstract |async )*(?:function\*?|class|const|let|interface|type) (\w+)/gm;

/**
 * Lists the names that two files of tests/support export, at all places but the first.
 *
 * Whoever reads a test has to know which `pod()` it is without a look at its imports.
 */
export function findSharedNames(files: ReadonlyMap<string, string>): Fault[] {
  const first = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [path, text] of files) {
    if (!path.startsWith(SHARED)) continue;
    const { code } = scan(path, text);
    for (const { 1: name = "", index } of code.matchAll(EXPORT)) {
      const other = first.get(name);
      first.set(name, other ?? path);
      // Overloads and a type beside its value stand in one file.
      if (other === undefined || other === path) continue;
      faults.push({
        path,
        line: lineAt(code, index),
        rule: "shared_name",
        message:
          `${other} exports "${name}", too; unite them, or name what differs`,
      });
    }
  }
  return faults;
}
