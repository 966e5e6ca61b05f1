import { entriesOf } from '../core/objects/entries-of.ts';

/** The default limits of an organization. Bytes are those of texts in UTF-8, and of files. */
const DEFAULTS = {
  /** Counted for the user who owns them: each has the other limits. */
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
  /** Counted for one user. */
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
  /** The files that users upload: all of the organization, and one. */
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
