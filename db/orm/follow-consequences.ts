import type { DueWork } from '../../domain/core/due-work.ts';
import { ACCESS_CHANNEL } from '../auth.ts';
import type { Consequences } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { wakeEmbeddings } from '../knowledge-bases/embedding.ts';
import { packRecordNews, RECORDS_CHANNEL } from '../stream/record-news.ts';
import { BOARD_CHANNEL, packBoardNews } from '../tasks/board.ts';
import { CONTROL_CHANNEL } from '../turns/request-interrupt.ts';
import { wakeWaitingTurns } from '../turns/due-turns.ts';

/** The log message of a failure. */
export const FOLLOW_FAILED =
  'a change was stored, but not announced: open connections and waiting turns notice it at their next regular check';

interface FollowDeps extends Pick<Database, 'stream' | 'tenant'> {
  /** Notifies this process of users whose access has changed. */
  readonly notifyProcess: (userIds: readonly string[]) => void;
  /** Starts or wakes the workflow of due work, in the background. */
  readonly notifyOfWork: (work: DueWork) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Notifies this process of changed access and due work, and then every process of all changes, in one statement; wakes
 * the turns that may continue. The write is stored already, so it never throws: each failure is passed to `onFailure`
 * and stops none of the others.
 */
export async function followConsequences(
  { stream, tenant, notifyProcess, notifyOfWork, onFailure }: FollowDeps,
  consequences: readonly Consequences[],
): Promise<void> {
  const turns = distinct(consequences.flatMap(({ stoppedTurns = [] }) => stoppedTurns));
  const users = distinct(consequences.flatMap(({ accessOf = [] }) => accessOf));
  const boards = distinct(consequences.flatMap(({ boards: news = [] }) => news.map(packBoardNews)));
  const records = distinct(consequences.flatMap(({ accessTo = [] }) => accessTo));
  const changed = packRecordNews(consequences.flatMap(({ changed: news = [] }) => news));
  if (users.length > 0) notifyProcess(users);
  for (const work of consequences.flatMap(({ dueWork = [] }) => dueWork)) notifyOfWork(work);
  const woken = distinct(consequences.flatMap(({ wakesTurnsOf }) => wakesTurnsOf ?? []));
  const outcomes = await Promise.allSettled([
    notify(stream, { turns, access: [...users, ...records], boards, changed }),
    ...woken.map(async (orgId) => wakeWaitingTurns({ tenant }, orgId)),
    ...woken.map(async (orgId) => {
      for (const work of await wakeEmbeddings({ tenant }, orgId)) notifyOfWork(work);
    }),
  ]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') onFailure(outcome.reason);
}

interface Notified {
  readonly turns: readonly string[];
  /** Users, chats and organizations. */
  readonly access: readonly string[];
  /** Packed news of boards. */
  readonly boards: readonly string[];
  /** Packed news of records. */
  readonly changed: readonly string[];
}

async function notify(stream: Database['stream'], { turns, access, boards, changed }: Notified): Promise<void> {
  if (turns.length + access.length + boards.length + changed.length === 0) return;
  await stream.query('select pg_notify(channel, said) from unnest($1::text[], $2::text[]) as sent (channel, said)', [
    [
      ...turns.map(() => CONTROL_CHANNEL),
      ...access.map(() => ACCESS_CHANNEL),
      ...boards.map(() => BOARD_CHANNEL),
      ...changed.map(() => RECORDS_CHANNEL),
    ],
    [...turns, ...access, ...boards, ...changed],
  ]);
}

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}
