import { AppError, limitReached } from './core/app-error.ts';
import { entriesOf } from './core/objects.ts';
import { formatBytes } from './core/text.ts';
import { type Role, ROLES } from './permissions/keys.ts';

/** A user in one of their organizations. */
export interface Membership {
  readonly orgId: string;
  readonly userId: string;
}

/** Returns whether a role is `least` or higher. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns whether a member with this role may grant a role: admins those below their own, the owner every one. */
export function mayGrant(caller: Role, role: Role): boolean {
  return caller === 'owner' || (caller === 'admin' && !isAtLeast(role, 'admin'));
}

/** Two members of one organization, the first of whom wants to do something to the second. */
interface MemberAction {
  readonly caller: Role;
  readonly target: Role;
  readonly isSelf: boolean;
}

/** The effect of a change of a member's role. */
type RoleChange = 'none' | 'change' | 'transfer';

/** Decides about a change of a role; throws in words when it may not be. */
export function evaluateRoleChange({ caller, target, isSelf }: MemberAction, to: Role): RoleChange {
  if (to === 'owner') return evaluateTransfer({ caller, target, isSelf });
  if (target === 'owner') throw ownerStays(caller);
  if (isSelf && !isAtLeast(to, caller)) return 'change';
  rejectUnlessAbove({ caller, target, isSelf });
  if (to === target) return 'none';
  if (!mayGrant(caller, to)) throw new AppError('forbidden', `Only the owner may grant the role ${to}`);
  return 'change';
}

function evaluateTransfer({ caller, isSelf }: MemberAction): RoleChange {
  if (caller !== 'owner') throw new AppError('forbidden', 'Only the owner may hand the organization over');
  return isSelf ? 'none' : 'transfer';
}

/** Throws unless the caller may remove the target or end their access: nobody the owner, admins no other admin. */
export function rejectUnlessAbove({ caller, target, isSelf }: MemberAction): void {
  if (isSelf || caller === 'owner') return;
  if (!mayGrant(caller, target)) throw new AppError('forbidden', `Your role does not allow this for the ${target}`);
}

function ownerStays(caller: Role): AppError {
  if (caller !== 'owner') return new AppError('forbidden', "The owner's role changes only when they hand it over");
  return new AppError('conflict', 'The owner keeps this role until somebody else is made the owner');
}

/** Makes the error for a caller who lost the necessary role while the change was being made. */
export function roleHasChanged(): AppError {
  return new AppError('conflict', 'Your role in the organization has just changed; reload and try again');
}

/**
 * The default limits of all organizations of one owner together. Bytes are those of texts in UTF-8, and of files.
 */
const DEFAULTS = {
  /** Organizations that one user owns. */
  orgs: 10,
  agents: 1_000,
  chats: 20_000,
  providers: 100,
  chains: 100,
  modelProfiles: 100,
  groups: 100,
  mcpServers: 100,
  integrations: 100,
  destinations: 100,
  channels: 100,
  knowledgeBases: 100,
  projects: 1_000,
  workflows: 1_000,
  schedules: 1_000,
  members: 1_000,
  invites: 500,
  /** Counted for one user in one organization. */
  apiKeys: 50,
  /** Tools, skills and personas of its own, together. */
  definitions: 1_000,
  definitionBytes: 256 * 1024 ** 2,
  messageBytes: 5 * 1024 ** 3,
  /** Issues, their comments, and tasks. */
  workBytes: 1024 ** 3,
  /** The texts of documents in knowledge bases. */
  knowledgeBytes: 256 * 1024 ** 2,
  /** Messages that channels have received and that wait to be handled. */
  channelBytes: 200 * 1024 ** 2,
  fileBytes: 1024 ** 3,
  /** The files that users upload: all of them, and one. */
  uploadBytes: 1024 ** 3,
  uploadBytesOfOne: 25 * 1024 ** 2,
};

/** How many times the limit on live records an organization may have in total, restorable deleted ones included. */
export const DELETED_FACTOR = 10;

export type OrgLimits = Readonly<typeof DEFAULTS>;

const UNITS: ReadonlyMap<string | undefined, number> = new Map([
  [undefined, 1],
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
]);

const KEY_OF = new Map(Object.keys(DEFAULTS).map((key) => [nameOf(key), key]));

/**
 * Reads limits as settings give them: `agents=50,message_bytes=2GB`. 0 is unlimited; what is not named has its default.
 * Throws what is wrong with the text.
 */
export function parseOrgLimits(text: string): OrgLimits {
  return { ...DEFAULTS, ...Object.fromEntries(entriesOf(text).map(parseLimit)) };
}

/**
 * The nouns of the limits in error messages; those that do not apply to all organizations of an owner have their own
 * texts.
 */
const THINGS = {
  agents: 'agents',
  chats: `chats (${DELETED_FACTOR} times that with deleted ones)`,
  providers: 'provider accounts',
  chains: 'provider chains',
  modelProfiles: 'model profiles',
  groups: 'permission groups',
  mcpServers: 'MCP servers',
  integrations: 'integrations',
  destinations: 'destinations',
  channels: 'channels',
  knowledgeBases: 'knowledge bases',
  projects: 'projects',
  workflows: 'workflows',
  schedules: 'schedules',
  members: 'members, open invites included',
  invites: 'open invites',
  definitions: 'tools, skills and personas',
  definitionBytes: 'of files of tools and skills',
  messageBytes: 'of messages',
  workBytes: 'of issues, comments, tasks and runs of workflows',
  knowledgeBytes: 'of documents in knowledge bases',
  fileBytes: 'of files',
  uploadBytes: 'of uploaded files',
} as const satisfies Partial<Record<keyof OrgLimits, string>>;

type Shared = keyof typeof THINGS;

/** How somebody who has reached a limit can resolve it. */
export const ON_LIMITS = '; delete what is no longer needed, or ask the operator of the server to raise the limit';

/** Makes the error for a limit that the organizations of an owner have reached; it says what can be done about it. */
export function orgLimitReached<K extends Shared>(
  kind: K,
  limits: Pick<OrgLimits, K>,
  { withDeleted = false } = {},
): AppError {
  const limit = limits[kind] * (withDeleted ? DELETED_FACTOR : 1);
  const shown = kind.endsWith('Bytes') ? formatBytes(limit) : limit;
  const things = `${THINGS[kind]}${withDeleted ? ', deleted ones included' : ''}`;
  return limitReached(`${things} in all their organizations`, shown, { whose: 'owner', advice: ON_LIMITS });
}

function parseLimit(item: string): [string, number] {
  const [, name = '', digits, unit] = /^(\w+)=(\d{1,12})(KB|MB|GB)?$/.exec(item) ?? [];
  const key = KEY_OF.get(name);
  if (key === undefined)
    throw new Error(`must be a list like agents=50,message_bytes=2GB of ${[...KEY_OF.keys()].join(', ')}`);
  const limit = Number(digits) * (UNITS.get(unit) ?? 1);
  return [key, limit === 0 ? Number.MAX_SAFE_INTEGER : limit];
}

function nameOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
