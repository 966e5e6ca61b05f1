import type { AppError } from '../core/app-error.ts';
import { formatBytes } from '../core/format-bytes.ts';
import { limitReached } from '../core/limit-reached.ts';
import { entriesOf } from '../core/objects/entries-of.ts';

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

/** What each limit is of, as errors say it; those that are not of the organizations of an owner say it themselves. */
const THINGS = {
  agents: 'agents',
  chats: `chats (${DELETED_FACTOR} times that with deleted ones)`,
  providers: 'provider accounts',
  chains: 'provider chains',
  modelProfiles: 'model profiles',
  groups: 'permission groups',
  mcpServers: 'MCP servers',
  integrations: 'integrations',
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

/** What somebody who has reached a limit may do about it. */
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
