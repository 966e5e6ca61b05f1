import { z } from 'zod';
import { parseForeignJson } from '../../../../../domain/core/foreign-json.ts';
import type { ToolContext } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';

/** The objects that one call applies at most. */
const MAX_OBJECTS = 30;
const MAX_NESTED_LISTS = 3;
const MAX_DEPTH = 100;
const convertedSchema = z.object({ text: z.string() });
const manifestSchema = z.looseObject({
  apiVersion: z.string().regex(/^(?:[a-z\d.-]{1,253}\/)?v[a-z\d]{1,30}$/),
  kind: z.string().regex(/^[A-Za-z\d]{1,63}$/),
  metadata: z.looseObject({ name: z.string().min(1).max(253), namespace: z.string().min(1).max(63).optional() }),
});
const listSchema = z.looseObject({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) });

/** An object as it is to be. */
export type Manifest = z.output<typeof manifestSchema>;

/**
 * Returns the objects that a text of YAML or JSON describes, of one or several documents, those of lists too. What is
 * checked here is what is sent. Throws `ToolFailure` for one that is no object, or gives pods more than the baseline of
 * the Pod Security Standards.
 */
export async function readManifests(text: string, context: Pick<ToolContext, 'compute'>): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const document of documentsIn(text)) {
    const content = Buffer.from(document).toString('base64');
    const json = await context.compute({ kind: 'convert', content, from: 'yaml', to: 'json' });
    const parsed = parseForeignJson(convertedSchema.parse(JSON.parse(json)).text, { maxDepth: MAX_DEPTH });
    if ('issue' in parsed) throw new ToolFailure('invalid_input', `The manifest cannot be read: ${parsed.issue}`);
    if (parsed.value !== null) manifests.push(...objectsIn(parsed.value, MAX_NESTED_LISTS));
    if (manifests.length > MAX_OBJECTS)
      throw new ToolFailure('invalid_input', `A manifest has at most ${MAX_OBJECTS} objects`);
  }
  if (manifests.length === 0) throw new ToolFailure('invalid_input', 'The manifest contains no object');
  for (const manifest of manifests) {
    const access = hostAccessIn(manifest);
    if (access !== undefined)
      throw new ToolFailure(
        'denied',
        `${nameOf(manifest)} is not applied: ${access} is beyond the baseline of the Pod Security Standards`,
      );
  }
  return manifests;
}

/** Returns how people call an object: `Deployment web`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

/** Returns the documents of a text of YAML. Throws `ToolFailure` when there are too many. */
export function documentsIn(text: string): readonly string[] {
  // A line that begins with three hyphens separates them, even within what appears to be a text.
  const documents = text.split(/^---(?=\s|$)/m).filter((document) => document.trim() !== '');
  if (documents.length > MAX_OBJECTS)
    throw new ToolFailure('invalid_input', `A manifest has at most ${MAX_OBJECTS} documents`);
  return documents;
}

function objectsIn(value: unknown, depth: number): readonly Manifest[] {
  const { data: list } = listSchema.safeParse(value);
  if (list !== undefined) {
    if (depth === 0) throw new ToolFailure('invalid_input', 'The lists of the manifest are nested too deeply');
    return list.items.flatMap((each) => objectsIn(each, depth - 1));
  }
  const { data, error } = manifestSchema.safeParse(value);
  if (data !== undefined) return [data];
  const at = error.issues[0]?.path.join('.') ?? '';
  throw new ToolFailure('invalid_input', `Each object has apiVersion, kind and metadata.name (wrong at "${at}")`);
}

/** Members that may contain texts of any name. */
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
 * Returns what in a manifest reaches the machine that it runs on, or is beyond the baseline of the Pod Security
 * Standards otherwise, such as `spec.hostNetwork`; undefined when nothing is. Searches templates at any depth, those of
 * unknown kinds too.
 */
export function hostAccessIn(manifest: HostManifest): string | undefined {
  const { apiVersion, kind } = manifest;
  if (STILL.has(`${apiVersion} ${kind}`)) return undefined;
  if (kind === 'PersistentVolume' && membersOf(manifest['spec'], 'local').length > 0) return 'spec.local';
  return found(manifest, []);
}

function found(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parent = path.at(-1);
  const areTexts = TEXTS.has(parent?.toLowerCase() ?? '') && hasOnlyTexts(value);
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    if (areTexts ? isUnconfined(name, member) : isBeyondBaseline(name, member, parent)) return at.join('.');
    const below = found(member, at);
    if (below !== undefined) return below;
  }
  return undefined;
}

function hasOnlyTexts(value: object): boolean {
  return Object.values(value).every((each) => typeof each === 'string');
}

/** The capabilities that containers may add to the default ones. */
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
const SELINUX_TYPES: ReadonlySet<string> = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);
/** Settings of the kernel that each pod has for itself. */
const SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_syncookies',
]);
const PROFILES: ReadonlySet<string> = new Set(['runtimedefault', 'localhost']);
/** Annotations that chose profiles before there were members for them. */
const PROFILE_ANNOTATIONS: readonly string[] = [
  'container.apparmor.security.beta.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
  'seccomp.security.alpha.kubernetes.io/',
];
const PROFILE_TEXT = /^(?:runtime\/default|docker\/default|localhost\/.*)?$/i;

type Rule = (value: unknown, parent: string | undefined) => boolean;

const isOn: Rule = (value) => value !== false && !isNothing(value);
const isGiven: Rule = (value) => !isNothing(value);
const isOtherProfile: Rule = (value) =>
  membersOf(value, 'type').some((type) => !isNothing(type) && !isOneOf(type, PROFILES));
const isHostOfProbe: Rule = (value, parent) =>
  (parent === 'httpget' || parent === 'tcpsocket') && value !== '' && !isNothing(value);

/** What breaks the baseline, by the name of a member in small letters, wherever a template contains it. */
const RULES: ReadonlyMap<string, Rule> = new Map([
  ['hostnetwork', isOn],
  ['hostpid', isOn],
  ['hostipc', isOn],
  ['hostprocess', isOn],
  ['privileged', isOn],
  ['hostpath', isGiven],
  ['hostport', (value) => value !== 0 && !isNothing(value)],
  ['host', isHostOfProbe],
  ['procmount', (value) => !isNothing(value) && !isOneOf(value, new Set(['', 'default']))],
  ['seccompprofile', isOtherProfile],
  ['apparmorprofile', isOtherProfile],
  ['selinuxoptions', isOtherLabel],
  ['sysctls', (value) => !isNothing(value) && !isListOf(value, isSafeSysctl)],
  ['add', (value, parent) => parent === 'capabilities' && !isNothing(value) && !isListOf(value, isCapability)],
  ['driver', (value, parent) => parent === 'csi' && typeof value === 'string' && /hostpath/i.test(value)],
]);

/**
 * Returns whether a member of an object gives pods more than the baseline of the Pod Security Standards lets them have.
 * Names are compared in whatever case, because some readers of JSON do so.
 *
 * @param parent - The name of the member that contains it.
 */
function isBeyondBaseline(name: string, value: unknown, parent: string | undefined): boolean {
  return RULES.get(name.toLowerCase())?.(value, parent?.toLowerCase()) === true || isUnconfined(name, value);
}

/** Returns whether an annotation lets containers run without the profiles that confine them. */
function isUnconfined(annotation: string, value: unknown): boolean {
  const lower = annotation.toLowerCase();
  if (!PROFILE_ANNOTATIONS.some((prefix) => lower.startsWith(prefix))) return false;
  return typeof value !== 'string' || !PROFILE_TEXT.test(value);
}

/** Returns the values of an object's members with this name, in any case; nothing of what is no object. */
export function membersOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([each, member]) => (each.toLowerCase() === name ? [member] : []));
}

function isOtherLabel(options: unknown): boolean {
  if (membersOf(options, 'type').some((type) => !isNothing(type) && !isOneOf(type, SELINUX_TYPES))) return true;
  return ['user', 'role'].some((name) => membersOf(options, name).some((each) => each !== '' && !isNothing(each)));
}

function isSafeSysctl(setting: unknown): boolean {
  const names = membersOf(setting, 'name');
  return names.length > 0 && names.every((each) => isOneOf(each, SYSCTLS));
}

// Some container runtimes take them with the prefix of the kernel.
function isCapability(value: unknown): boolean {
  return typeof value === 'string' && CAPABILITIES.has(value.toUpperCase().replace(/^CAP_/, ''));
}

function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

function isOneOf(value: unknown, known: ReadonlySet<string>): boolean {
  return typeof value === 'string' && known.has(value.toLowerCase());
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
