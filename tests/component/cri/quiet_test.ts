/**
 * What rigs wait for before they move a clock.
 *
 * @module
 */

import { ok, rejects, strictEqual } from "node:assert/strict";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { FakeClock } from "../../support/fake_clock.ts";
import { Quiet } from "../../support/quiet/quiet.ts";
import { type CriRig, startCriRig } from "../../support/cri/cri_rig.ts";

interface World extends AsyncDisposable {
  readonly rig: CriRig;
  readonly clock: FakeClock;
  readonly quiet: Quiet;
  readonly directory: string;
  readonly server: { readonly port: number };
}

async function world(): Promise<World> {
  const clock = new FakeClock();
  const rig = await startCriRig({ clock, fakeClock: clock });
  const { fake, socketPath } = rig;
  const quiet = await Quiet.open({ clock, runtime: { fake, socketPath } });
  const directory = await Deno.makeTempDir({ prefix: "quiet_test_" });
  const server = await echoServer();
  return {
    rig,
    clock,
    quiet,
    directory,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      quiet[Symbol.dispose]();
      await rig[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

const WORK: readonly (readonly [string, (world: World) => Promise<unknown>])[] =
  [
    ["a call", ({ rig }) => rig.cri.runtime.listContainers()],
    ["calls one after the other", ({ rig }) => calls(rig, 20)],
    ["a file that is written", ({ directory }) => write(directory, 1)],
    ["files that are written", ({ directory }) => write(directory, 20)],
    ["a file that is read through Node", ({ directory }) => read(directory)],
    ["answers over TCP", ({ server }) => echo(server.port)],
  ];
for (const [what, work] of WORK) {
  Deno.test(`Quiet.wait() waits for ${what}`, async () => {
    await using both = await world();
    for (let round = 0; round < 20; round++) {
      let isOver = false;
      const working = work(both).finally(() => isOver = true);
      await both.quiet.wait();
      ok(isOver);
      await working;
    }
  });
}

Deno.test("Quiet.wait() waits until a change of a file is told", async () => {
  await using both = await world();
  const watcher = Deno.watchFs(both.directory);
  let told = 0;
  const listening = (async () => {
    for await (const _event of watcher) told++;
  })();
  for (let round = 0; round < 20; round++) {
    const before = told;
    await Deno.mkdir(`${both.directory}/${round}`);
    await both.quiet.wait();
    ok(told > before);
  }
  watcher.close();
  await listening;
});

Deno.test("Quiet.wait() does not wait for what waits for time, for a caller or for ever", async () => {
  await using both = await world();
  const { rig, clock, quiet } = both;
  await rig.cri.runtime.listContainers();
  rig.fake.fault("Version", { kind: "hang" }, { times: 1 });
  rig.fake.fault("Status", { kind: "delay", ms: 5_000 }, { times: 1 });
  const hanging = rejects(rig.cri.runtime.version(), /did not answer/);
  const slow = rig.cri.runtime.status();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = rejects(listener.accept());
  await using _server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(),
  );
  await quiet.wait();
  strictEqual(rig.fake.unanswered.unary, 2);

  await clock.advance(5_000);
  await quiet.wait();
  strictEqual(rig.fake.unanswered.unary, 1);
  await slow;

  await clock.advance(5_000);
  await quiet.wait();
  strictEqual(rig.fake.unanswered.unary, 0);
  await hanging;
  listener.close();
  await accepting;
});

async function calls(rig: CriRig, count: number): Promise<void> {
  for (let call = 0; call < count; call++) {
    await rig.cri.runtime.listContainers();
  }
}

async function write(directory: string, count: number): Promise<void> {
  for (let file = 0; file < count; file++) {
    using handle = await Deno.open(`${directory}/${file}`, {
      write: true,
      create: true,
    });
    await handle.write(new Uint8Array(100_000));
    await handle.sync();
  }
}

async function read(directory: string): Promise<void> {
  const path = `${directory}/read`;
  await Deno.writeFile(path, new Uint8Array(1_000_000));
  const handle = await open(path, "r");
  await handle.read(new Uint8Array(1_000_000), 0, 1_000_000, 0);
  await handle.close();
}

/** Five times there and back, between a socket of Node and one of Deno. */
async function echo(port: number): Promise<void> {
  using connection = await Deno.connect({ port });
  for (let round = 0; round < 5; round++) {
    await connection.write(new Uint8Array(10));
    strictEqual(await connection.read(new Uint8Array(10)), 10);
  }
}

async function echoServer(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => socket.pipe(socket));
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new TypeError("Cannot connect: wanted a port");
  }
  return {
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}
