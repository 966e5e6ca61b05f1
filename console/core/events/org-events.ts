import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { components } from '../../openapi.ts';
import { LastingSocket, type Socket, type SocketToken } from '../socket/lasting-socket.ts';

/** A frame about what has changed in an organization. */
export type OrgFrame = components['schemas']['OrganizationFrame'];

type Change = Extract<OrgFrame, { type: 'changed' }>;

interface OrgEventsOptions {
  readonly orgId: string;
  readonly cache: Pick<QueryClient, 'invalidateQueries'>;
  openSocket(token: string): Socket;
  takeToken(worn: string | undefined): Promise<SocketToken>;
  /** Returns how many milliseconds ago the first of what the cache holds of the organization may have been read. */
  readForMs(): number;
  /** Whether nobody looks at the tab: then what has changed is read when somebody does. */
  isHidden(): boolean;
  /** Is told whether what is shown is kept up to date. */
  onLive(isLive: boolean): void;
}

/** How long changes are gathered, in milliseconds: what happens together is read again once. */
const GATHER_MS = 250;
/** Time between two readings of a query for changes, in milliseconds. */
const PAUSE_MS = 3_000;
/** Changes that are gathered one by one; beyond it everything is read again. */
const MAX_GATHERED = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Keeps what the cache holds of an organization up to date: one socket for each tab tells which records have changed,
 * and queries that show them are read again. Keys of queries begin with the organization and the capability; one that
 * has ids in it shows these records.
 */
export class OrgEvents {
  readonly #options: OrgEventsOptions;
  readonly #socket: LastingSocket<OrgFrame>;
  readonly #gathered = new Map<string, Change>();
  /** When queries were last read again for changes. */
  readonly #readAt = new WeakMap<Query, number>();
  /** Queries that changes have come for during their pause. */
  #due = new Set<Query>();
  #hasLost = false;
  #isFirst = true;
  #isLive = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OrgEventsOptions) {
    this.#options = options;
    this.#socket = new LastingSocket({
      open: (token) => options.openSocket(token),
      takeToken: async (worn) => options.takeToken(worn),
      onEpoch: () => undefined,
      onFrame: (frame) => this.#take(frame),
      onState: (state) => this.#setLive(state === 'open'),
    });
  }

  /** Tries at once instead of waiting: the network is back, somebody looks, or has signed in again. */
  wake(): void {
    this.#socket.wake();
  }

  /** Ends it for good. */
  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#pause);
    this.#socket.close();
    this.#setLive(false);
  }

  #setLive(isLive: boolean): void {
    if (this.#isLive === isLive) return;
    this.#isLive = isLive;
    this.#options.onLive(isLive);
  }

  #take(frame: OrgFrame): void {
    if (frame.type === 'resync') this.#lose();
    else if (frame.type === 'changed') this.#gather(frame);
  }

  // What was read before the first socket was open is a moment old: the server says what has changed meanwhile.
  #lose(): void {
    if (this.#isFirst) this.#socket.say({ type: 'catch_up', since_ms: this.#options.readForMs() });
    else this.#loseAll();
    this.#isFirst = false;
  }

  #loseAll(): void {
    this.#hasLost = true;
    this.#readSoon();
  }

  #gather(change: Change): void {
    if (this.#gathered.size >= MAX_GATHERED) this.#hasLost = true;
    else this.#gathered.set(`${change.resource} ${change.id}`, change);
    this.#readSoon();
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#read();
    }, GATHER_MS);
  }

  #read(): void {
    const [changes, due, hasLost, now] = [[...this.#gathered.values()], this.#due, this.#hasLost, Date.now()];
    this.#gathered.clear();
    [this.#due, this.#hasLost] = [new Set(), false];
    // It is asked twice for a query: which ones are stale, and which of them are read.
    const predicate = (query: Query) =>
      (hasLost || due.has(query) || changes.some((change) => shows(query.queryKey, change))) &&
      this.#isReadNow(query, now);
    const { cache, isHidden } = this.#options;
    void cache.invalidateQueries({ ...this.#all, predicate, refetchType: isHidden() ? 'none' : 'active' });
    if (this.#due.size > 0) this.#readAfterPause();
  }

  #isReadNow(query: Query, now: number): boolean {
    const before = this.#readAt.get(query);
    if (before !== undefined && before < now && now < before + PAUSE_MS) {
      this.#due.add(query);
      return false;
    }
    this.#readAt.set(query, now);
    return true;
  }

  #readAfterPause(): void {
    const ends = [...this.#due].map((query) => (this.#readAt.get(query) ?? 0) + PAUSE_MS);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#read(), Math.min(...ends) - Date.now());
  }

  get #all() {
    return { queryKey: [this.#options.orgId] };
  }
}

/** Third parts of keys that show one record of the capability and nothing else; so do those that begin with its id. */
const OF_ONE = new Set(['one', 'files', 'prompt', 'tools', 'workspace', 'newest-turn']);

function shows([, capability, ...rest]: QueryKey, { resource, id }: Change): boolean {
  if (typeof capability !== 'string' || !capabilitiesOf(resource).includes(capability)) return false;
  // A record of another kind is named where lists are of it, such as the comments of an issue.
  if (id === null || capabilitiesOf(resource)[0] !== capability) return true;
  const [kind] = rest;
  // So is one of the same kind where a list is of it, such as the parts of a task.
  const isOfOne = typeof kind === 'string' && (OF_ONE.has(kind) || UUID.test(kind));
  return !isOfOne || rest.includes(id);
}

/** The capabilities whose pages show a resource, where they are not called as it is. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  // Turns change the tasks that they work on, and the issues of those.
  chats: ['chats', 'tasks', 'issues'],
  messages: ['messages', 'chats'],
  files: ['files', 'chats'],
  approvals: ['approvals', 'chats'],
  invites: ['invites', 'members'],
  members: ['members', 'permissions'],
  memories: ['memories', 'agents'],
  orgs: ['organization'],
  permission_groups: ['permissions'],
  tasks: ['tasks', 'board'],
  issues: ['issues', 'board'],
  issue_comments: ['issue-comments', 'issues'],
  project_logs: ['project-logs', 'projects'],
  project_syncs: ['project-syncs', 'projects'],
  provider_chains: ['provider-chains', 'providers'],
  workflows: ['workflows', 'agent-workflows'],
  workflow_runs: ['workflow-runs', 'workflows', 'agent-workflows', 'runs'],
  schedule_runs: ['schedule-runs', 'schedules', 'runs'],
  webhook_deliveries: ['webhook-deliveries', 'workflows', 'schedules'],
  knowledge_documents: ['knowledge-documents', 'knowledge-bases'],
};

/** Returns the capabilities that show a resource: the first one its records, the others among their own. */
function capabilitiesOf(resource: string): readonly string[] {
  return SHOWN_BY[resource] ?? [resource.replaceAll('_', '-')];
}
