import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Database } from '../../db/core/database.ts';
import {
  beginReading,
  type Gains,
  keepEtag,
  readEtag,
  readMarks,
  readRepoId,
  takeStep,
} from '../../db/issue-sync/sync-progress.ts';
import { type HostedProject, storeIssues } from '../../db/issue-sync/store-issues.ts';
import { nextIssueWithComments, noteCommentsRead, storeComments } from '../../db/issue-sync/store-comments.ts';
import type { SyncRef } from '../../db/issue-sync/project-syncs.ts';
import { requireRoomForWork } from '../../db/work-usage.ts';
import {
  behind,
  further,
  isEndless,
  nextPosition,
  type SyncPosition,
  withSmallerPages,
} from '../../domain/issue-sync/position.ts';
import { hostKeyOf, secondOf } from '../../domain/issue-sync/remote-records.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { type CodeHost, CodeHostError, readJson } from '../code-hosts/code-host.ts';
import { giteaSource, githubSource, gitlabSource, type IssueSource, type SourcePage } from './issue-source.ts';

/** A sync while it reads its host. */
export interface Reading {
  readonly database: Database;
  readonly sync: SyncRef;
  readonly host: CodeHost;
  readonly repoUrl: string;
  readonly limits: OrgLimits;
}

/** The records of a repository as its host returns them. */
interface RepositoryFacts {
  /** Its id, which stays when it is renamed. */
  readonly repoId: string;
  /** The time by the clock of the host. */
  readonly hostTime: Date;
}

/** The reading of a repository whose id is known. */
interface RepositoryReading extends Reading {
  readonly repoId: string;
}

/** The result of a step: the sync's new position, and how long its host asks to wait before the next. */
export interface Step {
  /** Undefined when another attempt has taken the step. */
  readonly position: SyncPosition | undefined;
  readonly pauseMs: number;
}

type Phase<P extends SyncPosition['phase']> = Extract<SyncPosition, { phase: P }>;

const SOURCES: Readonly<Record<CodeHost['kind'], IssueSource>> = {
  github: githubSource,
  gitlab: gitlabSource,
  gitea: giteaSource,
};

/** Changes this long before the last one are read again: a host may show changes late. */
const OVERLAP_MS = 60_000;

/** Reads the next part from the host, and stores it together with the position after it. */
export async function takeNextStep(reading: Reading, from: Exclude<SyncPosition, Phase<'end'>>): Promise<Step> {
  if (from.phase === 'begin') return begin(reading, from);
  const repoId = await readRepoId(reading.database, reading.sync, reading.repoUrl);
  if (repoId === undefined) return beginAnew(reading, from);
  const known = { ...reading, repoId };
  if (from.phase === 'issues') return readIssues(known, from);
  return from.phase === 'comments' ? readComments(known, from) : readNotes(known, from);
}

// The project was given another repository in the meantime, in which the position means nothing.
async function beginAnew({ database, sync }: Reading, from: SyncPosition): Promise<Step> {
  const to: SyncPosition = { phase: 'begin' };
  const isTaken = await takeStep(database, sync, { from, to }, async () => ({}));
  return { position: isTaken ? to : undefined, pauseMs: 0 };
}

async function begin(reading: Reading, from: Phase<'begin'>): Promise<Step> {
  const { database, sync, host, repoUrl } = reading;
  const { repoId, hostTime } = await readRepository(host);
  const repository = { host: hostKeyOf(repoUrl), repoUrl, repoId };
  const { issuesUntil } = await readMarks(database, sync, repository);
  const to: SyncPosition = {
    phase: 'issues',
    since: overlapped(issuesUntil),
    offset: 0,
    size: SOURCES[host.kind].pageSize,
  };
  return store({ ...reading, repoId }, from, to, 0, async (em) => {
    await beginReading(em, sync, { ...repository, hostTime });
    return {};
  });
}

async function readIssues(reading: RepositoryReading, from: Phase<'issues'>): Promise<Step> {
  const { database, sync, host } = reading;
  const source = SOURCES[host.kind];
  const since = from.offset === 0 ? from.since : null;
  const etag = since === null ? undefined : await readEtag(database, sync, since);
  const page = await source.listIssues(host, { ...from, etag });
  checkProgress(from, page);
  const next = page && nextPosition(from, page, source.pageSize);
  return store(reading, from, next ?? (await afterIssues(reading, from.pages)), page?.pauseMs, async (em, project) => {
    if (page === undefined) return {};
    const stored = await storeIssues(em, project, page.records);
    if (since !== null && !page.hasNext && page.etag !== undefined)
      await keepEtag(em, sync.projectId, { etag: page.etag, since });
    return { ...stored, skipped: page.skipped ?? 0, readUntil: page.latest };
  });
}

async function afterIssues(
  { database, sync, host, repoUrl, repoId }: RepositoryReading,
  pages = 0,
): Promise<SyncPosition> {
  const { listComments, pageSize: size } = SOURCES[host.kind];
  if (listComments === undefined) return { phase: 'notes', issueNumber: null, offset: 0, size };
  const { commentsUntil } = await readMarks(database, sync, { host: hostKeyOf(repoUrl), repoId });
  return { phase: 'comments', since: overlapped(commentsUntil), offset: 0, size, pages };
}

async function readComments(reading: RepositoryReading, from: Phase<'comments'>): Promise<Step> {
  const { listComments, pageSize } = SOURCES[reading.host.kind];
  const page = await listComments?.(reading.host, from);
  checkProgress(from, page);
  const next = page && nextPosition(from, page, pageSize);
  return store(reading, from, next ?? { phase: 'end' }, page?.pauseMs, async (em, project) => {
    if (page === undefined) return {};
    return { comments: await storeComments(em, project, page.records), commentsUntil: page.latest };
  });
}

async function readNotes(reading: RepositoryReading, from: Phase<'notes'>): Promise<Step> {
  const { database, sync, host, repoUrl, repoId } = reading;
  const { listCommentsOn, pageSize } = SOURCES[host.kind];
  const issueNumber =
    from.issueNumber ?? (await nextIssueWithComments(database, { ...sync, host: hostKeyOf(repoUrl), repoId }));
  if (issueNumber === undefined) return store(reading, from, { phase: 'end' }, 0, async () => ({}));
  const page = await unlessGone(async () => listCommentsOn?.(host, issueNumber, from));
  checkProgress(from, page);
  const isLast = page?.hasNext !== true || page.count === 0;
  const to: SyncPosition = isLast
    ? { phase: 'notes', issueNumber: null, offset: 0, size: pageSize }
    : behind({ ...from, issueNumber }, page, pageSize);
  return store(reading, from, to, page?.pauseMs, async (em, project) => {
    if (isLast) await noteCommentsRead(em, project, issueNumber);
    return { comments: await storeComments(em, project, page?.records ?? []) };
  });
}

function checkProgress(from: Parameters<typeof isEndless>[0], page: SourcePage<unknown> | undefined): void {
  if (page !== undefined && isEndless(from, page))
    throw new CodeHostError('unexpected', 'The code host lists more pages without end; check the address');
}

// An issue may be deleted at the host between the list that names it and the question for its comments.
async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CodeHostError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

async function store(
  { database, sync, repoUrl, repoId, limits }: RepositoryReading,
  from: SyncPosition,
  to: SyncPosition,
  pauseMs: number | undefined,
  work: (em: EntityManager, project: HostedProject) => Promise<Gains>,
): Promise<Step> {
  const project = { ...sync, host: hostKeyOf(repoUrl), repoId };
  const isTaken = await takeStep(database, sync, { from, to }, async (em) => {
    await requireRoomForWork(em, sync.orgId, limits);
    return work(em, project);
  });
  return { position: isTaken ? to : undefined, pauseMs: pauseMs ?? 0 };
}

/** Continues with smaller pages after an answer that was too large; a single record that is too large is skipped. */
export async function takeSmallerStep(
  { database, sync, host }: Reading,
  from: SyncPosition,
): Promise<SyncPosition | undefined> {
  if (!('size' in from))
    throw new CodeHostError('unexpected', 'The code host sent more about the repository than expected');
  const smaller = withSmallerPages(from);
  const to = smaller ?? further(from, SOURCES[host.kind].pageSize);
  const skipped = smaller === undefined ? 1 : 0;
  return (await takeStep(database, sync, { from, to }, async () => ({ skipped }))) ? to : undefined;
}

function overlapped(until: Date | null): string | null {
  return until === null ? null : new Date(until.getTime() - OVERLAP_MS).toISOString();
}

const MAX_BYTES = 1024 ** 2;
/** How far the clock of a host that does not send the time may be behind. */
const MAX_LAG_MS = 300_000;

const repositorySchema = z.object({ id: z.int().positive() });

/** Asks a host for its repository: whether it is there, and may be read. */
async function readRepository(host: CodeHost): Promise<RepositoryFacts> {
  const answer = await host.request({ path: '', maxBytes: MAX_BYTES });
  const { id } = readJson(host, answer, repositorySchema);
  const date = secondOf(answer.headers.get('date') ?? '');
  return { repoId: String(id), hostTime: date ?? new Date(Date.now() - MAX_LAG_MS) };
}
