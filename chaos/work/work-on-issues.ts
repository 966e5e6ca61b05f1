import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { backOffMs, type Gate } from '../load/gate.ts';
import type { Outside } from '../installation/outside.ts';

/** Who works on the issues of a repository, and in which project. */
export interface IssueProject {
  readonly id: string;
  readonly token: string;
  readonly apiUrl: string;
  readonly webhookUrl: string;
  readonly secret: string;
}

/** Something that a user does to an issue. Its text is that of no other. */
export interface IssueDeed {
  readonly kind: 'title' | 'label' | 'comment';
  readonly text: string;
  readonly issueId: string;
}

/** What users have done to issues, and the syncs that they saw. */
export interface IssueWork {
  /** Those that were answered with success. */
  readonly deeds: readonly IssueDeed[];
  readonly syncIds: ReadonlySet<string>;
  /** Whether the last syncs and all that was to be told to the host came to an end in time. */
  readonly isSettled: boolean;
}

interface Sync {
  readonly id: string;
  readonly status: string;
}

interface Issue {
  readonly id: string;
  readonly labels: readonly string[];
}

interface Working {
  readonly project: IssueProject;
  readonly outside: Outside;
  /** How many issues there are at first; a fifth as many deeds are done. */
  readonly issues: number;
  readonly gate: Gate;
  /** The messages of the run: the deeds are spread evenly over them. */
  readonly turns: number;
  readonly random: Random;
  readonly seed: number;
}

const REQUEST_LIMIT_MS = 8_000;
const INSIST_MS = 300_000;
const SETTLE_LIMIT_MS = 180_000;
const POLL_MS = 500;
const DEEDS_SHARE = 0.2;
const KINDS = ['title', 'label', 'comment'] as const;

/**
 * Has a user work on issues that are kept in step with a code host at which others work on them, and ask for one sync
 * after the other meanwhile. `settle` ends that when the last fault is over, and lets both sides come to rest.
 */
export class IssueWorker {
  readonly #working: Working;
  readonly #deeds: IssueDeed[] = [];
  readonly #syncIds = new Set<string>();
  readonly #stopping = new AbortController();
  #syncing: Promise<void> = Promise.resolve();
  #doing: Promise<void> = Promise.resolve();

  constructor(working: Working) {
    this.#working = working;
  }

  async begin(): Promise<void> {
    const { outside, issues, seed, project } = this.#working;
    await outside.beginHost({ issues, seed, webhookUrl: project.webhookUrl, secret: project.secret });
    this.#syncing = this.#syncAgainAndAgain();
    this.#doing = this.#doAll();
  }

  async settle(): Promise<IssueWork> {
    await this.#doing;
    this.#stopping.abort();
    await this.#syncing;
    await this.#working.outside.calmHost();
    const deadline = Date.now() + SETTLE_LIMIT_MS;
    // What a sync takes over may meet what is still to be told, so the next one has to find both at rest.
    let isSettled = false;
    for (let calm = 0; calm < 2 && Date.now() < deadline;) {
      const isDone = await this.#sync(deadline);
      calm = isDone ? calm + 1 : 0;
      isSettled = calm === 2;
    }
    return { deeds: this.#deeds, syncIds: this.#syncIds, isSettled };
  }

  async #syncAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#sync(Date.now() + INSIST_MS);
      await sleep(POLL_MS);
    }
  }

  /** Asks for a sync and waits for its end. Returns false when none was seen in time. */
  async #sync(deadline: number): Promise<boolean> {
    const { project } = this.#working;
    const { id } = (await this.#insist<Sync>(`/api/projects/${project.id}/sync-issues`, { method: 'POST' })) ?? {};
    if (id === undefined) return false;
    this.#syncIds.add(id);
    while (Date.now() < deadline) {
      const sync = await this.#insist<Sync>(`/api/projects/${project.id}/syncs/${id}`);
      if (sync?.status === 'completed' || sync?.status === 'failed') return sync.status === 'completed';
      await sleep(POLL_MS);
    }
    return false;
  }

  async #doAll(): Promise<void> {
    const { issues, gate, turns } = this.#working;
    const deeds = Math.ceil(issues * DEEDS_SHARE);
    for (let n = 0; n < deeds; n += 1) {
      while (gate.entered < Math.floor((n * turns) / deeds)) await sleep(POLL_MS);
      await this.#doOne(n);
    }
  }

  async #doOne(n: number): Promise<void> {
    const { project, random } = this.#working;
    const { signal } = this.#stopping;
    const offset = random.below(this.#working.issues);
    let issue: Issue | undefined;
    // At first no issue is here yet.
    while (issue === undefined && !signal.aborted) {
      const page = `/api/issues?project_id=${project.id}&limit=1&offset=`;
      issue = ((await this.#insist<Issue[]>(`${page}${offset}`)) ?? [])[0];
      issue ??= ((await this.#insist<Issue[]>(`${page}0`)) ?? [])[0];
      if (issue === undefined) await sleep(POLL_MS);
    }
    if (issue === undefined) return;
    const kind = KINDS[n % KINDS.length] ?? 'title';
    const deed: IssueDeed = { kind, text: `here ${n}`, issueId: issue.id };
    if (kind === 'comment' ? await this.#comment(deed) : await this.#change(issue, deed)) this.#deeds.push(deed);
  }

  async #change({ id, labels }: Issue, { kind, text }: IssueDeed): Promise<boolean> {
    const body = kind === 'title' ? { title: text } : { labels: [...labels.slice(-10), text] };
    return (await this.#insist(`/api/issues/${id}`, { method: 'PATCH', body })) !== undefined;
  }

  // An answer may be lost: what is there already is not said again.
  async #comment({ issueId, text }: IssueDeed): Promise<boolean> {
    const path = `/api/issues/${issueId}/comments`;
    const isSaid = async () =>
      (await this.#insist<{ content: string }[]>(`${path}?limit=500`))?.some(({ content }) => content === text);
    return (await this.#insist(path, { method: 'POST', body: { content: text }, isDone: isSaid })) !== undefined;
  }

  async #insist<T>(
    path: string,
    {
      method = 'GET',
      body,
      isDone,
    }: { method?: string; body?: object; isDone?: () => Promise<boolean | undefined> } = {},
  ): Promise<T | undefined> {
    const { project, random } = this.#working;
    const deadline = Date.now() + INSIST_MS;
    for (let failures = 0; Date.now() < deadline; failures += 1) {
      if (failures > 0) await sleep(backOffMs(random, failures));
      try {
        if (failures > 0 && (await isDone?.()) === true) return {} as T;
        const answer = await fetch(`${project.apiUrl}${path}`, {
          method,
          headers: { authorization: `Bearer ${project.token}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
        });
        if (answer.ok) return (await answer.json()) as T;
        await answer.body?.cancel();
      } catch {
        // The service cannot be reached now.
      }
    }
    return undefined;
  }
}
