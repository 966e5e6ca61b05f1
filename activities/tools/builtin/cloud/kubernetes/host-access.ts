/** Members that give a container what belongs to its machine, wherever a template holds them. */
const SWITCHES: ReadonlySet<string> = new Set(['hostnetwork', 'hostpid', 'hostipc', 'hostprocess', 'privileged']);
/** What containers may be given beside what they have anyway (Pod Security Standards, baseline). */
const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
/** Members that hold texts only, of whatever names. */
const TEXTS: ReadonlySet<string> = new Set(['labels', 'annotations', 'matchlabels', 'nodeselector']);
/** Kinds whose content is nothing that runs: texts, or descriptions of other kinds. */
const STILL: ReadonlySet<string> = new Set([
  'v1 ConfigMap',
  'v1 Secret',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
]);

interface HostManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

/**
 * Returns what of a manifest would reach the machine that it runs on, such as `spec.hostNetwork`; undefined when
 * nothing does. Templates are looked into at any depth, of kinds that nobody knows as well. Letters are compared in
 * whatever case, because some readers of JSON do so.
 */
export function hostAccessIn(manifest: HostManifest): string | undefined {
  const { apiVersion, kind } = manifest;
  if (STILL.has(`${apiVersion} ${kind}`)) return undefined;
  if (kind === 'PersistentVolume' && isMember(manifest['spec'], 'local')) return 'spec.local';
  return found(manifest, []);
}

function found(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const lower = name.toLowerCase();
    if (TEXTS.has(lower)) continue;
    const at = [...path, name];
    if (reachesHost(lower, member, path.at(-1)?.toLowerCase())) return at.join('.');
    const below = found(member, at);
    if (below !== undefined) return below;
  }
  return undefined;
}

function reachesHost(name: string, value: unknown, parent: string | undefined): boolean {
  if (SWITCHES.has(name)) return value !== false && value !== null;
  if (name === 'hostpath') return value !== null;
  if (name !== 'add' || parent !== 'capabilities' || value === null) return false;
  return !Array.isArray(value) || value.some((each) => typeof each !== 'string' || !CAPABILITIES.has(bare(each)));
}

// Some container runtimes take them with the prefix of the kernel.
function bare(capability: string): string {
  return capability.toUpperCase().replace(/^CAP_/, '');
}

function isMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).some((each) => each.toLowerCase() === name);
}
