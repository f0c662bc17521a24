import { strictEqual } from "node:assert/strict";
import { statusFailure } from "../../../../mod/kube/transport/mod.ts";

const WHAT = { what: "get pods" };

function status(fields: Readonly<Record<string, unknown>>): unknown {
  return { kind: "Status", apiVersion: "v1", status: "Failure", ...fields };
}

for (
  const [reason, wanted] of [
    ["BadRequest", "BadRequest"],
    ["Unauthorized", "Unauthorized"],
    ["Forbidden", "Forbidden"],
    ["NotFound", "NotFound"],
    ["MethodNotAllowed", "MethodNotAllowed"],
    ["AlreadyExists", "AlreadyExists"],
    ["Conflict", "Conflict"],
    ["Expired", "Expired"],
    ["Gone", "Expired"],
    ["Invalid", "Invalid"],
    ["TooManyRequests", "TooManyRequests"],
    ["InternalError", "InternalError"],
    ["StoreReadError", "InternalError"],
    ["ServiceUnavailable", "ServiceUnavailable"],
    ["Timeout", "Timeout"],
    ["ServerTimeout", "Timeout"],
    ["NotAcceptable", "BadRequest"],
    ["RequestEntityTooLarge", "BadRequest"],
    ["UnsupportedMediaType", "BadRequest"],
  ] as const
) {
  Deno.test(`statusFailure() takes the reason ${reason} for ${wanted}`, () => {
    // The code would say something else.
    strictEqual(
      statusFailure(status({ reason }), { ...WHAT, code: 418 }).reason,
      wanted,
    );
  });
}

for (
  const [code, wanted] of [
    [400, "BadRequest"],
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [405, "MethodNotAllowed"],
    [408, "Timeout"],
    [409, "Conflict"],
    [410, "Expired"],
    [413, "BadRequest"],
    [422, "Invalid"],
    [429, "TooManyRequests"],
    [499, "BadRequest"],
    [500, "InternalError"],
    [502, "ServiceUnavailable"],
    [503, "ServiceUnavailable"],
    [504, "Timeout"],
    [599, "InternalError"],
  ] as const
) {
  Deno.test(`statusFailure() takes ${code} without a reason for ${wanted}`, () => {
    for (
      const wire of [
        undefined,
        "<html>",
        status({}),
        status({ reason: "constructor" }),
        status({ reason: 7 }),
        { kind: "Pod", reason: "Gone" },
      ]
    ) strictEqual(statusFailure(wire, { ...WHAT, code }).reason, wanted);
    // What a watch says has its code in it.
    strictEqual(statusFailure(status({ code }), WHAT).reason, wanted);
  });
}

Deno.test("statusFailure() takes for garbage what says neither reason nor code", () => {
  for (const wire of [undefined, {}, status({ code: "410" }), { code: 410 }]) {
    const { reason, message } = statusFailure(wire, WHAT);
    strictEqual(reason, "Garbage");
    strictEqual(
      message,
      "Cannot get pods: the API server answered a failure",
    );
  }
});

Deno.test("statusFailure() knows a version that is too large by its cause or its words", () => {
  const details = {
    causes: [7, { reason: "Other" }, { reason: "ResourceVersionTooLarge" }],
  };
  const message = "Too large resource version: 7, current: 5";
  for (
    const [fields, wanted] of [
      [{ reason: "Timeout", details }, "ResourceVersionTooLarge"],
      [{ reason: "Timeout", message }, "ResourceVersionTooLarge"],
      [
        { reason: "Timeout", message: `Timeout: ${message}` },
        "ResourceVersionTooLarge",
      ],
      [
        { reason: "Timeout", details: { causes: [{ reason: "Other" }] } },
        "Timeout",
      ],
      [{ reason: "Timeout", details: { causes: {} } }, "Timeout"],
      [{ reason: "Timeout", details: 7, message: "late" }, "Timeout"],
      [{ reason: "Conflict", details, message }, "Conflict"],
    ] as const
  ) {
    strictEqual(
      statusFailure(status(fields), { ...WHAT, code: 504 }).reason,
      wanted,
    );
  }
});

Deno.test("statusFailure() says what was answered, up to a bound", () => {
  const { message } = statusFailure(status({ message: "x".repeat(2000) }), {
    ...WHAT,
    code: 422,
  });
  strictEqual(
    message,
    `Cannot get pods: the API server answered 422: ${"x".repeat(1024)}`,
  );
  strictEqual(
    statusFailure(status({ message: "" }), { ...WHAT, code: 422 }).message,
    "Cannot get pods: the API server answered 422",
  );
  strictEqual(
    statusFailure(status({ message: 7 }), { ...WHAT, code: 422 }).message,
    "Cannot get pods: the API server answered 422",
  );
});

Deno.test("statusFailure() gives the wish of the head, else that of the body", () => {
  const wire = status({ details: { retryAfterSeconds: 5 } });
  const facts = { ...WHAT, code: 429 };
  strictEqual(statusFailure(wire, facts).retryAfterMs, 5_000);
  strictEqual(
    statusFailure(wire, { ...facts, retryAfterMs: 0 }).retryAfterMs,
    0,
  );
  for (const retryAfterSeconds of [0, -1, "5", null, NaN]) {
    const wire = status({ details: { retryAfterSeconds } });
    strictEqual(statusFailure(wire, facts).retryAfterMs, undefined);
  }
});
