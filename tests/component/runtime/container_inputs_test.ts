/**
 * What containers are made of: sub-paths on a real disk, objects that come late,
 * files of variables, images; against a fake runtime.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { KeyedObject } from "../../../mod/api/objects/mod.ts";
import type { Pod, PodSpec } from "../../../mod/api/types/mod.ts";
import type { VolumeSource } from "../../../mod/pod/inputs/mod.ts";
import type { SyncOutcome } from "../../../mod/runtime/account/mod.ts";
import type { RecordedCall } from "../../support/fake_cri/fake_cri.ts";
import { keyed, objectGetter } from "../../support/keyed_objects.ts";
import { container, pod } from "../../support/pods.ts";
import {
  type FakeRig,
  fakeRig,
  type RigWorld,
} from "../../support/runtime/runtime_rig.ts";
import { makeFifo } from "../../support/fifo.ts";

/** A rig with one volume `v` that the pod mounts at /d by a sub-path. */
interface VolumeRig extends FakeRig {
  readonly root: string;
  readonly volumes: ReadonlyMap<string, VolumeSource>;
}

async function volumeRig(world: RigWorld = {}): Promise<VolumeRig> {
  const both = await fakeRig({}, world);
  const root = `${await Deno.realPath(both.rig.directory)}/volume`;
  await Deno.mkdir(root);
  return {
    ...both,
    root,
    volumes: new Map([["v", { hostPath: root, readOnly: false }]]),
    [Symbol.asyncDispose]: () => both[Symbol.asyncDispose](),
  };
}

function mounting(subPath: string, spec: Partial<PodSpec> = {}): Pod {
  const volumeMounts = [{ name: "v", mountPath: "/d", subPath }];
  return pod({
    containers: [container("c", { volumeMounts })],
    volumes: [{ name: "v", emptyDir: {} }],
    ...spec,
  });
}

/** Does something at the moment the runtime is asked for it, before it is done. */
function at(both: FakeRig, method: string, act: () => void): void {
  const { calls } = both.fake;
  let isDone = false;
  calls.push = (...items: RecordedCall[]): number => {
    if (!isDone && items.some((item) => item.method === method)) {
      isDone = true;
      act();
    }
    return Array.prototype.push.apply(calls, items);
  };
}

function exchange(path: string): void {
  Deno.renameSync(path, `${path}.old`);
  Deno.symlinkSync("/", path);
}

function only(outcome: SyncOutcome): SyncOutcome["failures"][number] {
  strictEqual(outcome.failures.length, 1);
  const [failure] = outcome.failures;
  ok(failure !== undefined);
  return failure;
}

Deno.test("PodExecutor.execute() mounts a sub-path where it lies and makes what is missing (VO-03)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  const outcome = await rig.sync(mounting("x/y"), { volumes });
  deepStrictEqual(outcome.failures, []);
  ok((await Deno.stat(`${root}/x/y`)).isDirectory);
  const [running] = fake.running("c");
  const mount = running?.config.mounts.find((one) =>
    one.containerPath === "/d"
  );
  strictEqual(mount?.hostPath, `${root}/x/y`);
});

Deno.test("PodExecutor.execute() expands subPathExpr anew at each start (VO-03)", async () => {
  const objects: KeyedObject[] = [keyed("ConfigMap", "m", { DIR: "one" })];
  await using both = await volumeRig({ objects: objectGetter(objects) });
  const { rig, fake, root, volumes } = both;
  const subject = mounting("", {
    containers: [container("c", {
      env: [{
        name: "DIR",
        valueFrom: { configMapKeyRef: { name: "m", key: "DIR" } },
      }],
      volumeMounts: [{ name: "v", mountPath: "/d", subPathExpr: "$(DIR)" }],
    })],
  });
  for (const dir of ["one", "two"]) {
    objects[0] = keyed("ConfigMap", "m", { DIR: dir });
    await rig.sync(subject, { volumes });
    const [running] = fake.running("c");
    const mount = running?.config.mounts.find((one) =>
      one.containerPath === "/d"
    );
    strictEqual(mount?.hostPath, `${root}/${dir}`);
    if (running !== undefined) fake.exitContainer(running.id, 0);
  }
});

for (
  const [target, subPath] of [["/", "evil"], ["/", "evil/etc"], [
    "../../../..",
    "evil",
  ]] as const
) {
  Deno.test(`PodExecutor.execute() creates nothing for subPath ${subPath} over a link to ${target} (VO-04)`, async () => {
    await using both = await volumeRig();
    const { rig, fake, root, volumes } = both;
    await Deno.symlink(target, `${root}/evil`);
    const failure = only(await rig.sync(mounting(subPath), { volumes }));
    strictEqual(failure.reason, "CreateContainerConfigError");
    match(failure.message, /subPath "evil.*" is not within the volume/);
    strictEqual(fake.callsOf("CreateContainer").length, 0);
    const [told] = rig.events.filter(({ reason }) => reason === "Failed");
    strictEqual(told?.type, "Warning");
    match(told?.message ?? "", /is not within the volume/);
  });
}

Deno.test("PodExecutor.execute() tells of a refused subPathExpr without what it expands to (VO-04)", async () => {
  const objects = objectGetter([keyed("Secret", "safe", { DIR: "hunter2/x" })]);
  await using both = await volumeRig({ objects });
  const { rig, root, volumes } = both;
  await Deno.symlink("/", `${root}/hunter2`);
  const failure = only(
    await rig.sync(
      mounting("", {
        containers: [container("c", {
          envFrom: [{ secretRef: { name: "safe" } }],
          volumeMounts: [
            { name: "v", mountPath: "/d", subPathExpr: "$(DIR)" },
          ],
        })],
      }),
      { volumes },
    ),
  );
  match(failure.message, /subPath "\$\(DIR\)" is not within the volume/);
  ok(!JSON.stringify([failure, rig.events]).includes("hunter2"));
});

Deno.test("PodExecutor.execute() does not start a container whose sub-path was exchanged before (VO-04)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  at(both, "CreateContainer", () => exchange(`${root}/x`));
  const failure = only(await rig.sync(mounting("x"), { volumes }));
  strictEqual(failure.reason, "CreateContainerConfigError");
  match(failure.message, /subpath "x" of volume "v" was exchanged/);
  strictEqual(fake.callsOf("StartContainer").length, 0);
});

Deno.test("PodExecutor.execute() kills at once what started on an exchanged sub-path (VO-04)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  at(both, "StartContainer", () => exchange(`${root}/x`));
  const outcome = await rig.sync(mounting("x"), { volumes });
  const failure = only(outcome);
  strictEqual(failure.reason, "CreateContainerConfigError");
  match(failure.message, /subpath "x" of volume "v" was exchanged/);
  strictEqual(outcome.acted, true);
  strictEqual(fake.running("c").length, 0);
  deepStrictEqual(
    fake.callsOf("StopContainer").map(({ request }) =>
      Number((request as { readonly timeout: bigint }).timeout)
    ),
    [0],
  );
  const last = rig.events.at(-1);
  deepStrictEqual([last?.type, last?.reason], ["Warning", "Failed"]);
  match(last?.message ?? "", /was exchanged while it was mounted/);
});

Deno.test("PodExecutor.execute() removes what it cannot stop on an exchanged sub-path (VO-04)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  at(both, "StartContainer", () => exchange(`${root}/x`));
  fake.fault("StopContainer", {
    kind: "error",
    code: 2,
    details: "shim is gone",
  });
  only(await rig.sync(mounting("x"), { volumes }));
  strictEqual(fake.running("c").length, 0);
  strictEqual(fake.callsOf("RemoveContainer").length, 1);
});

Deno.test("PodExecutor.execute() says so when it can neither stop nor remove what runs on an exchanged sub-path (VO-04)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  at(both, "StartContainer", () => exchange(`${root}/x`));
  const gone = { kind: "error", code: 2, details: "shim is gone" } as const;
  for (const method of ["StopContainer", "RemoveContainer"]) {
    fake.fault(method, gone);
  }
  const outcome = await rig.sync(mounting("x"), { volumes });
  const { reason, message } = only(outcome);
  deepStrictEqual([reason, message], [
    "RunContainerError",
    "Cannot RemoveContainer: shim is gone",
  ]);
  // It may run: nobody has seen what became of it.
  strictEqual(outcome.observed, undefined);
});

Deno.test("PodExecutor.execute() kills what runs on an exchanged sub-path although its start failed (VO-04)", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  at(both, "StartContainer", () => exchange(`${root}/x`));
  fake.fault("StartContainer", { kind: "drop_reply" }, { times: 1 });
  const failure = only(await rig.sync(mounting("x"), { volumes }));
  strictEqual(failure.reason, "RunContainerError");
  strictEqual(fake.running("c").length, 0);
});

Deno.test("PodExecutor.execute() takes a sub-path that cannot be looked at for exchanged (VO-04)", async () => {
  await using both = await volumeRig({
    subPaths: {
      resolve: ({ volumeRoot, subPath }) =>
        Promise.resolve({
          kind: "ok",
          pinned: {
            volumeRoot,
            path: `${volumeRoot}/${subPath}`,
            device: 1,
            inode: 2,
          },
        }),
      isUnchanged: () => Promise.reject(new Error("I/O error")),
    },
  });
  const { rig, fake, volumes } = both;
  only(await rig.sync(mounting("x"), { volumes }));
  strictEqual(fake.callsOf("StartContainer").length, 0);
});

Deno.test("PodExecutor.execute() waits for a missing Secret and starts once it is there (VO-14)", async () => {
  const objects: KeyedObject[] = [];
  await using both = await volumeRig({ objects: objectGetter(objects) });
  const { rig, fake } = both;
  const subject = pod({
    containers: [
      container("c", { envFrom: [{ secretRef: { name: "safe" } }] }),
    ],
  });
  const failure = only(await rig.sync(subject));
  deepStrictEqual(
    [failure.container, failure.reason, failure.message],
    ["c", "CreateContainerConfigError", 'secret "safe" not found'],
  );
  ok(rig.told().includes('Failed: Error: secret "safe" not found'));
  strictEqual(fake.callsOf("CreateContainer").length, 0);

  objects.push(keyed("Secret", "safe", { PASSWORD: "hunter2" }));
  deepStrictEqual((await rig.sync(subject)).failures, []);
  const [running] = fake.running("c");
  deepStrictEqual(running?.config.envs.map(({ key }) => key), ["PASSWORD"]);
  ok(!JSON.stringify(rig.events).includes("hunter2"));
});

const FILE_POD = pod({
  containers: [container("c", {
    env: [{
      name: "A",
      valueFrom: { fileKeyRef: { volumeName: "v", path: "app.env", key: "A" } },
    }],
  })],
  volumes: [{ name: "v", emptyDir: {} }],
});

Deno.test("PodExecutor.execute() reads variables that an earlier container wrote", async () => {
  await using both = await volumeRig();
  const { rig, fake, root, volumes } = both;
  const missing = only(await rig.sync(FILE_POD, { volumes }));
  strictEqual(missing.reason, "CreateContainerConfigError");
  match(missing.message, /"app.env" of volume "v" is not there/);
  await Deno.writeTextFile(`${root}/app.env`, "A='1'\n");
  deepStrictEqual((await rig.sync(FILE_POD, { volumes })).failures, []);
  const [running] = fake.running("c");
  deepStrictEqual(running?.config.envs.map(({ key }) => key), ["A"]);
});

Deno.test("PodExecutor.execute() reads no variables through a link, from a pipe or from a large file", async () => {
  await using both = await volumeRig();
  const { rig, root, volumes } = both;
  const path = `${root}/app.env`;
  await Deno.writeTextFile(`${root}/../secret.env`, "A='hunter2'\n");
  await Deno.symlink(`${root}/../secret.env`, path);
  match(only(await rig.sync(FILE_POD, { volumes })).message, /is a link/);
  await Deno.remove(path);
  await makeFifo(path);
  match(only(await rig.sync(FILE_POD, { volumes })).message, /is no file/);
  await Deno.remove(path);
  await Deno.writeTextFile(path, `#${"x".repeat(64 << 10)}\nA='1'\n`);
  match(only(await rig.sync(FILE_POD, { volumes })).message, /is larger than/);
  await Deno.writeTextFile(path, "A='1'\n".padEnd(64 << 10, "\n"));
  deepStrictEqual((await rig.sync(FILE_POD, { volumes })).failures, []);
});

Deno.test("PodExecutor.execute() holds no more than 32 files of variables in memory", async () => {
  await using both = await volumeRig();
  const { rig, root, volumes } = both;
  const env = Array.from({ length: 33 }, (_, at) => ({
    name: `V${at}`,
    valueFrom: {
      fileKeyRef: { volumeName: "v", path: `${at}.env`, key: "A" },
    },
  }));
  for (const at of env.keys()) {
    await Deno.writeTextFile(`${root}/${at}.env`, "A='1'\n");
  }
  const sync = (count: number) =>
    rig.sync(
      pod({
        containers: [container("c", { env: env.slice(0, count) })],
        volumes: [{ name: "v", emptyDir: {} }],
      }),
      { volumes },
    );
  match(only(await sync(33)).message, /"32.env" .* more than 32 files/);
  deepStrictEqual((await sync(32)).failures, []);
});

const IMAGE_POD = pod({
  containers: [container("c", {
    volumeMounts: [{ name: "m", mountPath: "/d", subPath: "weights" }],
  })],
  volumes: [{
    name: "m",
    image: { reference: "localhost/model:1", pullPolicy: "IfNotPresent" },
  }],
});

function runtime(runtimeVersion: string) {
  return () => ({
    version: {
      runtimeName: "containerd",
      runtimeVersion,
    },
    handlers: [],
    supplementalGroupsPolicy: false,
  });
}

Deno.test("PodExecutor.execute() pulls and mounts an image volume", async () => {
  await using both = await volumeRig({ runtime: runtime("2.1.0") });
  const { rig, fake } = both;
  const failure = only(await rig.sync(IMAGE_POD));
  strictEqual(failure.reason, "ErrImagePull");
  match(failure.message, /^Cannot pull volume "m": /);
  strictEqual(fake.callsOf("CreateContainer").length, 0);

  fake.addImage({ ref: "localhost/model:1" });
  deepStrictEqual((await rig.sync(IMAGE_POD)).failures, []);
  const [running] = fake.running("c");
  const mount = running?.config.mounts.find((one) =>
    one.containerPath === "/d"
  );
  strictEqual(mount?.hostPath, "");
  strictEqual(mount?.image?.userSpecifiedImage, "localhost/model:1");
  strictEqual(mount?.imageSubPath, "weights");
});

Deno.test("PodExecutor.execute() pulls no image volume whose policy says Never", async () => {
  await using both = await volumeRig({ runtime: runtime("2.1.0") });
  const image = { reference: "localhost/model:1", pullPolicy: "Never" };
  const subject: Pod = {
    ...IMAGE_POD,
    spec: { ...IMAGE_POD.spec, volumes: [{ name: "m", image }] },
  };
  const failure = only(await both.rig.sync(subject));
  strictEqual(failure.reason, "ErrImageNeverPull");
  deepStrictEqual(both.fake.callsOf("PullImage"), []);
});

Deno.test("PodExecutor.execute() refuses an image volume that the runtime does not mount", async () => {
  await using both = await volumeRig({ runtime: runtime("1.6.20") });
  const failure = only(await both.rig.sync(IMAGE_POD));
  strictEqual(failure.reason, "CreateContainerConfigError");
  match(failure.message, /"containerd" 1\.6\.20 mounts no images/);
});
