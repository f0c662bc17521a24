/**
 * What an event asks for, by what is known.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type { ContainerEvent } from "../../../mod/cri/events/mod.ts";
import { type EventNeed, eventNeed } from "../../../mod/picture/pod_due.ts";
import type { ObservedContainer } from "../../../mod/pod/observed/mod.ts";
import { observed, sandbox, seen } from "../../support/observed_pods.ts";

type Known = ObservedContainer["state"] | "killed" | "absent";

const KILLED = { state: "exited", exitCode: 137, reason: "Error" } as const;

const CONTAINER_ROWS:
  readonly (readonly [Known, ContainerEvent["what"], EventNeed])[] = [
    ["running", "created", "nothing"],
    ["running", "started", "nothing"],
    ["running", "stopped", "inspect"],
    ["running", "deleted", "inspect"],
    ["running", "oom", "nothing"],
    ["created", "started", "inspect"],
    ["created", "stopped", "inspect"],
    ["unknown", "started", "inspect"],
    ["exited", "started", "nothing"],
    ["exited", "stopped", "nothing"],
    ["exited", "deleted", "nothing"],
    ["exited", "oom", "nothing"],
    // Why it was killed may be told later than that it was.
    ["killed", "oom", "inspect"],
    ["killed", "stopped", "nothing"],
    ["absent", "created", "list"],
    ["absent", "started", "list"],
    ["absent", "stopped", "list"],
    ["absent", "deleted", "nothing"],
    ["absent", "oom", "nothing"],
  ];

for (const [known, what, need] of CONTAINER_ROWS) {
  Deno.test(`eventNeed() of "${what}" about a container known as ${known} is ${need}`, () => {
    const rest = known === "killed" || known === "absent"
      ? KILLED
      : { state: known };
    const container = seen("c", { id: "x", ...rest });
    const pod = observed(known === "absent" ? [] : [container]);
    strictEqual(eventNeed(pod, { containerId: "x", what }), need);
  });
}

for (
  const [ready, what, need] of [
    [true, "created", "nothing"],
    [true, "started", "nothing"],
    [true, "stopped", "list"],
    [true, "deleted", "list"],
    [true, "oom", "nothing"],
    [false, "stopped", "nothing"],
    [false, "deleted", "nothing"],
  ] as const
) {
  Deno.test(`eventNeed() of "${what}" about a sandbox that is ${ready ? "" : "not "}ready is ${need}`, () => {
    const pod = observed([], [sandbox({ id: "x", ready })]);
    strictEqual(eventNeed(pod, { containerId: "x", what }), need);
  });
}

Deno.test("eventNeed() of a start in a pod that was never seen is a list", () => {
  const event = { containerId: "x", what: "started" } as const;
  strictEqual(eventNeed(undefined, event), "list");
});
