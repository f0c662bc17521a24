/**
 * Telling a pod from another that had its UID before.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { FormerLives } from "../../../../mod/agent/sync/previous_pod.ts";
import { ended, observed, sandbox, seen } from "../../pod/builders.ts";

const ALL = (): boolean => true;
const NONE = (): boolean => false;

/** Of the earlier life: a sandbox and a container in it. */
const OLD_SANDBOX = sandbox({ id: "old", ready: false, ip: "10.88.0.4" });
const OLD = ended("a", 0, { id: "a-old", sandboxId: "old", restartCount: 3 });
/** Of the life that goes on. */
const NEW_SANDBOX = sandbox({ id: "new", attempt: 1 });
const NEW = seen("a", { id: "a-new", sandboxId: "new" });

Deno.test("FormerLives.without() leaves a pod as it is that had no earlier life", () => {
  const pod = observed([OLD], [OLD_SANDBOX]);
  strictEqual(new FormerLives().without(pod), pod);
});

Deno.test("FormerLives.without() shows nothing of a pod of which only the earlier life is left, and tells its numbers", () => {
  const lives = new FormerLives();
  const pod = observed([OLD], [OLD_SANDBOX]);
  lives.part(pod, NONE);
  deepStrictEqual(lives.without(pod), {
    uid: "u1",
    name: "web",
    namespace: "default",
    ips: [],
    sandboxes: [],
    containers: [],
    taken: {
      sandboxAttempts: [0],
      restartCounts: [{ name: "a", restartCount: 3 }],
    },
  });
});

Deno.test("FormerLives.without() knows an earlier life by its sandbox alone", () => {
  const lives = new FormerLives();
  lives.part(observed([], [OLD_SANDBOX]), NONE);
  // The container was listed after the sandbox was parted from.
  const { sandboxes, containers, taken } = lives.without(
    observed([OLD], [OLD_SANDBOX]),
  );
  deepStrictEqual([sandboxes, containers], [[], []]);
  deepStrictEqual(taken?.restartCounts, [{ name: "a", restartCount: 3 }]);
});

Deno.test("FormerLives.without() shows the new life with its own addresses beside the old one", () => {
  const lives = new FormerLives();
  lives.part(observed([OLD], [OLD_SANDBOX]), NONE);
  const both = observed([NEW, OLD], [NEW_SANDBOX, OLD_SANDBOX]);
  deepStrictEqual(lives.without(both), {
    ...both,
    sandboxes: [NEW_SANDBOX],
    containers: [NEW],
    taken: {
      sandboxAttempts: [0],
      restartCounts: [{ name: "a", restartCount: 3 }],
    },
  });
  deepStrictEqual(lives.without(both).ips, ["10.88.0.5"]);
});

Deno.test("FormerLives.without() shows the pod as it is once the rest of the old life is gone", () => {
  const lives = new FormerLives();
  lives.part(observed([OLD], [OLD_SANDBOX]), NONE);
  const pod = observed([NEW], [NEW_SANDBOX]);
  strictEqual(lives.without(pod), pod);
});

Deno.test("FormerLives.part() keeps what it parted from before as long as that may be there", () => {
  const lives = new FormerLives();
  lives.part(observed([OLD], [OLD_SANDBOX]), ALL);
  lives.part(observed([], [sandbox({ id: "second", attempt: 1 })]), ALL);
  const shown = lives.without(observed([OLD], [OLD_SANDBOX]));
  deepStrictEqual([shown.sandboxes, shown.containers], [[], []]);
});

Deno.test("FormerLives.forget() takes what there is for the pod's own again", () => {
  const lives = new FormerLives();
  const pod = observed([OLD], [OLD_SANDBOX]);
  lives.part(pod, NONE);
  lives.forget("u1");
  strictEqual(lives.without(pod), pod);
});
