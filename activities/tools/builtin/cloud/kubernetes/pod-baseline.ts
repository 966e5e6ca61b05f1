/** What containers may be given beside what they have anyway. */
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

/** What breaks the baseline, by the name of a member in small letters, wherever a template holds it. */
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
 * @param parent - The name of the member that holds it.
 */
export function isBeyondBaseline(name: string, value: unknown, parent: string | undefined): boolean {
  return RULES.get(name.toLowerCase())?.(value, parent?.toLowerCase()) === true || isUnconfined(name, value);
}

/** Returns whether an annotation lets containers run without the profiles that confine them. */
export function isUnconfined(annotation: string, value: unknown): boolean {
  const lower = annotation.toLowerCase();
  if (!PROFILE_ANNOTATIONS.some((prefix) => lower.startsWith(prefix))) return false;
  return typeof value !== 'string' || !PROFILE_TEXT.test(value);
}

/** Returns what the members of an object that have this name, in whatever case, hold; nothing of what is no object. */
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
