/**
 * Nodes, and what the builders get, for their tests.
 *
 * @module
 */

import type {
  ContainerSpec,
  Pod,
  PodSpec,
} from "../../../mod/api/types/mod.ts";
import { parseQuantity } from "../../../mod/api/objects/mod.ts";
import { NO_OBJECTS } from "../no_objects.ts";
import type { ContainerSecurityContext } from "../../../mod/cri/config/mod.ts";
import { mountAbilities } from "../../../mod/runtime/spec/runtime_handler.ts";
import { containerSecurity } from "../../../mod/runtime/spec/security_spec.ts";
import type {
  ContainerSpecInput,
  SandboxSpecInput,
  SpecNode,
} from "../../../mod/runtime/spec/spec_input.ts";
import { BARE_CGROUPS, bareNode } from "../../../scripts/lib/bare_node.ts";
import { container, pod } from "../pods.ts";

/** A node with cgroups v1, 16 GiB and 4 CPUs. */
export const SPEC_NODE: SpecNode = bareNode({
  ips: ["10.0.0.5"],
  allocatable: new Map([
    ["cpu", parseQuantity("4")],
    ["memory", parseQuantity("15Gi")],
  ]),
  cgroups: { ...BARE_CGROUPS, hugePageSizes: ["2MB", "1GB"] },
  seccompProfileRoot: "/state/seccomp",
});

/** What the builder of containers gets for `container` in `pod`. */
export function containerInput(
  fields: Partial<ContainerSpecInput> = {},
): ContainerSpecInput {
  const only = fields.container ?? fields.pod?.spec.containers[0] ??
    container();
  return {
    pod: pod({ containers: [only] }),
    container: only,
    kind: "app",
    restartCount: 0,
    sandboxId: "s1",
    podIps: ["10.88.0.7"],
    imageRef: "sha256:abc",
    imageUser: { uid: undefined, username: "" },
    volumes: new Map(),
    objects: NO_OBJECTS,
    abilities: mountAbilities(undefined, ""),
    node: SPEC_NODE,
    ...fields,
  };
}

/** What the builder of sandboxes gets for `pod`. */
export function sandboxInput(
  of: Pod,
  fields: Partial<SandboxSpecInput> = {},
): SandboxSpecInput {
  return {
    pod: of,
    attempt: 0,
    podLogsDir: "/logs",
    dns: { servers: ["127.0.0.1"], searches: ["."], options: [] },
    node: SPEC_NODE,
    ...fields,
  };
}

type PodSecurity = NonNullable<PodSpec["securityContext"]>;
type OwnSecurity = NonNullable<ContainerSpec["securityContext"]>;

/** What a test says of a container's security; the rest is left out. */
export interface SecuritySetting {
  readonly ofPod?: PodSecurity;
  readonly own?: OwnSecurity;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly fields?: Partial<ContainerSpecInput>;
}

/** The security settings of a container `c`. */
export function security(setting: SecuritySetting): ContainerSecurityContext {
  const { ofPod = {}, own = {}, annotations = {}, fields } = setting;
  const only = container("c", { securityContext: own });
  const of = pod({
    containers: [only],
    securityContext: ofPod,
    metadata: { annotations },
  });
  return containerSecurity(
    containerInput({ pod: of, container: only, ...fields }),
  );
}
