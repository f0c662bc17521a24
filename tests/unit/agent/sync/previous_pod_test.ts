/**
 * Telling a pod from another that had its UID before.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  idsOf,
  withoutPrevious,
} from "../../../../mod/agent/sync/pod_remains.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";

/** Of the earlier life: a sandbox and a container in it. */
const OLD_SANDBOX = sandbox({ id: "old", ready: false, ip: "10.88.0.4" });
const OLD = ended("a", 0, { id: "a-old", sandboxId: "old", restartCount: 3 });
/** Of the life that goes on. */
const NEW_SANDBOX = sandbox({ id: "new", attempt: 1 });
const NEW = seen("a", { id: "a-new", sandboxId: "new" });

Deno.test("withoutPrevious() leaves a pod as it is that had no earlier life", () => {
  const pod = observed([OLD], [OLD_SANDBOX]);
  strictEqual(withoutPrevious(pod, undefined), pod);
});

Deno.test("withoutPrevious() shows nothing of a pod of which only the earlier life is left, and tells its numbers", () => {
  const pod = observed([OLD], [OLD_SANDBOX]);
  const previous = new Set(idsOf(pod));
  deepStrictEqual(withoutPrevious(pod, previous), {
    uid: "u-1",
    name: "web",
    namespace: "shop",
    ips: [],
    sandboxes: [],
    containers: [],
    taken: {
      sandboxAttempts: [0],
      restartCounts: [{ name: "a", restartCount: 3 }],
    },
  });
});

Deno.test("withoutPrevious() knows an earlier life by its sandbox alone", () => {
  const previous = new Set(idsOf(observed([], [OLD_SANDBOX])));
  // The container was listed after the sandbox was parted from.
  const { sandboxes, containers, taken } = withoutPrevious(
    observed([OLD], [OLD_SANDBOX]),
    previous,
  );
  deepStrictEqual([sandboxes, containers], [[], []]);
  deepStrictEqual(taken?.restartCounts, [{ name: "a", restartCount: 3 }]);
});

Deno.test("withoutPrevious() shows the new life with its own addresses beside the old one", () => {
  const previous = new Set(idsOf(observed([OLD], [OLD_SANDBOX])));
  const both = observed([NEW, OLD], [NEW_SANDBOX, OLD_SANDBOX]);
  deepStrictEqual(withoutPrevious(both, previous), {
    ...both,
    sandboxes: [NEW_SANDBOX],
    containers: [NEW],
    taken: {
      sandboxAttempts: [0],
      restartCounts: [{ name: "a", restartCount: 3 }],
    },
  });
  deepStrictEqual(withoutPrevious(both, previous).ips, ["10.88.0.5"]);
});

Deno.test("withoutPrevious() shows the pod as it is once the rest of the old life is gone", () => {
  const previous = new Set(idsOf(observed([OLD], [OLD_SANDBOX])));
  const pod = observed([NEW], [NEW_SANDBOX]);
  strictEqual(withoutPrevious(pod, previous), pod);
});
