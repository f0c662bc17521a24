/**
 * What the runtime tells by itself, from whichever stream it has.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import type {
  ContainerEvent,
  RuntimeEvent,
} from "../../../mod/cri/events/mod.ts";
import { Envelope } from "../../../proto/gen/containerd/services/events/v1/events.ts";
import {
  envelope,
  exitEnvelope,
  oomEnvelope,
} from "../../support/fake_cri/event_streams.ts";
import { CODE, StatusError } from "../../support/fake_cri/status_error.ts";
import {
  type CriRig,
  type CriRigOptions,
  runContainer,
  startCriRig,
} from "../../support/cri/cri_rig.ts";
import { until } from "../../support/until.ts";

type Stream = "cri" | "containerd";

const NEVER = new AbortController().signal;

Deno.test("CriConnection.events() takes the stream of the CRI where there is one", async () => {
  await using rig = await startWith("cri", "containerd");
  await using reader = await open(rig);
  strictEqual(reader.stream, "cri");
  const { sandboxId, containerId } = await runContainer(rig, "web");
  rig.fake.exitContainer(containerId, 1);
  await rig.cri.runtime.removePodSandbox(sandboxId);
  const moves = await reader.until(({ what, containerId }) =>
    what === "deleted" && containerId === sandboxId
  );
  deepStrictEqual(moves.map(briefly).slice(0, 5), [
    `created ${sandboxId} uid-web`,
    `started ${sandboxId} uid-web`,
    `created ${containerId} uid-web`,
    `started ${containerId} uid-web`,
    `stopped ${containerId} uid-web`,
  ]);
  strictEqual(rig.fake.callsOf("Subscribe").length, 0);
});

Deno.test("CriConnection.events() takes containerd's own stream where the CRI has none", async () => {
  await using rig = await startWith("containerd");
  await using reader = await open(rig);
  strictEqual(reader.stream, "containerd");
  const { sandboxId, containerId } = await runContainer(rig, "web");
  rig.fake.exitContainer(containerId, 1);
  await rig.cri.runtime.removeContainer(containerId);
  const moves = await reader.until(({ what }) => what === "deleted");
  deepStrictEqual(moves.map(briefly), [
    `created ${sandboxId}`,
    `started ${sandboxId}`,
    `created ${containerId}`,
    `started ${containerId}`,
    `stopped ${containerId}`,
    `deleted ${containerId}`,
  ]);
  const times = moves.map(({ at }) => at);
  deepStrictEqual(times, times.toSorted((a, b) => a < b ? -1 : 1));
});

Deno.test("CriConnection.events() asks containerd for its CRI's containers and tasks alone", async () => {
  await using rig = await startWith("containerd");
  await using _reader = await open(rig);
  const [call] = rig.fake.callsOf("Subscribe");
  const topics = [
    ...["/containers/create", "/containers/delete", "/tasks/start"],
    ...["/tasks/oom", "/tasks/exit", "/tasks/delete"],
  ];
  deepStrictEqual(call?.request, {
    filters: topics.map((topic) => `namespace==k8s.io,topic=="${topic}"`),
  });
});

Deno.test("CriConnection.events() does not try the CRI's stream on a containerd that is known to have none", async () => {
  await using rig = await startWith("containerd");
  await rig.cri.ready(NEVER);
  await using _reader = await open(rig);
  strictEqual(rig.fake.callsOf("GetContainerEvents").length, 0);
});

Deno.test("CriConnection.events() is unimplemented on a runtime without any stream", async () => {
  await using rig = await startCriRig();
  for (let times = 0; times < 20; times++) {
    await rejects(readAll(rig), { kind: "unimplemented" });
  }
});

Deno.test("CriConnection.events() takes a stream of the CRI that ends at once for none (CRI-O without pod events)", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  rig.fake.eventsEnabled = true;
  // Ends before it is known which runtime it is.
  rig.fake.fault("Version", { kind: "delay", ms: 50 });
  const reading = rejects(readAll(rig), { kind: "unimplemented" });
  await until(() => rig.fake.listeners > 0);
  rig.fake.eventStreams.end();
  await until(() => rig.fake.listeners === 0);
  await fakeClock.advance(50);
  await reading;
  strictEqual(rig.fake.callsOf("Subscribe").length, 1);
});

for (
  const [code, details] of [
    [CODE.unknown, "server is not initialized yet"],
    [CODE.unavailable, "server is not initialized yet"],
    [CODE.unimplemented, "unknown service runtime.v1.RuntimeService"],
  ] as const
) {
  Deno.test(`CriConnection.events() does not conclude from a question that failed with ${code} that a starting containerd has no stream`, async () => {
    await using rig = await startWith("containerd", "cri");
    await rig.cri.ready(NEVER);
    const { length } = rig.fake.calls;
    rig.fake.fault("Version", { kind: "error", code, details });
    const kind = code === CODE.unavailable ? "unavailable" : "failed";
    await rejects(readAll(rig), { kind, method: "Version", detail: details });
    // containerd 1.7 would go on telling the next event to the reader that left.
    const asked = rig.fake.calls.slice(length).map(({ method }) => method);
    strictEqual(asked.includes("GetContainerEvents"), false);
    rig.fake.clearFaults();
    await using reader = await open(rig);
    strictEqual(reader.stream, "containerd");
  });
}

for (const code of [CODE.unknown, CODE.unavailable, CODE.internal] as const) {
  Deno.test(`CriConnection.events() does not take a stream that fails with ${code} for none`, async () => {
    await using rig = await startWith("cri");
    const details = "server is not initialized yet";
    rig.fake.fault("GetContainerEvents", { kind: "error", code, details });
    await rejects(readAll(rig), {
      kind: code === CODE.unavailable ? "unavailable" : "failed",
      method: "GetContainerEvents",
    });
    rig.fake.clearFaults();
    await using reader = await open(rig);
    strictEqual(reader.stream, "cri");
  });
}

Deno.test("CriConnection.events() asks anew for a stream that the runtime once did not have", async () => {
  await using rig = await startWith();
  rig.fake.settings.runtimeName = "cri-o";
  await rig.cri.ready(NEVER);
  await rejects(readAll(rig), { kind: "unimplemented" });
  // It was restarted with other settings, too fast for anybody to notice.
  rig.fake.eventsEnabled = true;
  await using reader = await open(rig);
  strictEqual(reader.stream, "cri");
});

Deno.test("CriConnection.events() tells of a container's own end, not of commands' in it", async () => {
  await using rig = await startWith("containerd");
  await using reader = await open(rig);
  const { eventStreams } = rig.fake;
  const at = 1_700_000_000_123_456_789n;
  eventStreams.announce(
    "Subscribe",
    exitEnvelope({ containerId: "c1", processId: "probe7", at }),
  );
  eventStreams.announce(
    "Subscribe",
    exitEnvelope({ containerId: "c1", processId: "c1", at }),
  );
  eventStreams.announce("Subscribe", oomEnvelope("c2"));
  const moves = await reader.until(({ what }) => what === "oom");
  deepStrictEqual(moves.map(briefly), ["stopped c1", "oom c2"]);
  strictEqual(moves[0]?.at, at);
});

for (const stream of ["cri", "containerd"] as const) {
  Deno.test(`CriConnection.events() passes over garbage on the ${stream} stream`, async () => {
    await using rig = await startWith(stream);
    await using reader = await open(rig);
    const method = stream === "cri" ? "GetContainerEvents" : "Subscribe";
    for (const message of garbage(stream)) {
      rig.fake.eventStreams.announce(method, message);
    }
    const { containerId } = await runContainer(rig, "web");
    const moves = await reader.until(({ what, containerId: id }) =>
      what === "started" && id === containerId
    );
    strictEqual(moves.length, 4);
    match(
      rig.metrics.render(),
      /skerry_cri_hints_lost_total\{why="unreadable"\} [1-9]/,
    );
  });

  Deno.test(`CriConnection.events() fails as unavailable when the ${stream} stream's runtime goes, and works again when it is back`, async () => {
    await using rig = await startWith(stream);
    await using reader = await open(rig);
    const failing = rejects(reader.until(() => false), { kind: "unavailable" });
    await rig.fake.stop();
    await failing;
    await rejects(readAll(rig), { kind: "unavailable" });
    await rig.fake.restart();
    await using again = await open(rig);
    strictEqual(again.stream, stream);
  });

  Deno.test(`CriConnection.events() throws what the ${stream} stream breaks with`, async () => {
    await using rig = await startWith(stream);
    await using reader = await open(rig);
    rig.fake.eventStreams.end(new StatusError(CODE.internal, "no more"));
    await rejects(reader.until(() => false), {
      kind: "failed",
      detail: "no more",
    });
  });

  Deno.test(`CriConnection.events() ends when the runtime ends the ${stream} stream`, async () => {
    await using rig = await startWith(stream);
    await using reader = await open(rig);
    rig.fake.eventStreams.end();
    deepStrictEqual(await reader.until(() => false), []);
  });

  Deno.test(`CriConnection.events() ends when it is aborted, and the ${stream} stream with it`, async () => {
    await using rig = await startWith(stream);
    const controller = new AbortController();
    await using reader = await open(rig, controller.signal);
    const reading = reader.until(() => false);
    controller.abort();
    deepStrictEqual(await reading, []);
    await until(() => rig.fake.listeners === 0);
  });

  Deno.test(`CriConnection.events() closes the ${stream} stream when its reader leaves`, async () => {
    await using rig = await startWith(stream);
    {
      await using _reader = await open(rig);
      strictEqual(rig.fake.listeners, 1);
    }
    await until(() => rig.fake.listeners === 0);
  });
}

Deno.test("CriConnection.events() that was open is not unimplemented afterwards", async () => {
  await using rig = await startWith("containerd");
  await using reader = await open(rig);
  rig.fake.eventStreams.end(new StatusError(CODE.unimplemented, "no more"));
  await rejects(reader.until(() => false), { kind: "failed" });
});

Deno.test("CriConnection.events() keeps a bounded number of events for a reader that is slow, and tells it first that it missed some", async () => {
  await using rig = await startWith("containerd");
  await using reader = await open(rig);
  for (let at = 0; at < 1_500; at++) {
    for (let times = 0; times < 2; times++) {
      rig.fake.eventStreams.announce("Subscribe", oomEnvelope(`c${at}`));
    }
  }
  const all = /skerry_cri_hints_total\{stream="containerd"\} 3000/;
  await until(() => all.test(rig.metrics.render()));
  rig.fake.eventStreams.end();
  deepStrictEqual(await reader.next(), { kind: "missed" });
  const moves = await reader.until(() => false);
  deepStrictEqual(
    moves.map(({ containerId }) => containerId),
    Array.from({ length: 1_000 }, (_, at) => `c${at}`),
  );
  match(
    rig.metrics.render(),
    /skerry_cri_hints_lost_total\{why="full"\} 1000/,
  );
});

Deno.test("CriConnection.events() fails when the runtime does not answer what is asked beside the stream", async () => {
  const clock = new FakeClock();
  await using rig = await startWith("containerd", { clock });
  rig.fake.fault("Version", { kind: "hang" });
  const failing = rejects(readAll(rig), { kind: "deadline" });
  await until(() => rig.fake.callsOf("Version").length > 0);
  await clock.advance(10_000);
  await failing;
  await until(() => rig.fake.listeners === 0);
});

async function startWith(
  ...wanted: readonly (Stream | CriRigOptions)[]
): Promise<CriRig> {
  const options = wanted.filter((word) => typeof word === "object")[0];
  const rig = await startCriRig(options);
  rig.fake.eventsEnabled = wanted.includes("cri");
  rig.fake.containerdEventsEnabled = wanted.includes("containerd");
  return rig;
}

interface Reader extends AsyncDisposable {
  readonly stream: Stream | undefined;
  /** Whatever comes next. */
  next(): Promise<RuntimeEvent | undefined>;
  /** The moves up to the first that fits, or to the end. */
  until(
    fits: (moved: ContainerEvent) => boolean,
  ): Promise<readonly ContainerEvent[]>;
}

async function open(
  rig: CriRig,
  signal: AbortSignal = new AbortController().signal,
): Promise<Reader> {
  const events = rig.cri.events(signal)[Symbol.asyncIterator]();
  const first = await events.next();
  // A stream that ends before it opens is a failure of the test at hand.
  strictEqual(first.value?.kind, "connected");
  return {
    stream: first.value.stream,
    next: async () => (await events.next()).value,
    until: async (fits) => {
      const moves: ContainerEvent[] = [];
      for (;;) {
        const { value, done } = await events.next();
        if (done) return moves;
        const moved = asMoved(value);
        moves.push(moved);
        if (fits(moved)) return moves;
      }
    },
    [Symbol.asyncDispose]: async () => {
      await events.return?.();
    },
  };
}

function asMoved(event: RuntimeEvent): ContainerEvent {
  if (event.kind === "moved") return event;
  throw new Error(`Cannot read on: found "${event.kind}", wanted a move`);
}

async function readAll(rig: CriRig): Promise<void> {
  for await (const _ of rig.cri.events(new AbortController().signal)) { /* */ }
}

function briefly({ what, containerId, podUid }: ContainerEvent): string {
  return [what, containerId, podUid].filter(Boolean).join(" ");
}

/** Bytes that are no message, and messages that say nothing. */
function garbage(stream: Stream): readonly Uint8Array[] {
  const noise = Uint8Array.from({ length: 64 }, (_, at) => at * 89 % 256);
  const broken = [
    new Uint8Array(),
    noise,
    // Fields that are longer than the message.
    Uint8Array.of(0x0a, 0x7f, 0x01),
    Uint8Array.of(0x22, 0xff, 0xff, 0xff, 0xff, 0x0f),
  ];
  if (stream === "cri") return broken;
  const idle = [
    envelope("/tasks/unheard-of", noise, 1n),
    envelope("/tasks/exit", noise, 1n),
    envelope("toString", noise, 1n),
    envelope("", new Uint8Array(), 1n),
    { ...envelope("/tasks/oom", noise, 1n), event: undefined },
    oomEnvelope(""),
  ];
  return [...broken, ...idle.map((told) => Envelope.encode(told).finish())];
}
