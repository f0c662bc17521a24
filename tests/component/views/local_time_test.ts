/**
 * That reports are written by the local time of the node.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";

const PROGRAM = `
import { explain } from "${
  import.meta.resolve("../../support/views/explain.ts")
}";
import { pod } from "${import.meta.resolve("../../support/pods.ts")}";
import { NOW_MS } from "${
  import.meta.resolve("../../support/observed_pods.ts")
}";
const downSince = { message: "it is gone", sinceMs: NOW_MS - 5_000 };
const [text] = await explain(pod(), { watch: { downSince } });
console.log(text.split(":", 3).join(":"));
`;

// Ahead of UTC with half an hour, behind it with a whole number of hours.
for (
  const [zone, time] of [
    ["Asia/Kolkata", "08:34:00"],
    ["Etc/GMT+2", "01:04:00"],
  ] as const
) {
  Deno.test(`reportPod() writes the local time of ${zone}`, async () => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", PROGRAM],
      env: { TZ: zone, NO_COLOR: "1" },
    }).output();
    const textOf = (bytes: Uint8Array) =>
      new TextDecoder().decode(bytes).trim();
    const [out, errors] = [textOf(stdout), textOf(stderr)];
    strictEqual(out, `The runtime has been down since ${time} (5 s)`, errors);
  });
}
