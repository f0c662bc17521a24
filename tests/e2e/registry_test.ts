/**
 * Images of a registry: open, with logins, with tokens, and one that does not behave.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createServer } from "node:http";
import { AgentProcess } from "../../scripts/lib/agent_process.ts";
import {
  busyboxRecipe,
  type ImageRecipe,
} from "../../scripts/lib/oci_image.ts";
import { podManifest } from "../../scripts/lib/pod_manifest.ts";
import { find, runningContainers } from "../../scripts/lib/pod_views.ts";
import { firstExisting } from "../../scripts/lib/runtime_tools.ts";
import { untilPodRuns, waitingOf } from "../support/e2e/inside.ts";
import {
  containerdVersions,
  withRuntime,
} from "../support/e2e/with_runtime.ts";
import {
  type LayerFault,
  OciRegistry,
  type Repository,
} from "../support/registry/oci_registry.ts";
import { TempDir } from "../support/temp_dir.ts";

const PASSWORD = "correct-horse";
const LOGIN = `me:${PASSWORD}`;

for (const { name, options } of await containerdVersions()) {
  withRuntime(`images of a registry on ${name}`, (test) => {
    test("an open one, by tag and by digest", async (runtime) => {
      await using registry = await OciRegistry.start();
      const open = await registry.add("team/open", await recipe("open"));
      const other = await registry.add("team/other", await recipe("other"));
      await using agent = await AgentProcess.start(runtime.agentOptions());
      await agent.apply("tag.json", sleeper("tag", open.byTag));
      await agent.apply("digest.json", sleeper("digest", other.byDigest));
      await untilPodRuns(agent, "tag");
      await untilPodRuns(agent, "digest");
      ok(registry.requests.every(({ authorization }) => !authorization));
    });

    for (const kind of ["basic", "bearer"] as const) {
      test(`one that wants a login (${kind}): none, wrong ones, and the right one behind one that has expired`, async (runtime) => {
        await using registry = await OciRegistry.start();
        const access = { kind, logins: [LOGIN] };
        const image = await registry.add(
          "team/app",
          await recipe(kind),
          access,
        );
        const { host } = registry;
        await using agent = await AgentProcess.start(runtime.agentOptions());
        await agent.apply(
          "logins.json",
          list(
            pullSecret("wrong", { [host]: "me:wrong-horse" }),
            pullSecret("right", {
              [host]: LOGIN,
              [`${host}/team`]: "me:expired-horse",
            }),
          ),
        );
        for (const name of ["none", "wrong"]) {
          await agent.apply(
            `${name}.json`,
            sleeper(name, image.byTag, name === "none" ? [] : [name]),
          );
          match(await untilRefused(agent, name), /401|authoriz/i);
        }
        await agent.apply(
          "right.json",
          sleeper("right", image.byTag, ["right"]),
        );
        await untilPodRuns(agent, "right");
        // The image is there now, and not for everyone (IM-07).
        await agent.apply("later.json", sleeper("later", image.byTag));
        await untilRefused(agent, "later");
        await agent.apply(
          "again.json",
          sleeper("again", image.byTag, ["right"], "Never"),
        );
        await untilPodRuns(agent, "again");
        const shown = basicLogins(registry);
        deepStrictEqual(
          ["me:wrong-horse", "me:expired-horse", LOGIN].filter((login) =>
            !shown.has(login)
          ),
          [],
        );
        await checkNothingShown(agent, ["horse", btoa(LOGIN)]);
      });
    }

    test("tokens that are good for a few requests only", async (runtime) => {
      await using registry = await OciRegistry.start();
      const image = await registry.add("team/app", await recipe("tokens"), {
        kind: "bearer",
        logins: [LOGIN],
        usesOfToken: 1,
      });
      await using agent = await AgentProcess.create(runtime.agentOptions());
      await Deno.writeTextFile(
        `${agent.rootDir}/config.json`,
        dockerConfig({ [registry.host]: LOGIN }),
      );
      await agent.start();
      await agent.apply("web.json", sleeper("web", image.byTag));
      // containerd 1.6 asks for no other token within one pull.
      await agent.until(
        "the token used up",
        (pods) =>
          runningContainers(find(pods, "web")) === 1 ||
          /invalid_token/.test(
            waitingOf(find(pods, "web"), "c")?.message ?? "",
          ),
      );
      image.access = { kind: "bearer", logins: [LOGIN] };
      await untilPodRuns(agent, "web");
      const tokens = registry.requests.filter(({ path, method }) =>
        path === "/token" && method === "GET"
      );
      ok(tokens.length > 1);
    });

    test("one whose login a service gives over a unix socket", async (runtime) => {
      await using registry = await OciRegistry.start();
      const access = { kind: "basic", logins: [LOGIN] } as const;
      const image = await registry.add(
        "team/app",
        await recipe("asked"),
        access,
      );
      await using directory = await TempDir.make();
      const path = `${directory.path}/logins.sock`;
      const server = createServer((_request, response) => {
        response.end(providerAnswer(registry.host));
      });
      await new Promise<void>((resolve) =>
        server.listen(path, () => resolve())
      );
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        args: [`--image-credential-endpoint=unix://${path}`],
      });
      await agent.apply("web.json", sleeper("web", image.byTag));
      await untilPodRuns(agent, "web");
      await checkNothingShown(agent, ["horse", btoa(LOGIN)]);
      server.close();
    });

    test("ones whose layer is cut off, too short or another one, until they behave", async (runtime) => {
      await using registry = await OciRegistry.start();
      await using agent = await AgentProcess.start(runtime.agentOptions());
      const images: Repository[] = [];
      for (const fault of FAULTS) {
        const image = await registry.add(`team/${fault}`, await recipe(fault));
        image.fault = fault;
        images.push(image);
        await agent.apply(`${fault}.json`, sleeper(nameOf(fault), image.byTag));
      }
      for (const fault of FAULTS) await untilRefused(agent, nameOf(fault));
      for (const image of images) image.fault = undefined;
      for (const fault of FAULTS) await untilPodRuns(agent, nameOf(fault));
    });

    test("one that sends a byte a second is given up when it stands still for too long, until it behaves", async (runtime) => {
      await using registry = await OciRegistry.start();
      const image = await registry.add("team/slow", await recipe("still"));
      image.fault = "slow";
      await using agent = await AgentProcess.start({
        ...runtime.agentOptions(),
        args: ["--image-pull-progress-deadline=10s"],
      });
      await agent.apply("slow.json", sleeper("slow", image.byTag));
      match(
        await untilRefused(agent, "slow"),
        /no progress for \d+(\.\d+)?s \(imagePullProgressDeadline\)/,
      );
      image.fault = undefined;
      await untilPodRuns(agent, "slow");
      const { text } = await agent.get("/metrics");
      match(
        text,
        /^kubelet_image_pull_duration_seconds_count\{image_size_in_bytes="0-10MB"\} 1$/m,
      );
    });

    test("ones whose layers never end hold up no other pod, and nothing is left of their pods when those are removed", async (runtime) => {
      await using registry = await OciRegistry.start();
      await using agent = await AgentProcess.start(runtime.agentOptions());
      for (const fault of ENDLESS) {
        const image = await registry.add(`team/${fault}`, await recipe(fault));
        image.fault = fault;
        await agent.apply(`${fault}.json`, sleeper(fault, image.byTag));
      }
      const pods = await agent.until(
        "the pulls go on",
        () =>
          ENDLESS.every((fault) =>
            registry.requests.filter(({ path }) =>
              path.includes(`/${fault}/blobs/`)
            ).length > 1
          ),
      );
      const good = await registry.add("team/good", await recipe("good"));
      await agent.apply("good.json", sleeper("good", good.byTag));
      await untilPodRuns(agent, "good");
      for (const fault of ENDLESS) {
        await agent.removeManifest(`${fault}.json`);
        await runtime.untilGone(find(pods, fault)?.metadata.uid ?? "", agent);
      }
    });
  }, options);
}

const FAULTS = ["cut", "too_short", "other_bytes"] as const;
const ENDLESS = ["slow", "endless"] as const;

function nameOf(fault: LayerFault): string {
  return fault.replaceAll("_", "-");
}

/** An image of which no other has the layer, so that it is really pulled. */
async function recipe(name: string): Promise<ImageRecipe> {
  const busyboxPath = await firstExisting(["/bin/busybox", "/usr/bin/busybox"]);
  const made = await busyboxRecipe({ ref: "", busyboxPath });
  const bytes = new TextEncoder().encode(`${name} ${crypto.randomUUID()}`);
  const path = "etc/name";
  const file = { kind: "file", path, mode: 0o644, bytes } as const;
  return { ...made, layer: [...made.layer, file] };
}

function sleeper(
  name: string,
  image: string,
  secrets: readonly string[] = [],
  imagePullPolicy: "IfNotPresent" | "Never" = "IfNotPresent",
): Record<string, unknown> {
  const command = ["sleep", "100000"];
  return podManifest(name, {
    containers: [{ name: "c", image, command, imagePullPolicy }],
    imagePullSecrets: secrets.map((name) => ({ name })),
  });
}

function pullSecret(
  name: string,
  logins: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": dockerConfig(logins) },
  };
}

/** What a provider of credentials answers. */
function providerAnswer(host: string): string {
  return JSON.stringify({
    kind: "CredentialProviderResponse",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    cacheKeyType: "Registry",
    cacheDuration: "1h",
    auth: { [host]: { username: "me", password: PASSWORD } },
  });
}

function list(...items: readonly unknown[]): Record<string, unknown> {
  return { apiVersion: "v1", kind: "List", items };
}

function dockerConfig(logins: Readonly<Record<string, string>>): string {
  const auths = Object.fromEntries(
    Object.entries(logins).map(([key, login]) => [key, { auth: btoa(login) }]),
  );
  return JSON.stringify({ auths });
}

/** Waits until the image of a pod could not be pulled, and returns what is said of it. */
async function untilRefused(
  agent: AgentProcess,
  name: string,
): Promise<string> {
  const pods = await agent.until(
    `${name} refused`,
    (pods) =>
      /^(ErrImagePull|ImagePullBackOff)$/.test(
        waitingOf(find(pods, name), "c")?.reason ?? "",
      ),
  );
  return waitingOf(find(pods, name), "c")?.message ?? "";
}

/** The logins that the registry was shown. */
function basicLogins({ requests }: OciRegistry): ReadonlySet<string> {
  return new Set(requests.flatMap(({ authorization = "" }) => {
    const [, packed] = /^Basic (.+)$/.exec(authorization) ?? [];
    return packed === undefined ? [] : [atob(packed)];
  }));
}

/** Nobody who may ask the agent, or reads its log, sees any of these words. */
async function checkNothingShown(
  agent: AgentProcess,
  words: readonly string[],
): Promise<void> {
  const places = ["/api/v1/pods", "/api/v1/events", "/metrics"];
  const answers = await Promise.all(places.map((path) => agent.get(path)));
  for (const { status } of answers) strictEqual(status, 200);
  const all = [...answers.map(({ text }) => text), await agent.logTail(10_000)];
  for (const word of words) ok(all.every((text) => !text.includes(word)), word);
}
