/**
 * Answers of containers to HTTP and gRPC probes, written to harm the agent.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import {
  AnswerError,
  callHttp2,
  readAnswer,
} from "../../../mod/host/clients/mod.ts";
import { fuzz } from "../../support/fuzz/fuzz.ts";
import { inPieces, ScriptedLink } from "../../support/fuzz/hostile_bytes.ts";
import {
  hostileHttp2,
  hostileHttpAnswer,
  maxHttp2Steps,
  STEPS_A_BYTE,
} from "../../support/fuzz/hostile_answers.ts";

const NEVER = new AbortController().signal;
const MAX_BODY_BYTES = 10 * 1024;

fuzz(
  "readAnswer() takes so much work for each byte, and keeps so many, whatever a container answers",
  {
    inputs: 2500,
    run: async ({ random, meter }) => {
      const bytes = hostileHttpAnswer(random);
      const link = new ScriptedLink(inPieces(random, bytes));
      try {
        const answer = await readAnswer(link, {
          maxBodyBytes: MAX_BODY_BYTES,
          signal: NEVER,
          meter,
        });
        ok(answer.body.length <= MAX_BODY_BYTES);
        ok(answer.body.buffer.byteLength <= MAX_BODY_BYTES);
        ok((answer.location ?? "").length <= 80 * 1024);
        ok(Number.isInteger(answer.status));
      } catch (error) {
        if (!(error instanceof AnswerError)) throw error;
        ok(error.message.length <= 500, error.message);
      }
      // Heads, framing and body; of what comes after them nothing is taken in.
      ok(link.given <= 6 * 80 * 1024, `${link.given} bytes read`);
      ok(
        meter.total <= 4096 + STEPS_A_BYTE * link.given,
        `${meter.total} steps for ${link.given} bytes`,
      );
    },
  },
);

fuzz(
  "callHttp2() takes so much work for each byte, and keeps so many, whatever a container answers",
  {
    inputs: 1500,
    run: async ({ random, meter }) => {
      const bytes = hostileHttp2(random);
      const link = new ScriptedLink(inPieces(random, bytes));
      const request = {
        authority: "127.0.0.1:1",
        path: "/grpc.health.v1.Health/Check",
        headers: [["te", "trailers"]] as const,
        body: new Uint8Array(5),
      };
      try {
        const answer = await callHttp2(link, request, {
          maxBodyBytes: MAX_BODY_BYTES,
          greeted: () => {},
          meter,
        });
        ok(answer.body.length <= MAX_BODY_BYTES);
        ok(answer.fields.size <= 4096);
      } catch (error) {
        if (!(error instanceof AnswerError)) throw error;
        ok(error.message.length <= 500, error.message);
      }
      const steps = maxHttp2Steps(bytes, link.given);
      ok(
        meter.total <= steps,
        `${meter.total} steps for ${link.given} bytes`,
      );
      ok(link.sent <= 4096 + link.given + 9 * 1024, `${link.sent} bytes sent`);
    },
  },
);
