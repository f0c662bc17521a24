/**
 * How a URL is shown, and how a question ends that is not answered.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { requestUrl, showUrl } from "../../../../mod/source/url/url_request.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

for (
  const [length, shown] of [[200, 200], [201, 201], [300, 201]] as const
) {
  Deno.test(`showUrl() shows ${shown} characters of ${length}`, () => {
    const start = "http://host/";
    const url = start + "x".repeat(length - start.length);
    strictEqual(
      showUrl(new URL(url)),
      length === 200 ? url : `${url.slice(0, 200)}…`,
    );
  });
}

Deno.test("showUrl() shows no user, no password and no query (SE-10)", () => {
  const secret = "https://me:hunter2@host:8443/web.yaml?token=hunter3#hunter4";
  strictEqual(showUrl(new URL(secret)), "https://host:8443/web.yaml?…");
  strictEqual(showUrl(new URL("http://host/a?")), "http://host/a");
});

Deno.test("requestUrl() asks nothing once it was told to stop, and says why it ends", async () => {
  const clock = new FakeClock();
  const reason = new Error("The agent stops");
  const request = {
    url: new URL("http://127.0.0.1:1/"),
    headers: {},
    tls: undefined,
    maxBytes: 1,
    isSigned: false,
  };
  await rejects(requestUrl(request, { clock }, AbortSignal.abort(reason)), {
    message: reason.message,
  });
  strictEqual(clock.pendingTimers, 0);
});
