/**
 * Sentences that would be told twice, and the meaning of an exit code.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { explainPod } from "../../../mod/explain/mod.ts";
import {
  exits,
  explainedPod,
  facts,
  failed,
  NO_SETTINGS,
  pending,
  saidOf,
} from "../../support/explain/rows.ts";
import { container, waitingStatus } from "../../support/pods.ts";

Deno.test("explainPod() tells once what two containers wait for, with the finding of the first", () => {
  const names = ["web", "two"];
  const pod = explainedPod(
    pending(names.map((name) => waitingStatus(name, "FailedMount"))),
    {
      containers: names.map((name) => container(name)),
    },
  );
  const volumes = [{ volume: "cfg", cause: NO_SETTINGS }];
  const said = saidOf({ kind: "volumes", volumes });
  const failures = names.map((container) => ({
    container,
    reason: "FailedMount" as const,
    ...said,
  }));
  const sentences = explainPod(facts({ pod, decision: failed(pod, failures) }));
  deepStrictEqual(
    sentences.map(({ kind, container }) => [kind, container]),
    [["waiting", "web"]],
  );
});

Deno.test("explainPod() names the signals of exit codes from 129 to 192, and of no other", () => {
  const said = [128, 129, 192, 193].map((exitCode) => {
    const pod = explainedPod(pending([exits("web", exitCode)]));
    const [first] = explainPod(facts({ pod }));
    return /signal \d+/.exec(first?.text ?? "")?.[0];
  });
  deepStrictEqual(said, [undefined, "signal 1", "signal 64", undefined]);
});

Deno.test("explainPod() does not grow with the name of an image or the number of volumes", () => {
  const image = `Web:${"x".repeat(1_000_000)}`;
  const wrong = explainedPod(
    pending([waitingStatus("web", "InvalidImageName")]),
    { containers: [container("web", { image })] },
  );
  const pod = explainedPod(pending([]));
  const volumes = Array.from({ length: 5_000 }, (_, at) => ({
    volume: `v${at}`,
    cause: NO_SETTINGS,
  }));
  const failure = {
    reason: "FailedMount" as const,
    ...saidOf({ kind: "volumes", volumes }),
  };
  for (
    const explained of [
      facts({ pod: wrong }),
      facts({ pod, decision: failed(pod, [failure]) }),
    ]
  ) {
    const length = explainPod(explained).map(({ text }) => text).join().length;
    ok(length < 1_500, `${length}`);
  }
});
