/**
 * Where a Service leads, in sentences.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { explainService } from "../../../mod/explain/mod.ts";
import { container } from "../../support/pods.ts";
import { service, servicePort, serving } from "../../support/services.ts";

const LABELS = "the labels a=b,app=web";
const NAMED = servicePort({ name: "a", targetPort: "http" });
const MORE = servicePort({
  name: "b",
  protocol: "UDP",
  targetPort: "more",
});
const named = (name: string) => ({
  containers: [container("c", { ports: [{ name, containerPort: 8080 }] })],
});
const far = { labels: { app: "web", a: "b" } };

for (
  const [name, fields, pods, wanted] of [
    ["nothing", {}, [], [
      `It leads nowhere: no pod of namespace "shop" has ${LABELS} that it selects`,
    ]],
    ["a pod of fewer labels", {}, [
      serving("x", { draft: { labels: { a: "b" } } }),
    ], [
      `It leads nowhere: no pod of namespace "shop" has ${LABELS} that it selects`,
    ]],
    ["pods that are not ready", {}, [
      serving("b", { isReady: false, draft: far }),
      serving("a", { isReady: false, draft: far }),
      serving("other", { draft: { labels: {} } }),
    ], [`It leads nowhere: none of the pods with ${LABELS} is ready: a, b`]],
    [
      "more pods than are named",
      {},
      ["f", "e", "d", "c", "b", "a"].map((each) =>
        serving(each, { isReady: false, draft: far })
      ),
      [
        `It leads nowhere: none of the pods with ${LABELS} is ready: a, b, c, d, e and 1 more`,
      ],
    ],
    [
      "as many pods as are named",
      {},
      ["e", "d", "c", "b", "a"].map((each) =>
        serving(each, { isReady: false, draft: far })
      ),
      [
        `It leads nowhere: none of the pods with ${LABELS} is ready: a, b, c, d, e`,
      ],
    ],
    ["a pod without an address", {}, [
      serving("a", { address: undefined, draft: far }),
      serving("b", { isReady: false, draft: far }),
    ], [`It leads nowhere: no pod with ${LABELS} has an address yet: a`]],
    ["pods that need not be ready", { publishNotReadyAddresses: true }, [
      serving("a", { isReady: false, address: undefined, draft: far }),
    ], [`It leads nowhere: no pod with ${LABELS} has an address yet: a`]],
    ["a pod without its ports", {
      ports: [NAMED, MORE],
    }, [
      serving("a", { draft: { ...far, ...named("web") } }),
      serving("b", { isReady: false, draft: far }),
      serving("c", { address: undefined, draft: far }),
    ], [
      'It leads nowhere: none of the pods that can serve has a port named "http" or "more": a',
    ]],
    [
      "a pod with one of its ports",
      {
        ports: [NAMED, MORE],
      },
      [serving("a", { draft: { ...far, ...named("http") } })],
      [
        "It leads to 10.88.0.9, the address of the oldest pod that can serve",
        'Port 80 leads nowhere: that pod has no port named "more"',
      ],
    ],
    ["a pod that serves", {}, [
      serving("a", { draft: far }),
    ], ["It leads to 10.88.0.9, the address of the oldest pod that can serve"]],
  ] as const
) {
  Deno.test(`explainService() with ${name} says ${wanted.length} sentences`, () => {
    const selector = { app: "web", a: "b" };
    deepStrictEqual(
      explainService(service({ selector, ...fields }), pods),
      wanted,
    );
  });
}
