/**
 * Manifests and answers of URLs that somebody wrote to harm the agent.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import {
  decodeManifest,
  decodeManifestParts,
  placePodFaults,
  placeWorkloadFaults,
} from "../../../mod/api/read/mod.ts";
import type { Fault } from "../../../mod/api/fault/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { readUrlContent } from "../../../mod/source/url/mod.ts";
import { fuzz } from "../../support/fuzz/fuzz.ts";
import { hostileManifest } from "../../support/fuzz/hostile_manifest.ts";
import { NO_CHECK } from "../../support/no_ops.ts";

/** What a character of a text may take, in characters, values and places. */
const STEPS_A_BYTE = 16;

/** What 50,000 values may take, to which aliases make a short text grow. */
const STEPS_OF_ALIASES = STEPS_A_BYTE * 50_000;

/** Room for 200 faults, none of them longer than two of the longest keys. */
const MAX_SAID = 200 * 4096;

function allowed(bytes: Uint8Array): number {
  // Without aliases nothing is larger than it is written.
  const hasAlias = bytes.includes("*".charCodeAt(0));
  return 1000 + STEPS_A_BYTE * bytes.length +
    (hasAlias ? STEPS_OF_ALIASES : 0);
}

function assertSaid(faults: readonly Fault[]): void {
  ok(faults.length <= 201, `${faults.length} faults`);
  const said = faults.reduce(
    (sum, { field, message }) => sum + field.length + message.length,
    0,
  );
  ok(said <= MAX_SAID, `${said} characters of faults`);
}

fuzz(
  "decodeManifest() takes so much work for each byte, and says so much, whatever it reads",
  {
    inputs: 2500,
    run: ({ random, meter }) => {
      const bytes = hostileManifest(random);
      const unknownFields = random.next() < 0.5 ? "refuse" : "warn";
      const result = decodeManifest(bytes, { unknownFields, meter });
      ok(
        meter.total <= allowed(bytes),
        `${meter.total} steps for ${bytes.length} bytes`,
      );
      if (result.kind === "refused") return assertSaid(result.faults);
      assertSaid(result.warnings);
      const fault = { field: "spec.hostPID", message: "Forbidden" };
      const places = [
        [placePodFaults, result.pods],
        [placeWorkloadFaults, result.workloads],
      ] as const;
      for (const [place, items] of places) {
        meter.total = 0;
        assertSaid(place(bytes, items.map(() => [fault, fault]), meter));
        ok(
          meter.total <= allowed(bytes),
          `${meter.total} steps for the places of faults in ${bytes.length} bytes`,
        );
      }
    },
  },
);

fuzz(
  "decodeManifestParts() takes so much work for each byte, whatever a URL answers",
  {
    inputs: 1000,
    run: ({ random, meter }) => {
      const bytes = hostileManifest(random);
      decodeManifestParts(bytes, { meter });
      ok(
        meter.total <= allowed(bytes),
        `${meter.total} steps for ${bytes.length} bytes`,
      );
    },
  },
);

fuzz(
  "readUrlContent() keeps no more than an answer holds, and reports a hundred parts",
  {
    inputs: 500,
    run: ({ random }) => {
      const bytes = hostileManifest(random);
      const held = { pods: [], objects: [], workloads: [] };
      const content = readUrlContent(bytes, held, {
        nodeName: "n1",
        url: "http://127.0.0.1/",
        shownUrl: "http://127.0.0.1/",
        unknownFields: "refuse",
        log: silentLogger,
        check: NO_CHECK,
      });
      if (content.kind === "refused") {
        return ok(
          content.reason.length <= 10_000,
          content.reason.slice(0, 200),
        );
      }
      ok(content.reports.length <= 101, `${content.reports.length} reports`);
      const names = new Set(
        content.content.pods.map(({ metadata }) =>
          `${metadata.namespace}/${metadata.name}`
        ),
      );
      ok(names.size === content.content.pods.length, "two pods of one name");
    },
  },
);
