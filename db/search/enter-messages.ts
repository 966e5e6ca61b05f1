import pg from 'pg';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction, withSystemTransactionFor } from '../core/transactions.ts';
import { type DueWork, NEW_MESSAGES } from '../../domain/core/due-work.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { firstIdAt } from '../core/sql.ts';
import type { Statement } from '../core/sql-pool.ts';
import { type ChatReader, readableBy, wasInProject } from '../chats/chat.ts';
import { storeWords, type UnknownMessage } from './store-words.ts';

/** Messages that one transaction enters. */
const BATCH = 200;
/** The characters of a message that are entered at most. */
const MAX_CHARACTERS = 100_000;
/**
 * Messages so much older than those that were indexed last are read again: their transactions may have been open
 * then, and the clock that made their ids may be slow.
 */
const OVERLAP_MS = 120_000;
/** Messages of this age at most are entered by the search that is to find them; the workers enter them within it. */
const RECENT_MS = 15_000;
const MAX_RECENT = 50;
/** Changes that a search takes of these messages; workers take the others, and enter the messages once more. */
const MAX_CHANGES = 1_000;
/** How long a search waits for a worker that enters messages, in milliseconds; it then does without the newest. */
const MAX_LOCK_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
/** Searches of one owner that wait to enter messages; owners take turns. */
const MAX_WAITING = 50;
/** After this time the next call continues. */
const MAX_MS = 10_000;

/**
 * Enters messages that the search does not know yet, and again those whose text has changed; no writer of messages does
 * that. Any number of workers may call this; one at a time does the work. Returns whether the search knows all then.
 */
export async function enterMessages(database: Database): Promise<boolean> {
  const endsAt = Date.now() + MAX_MS;
  let batch: EnteredBatch = { left: 'some' };
  while (batch.left === 'some' && Date.now() < endsAt) {
    // Only the first batch reads older messages again: of many that came at once, each is read once in a call.
    const { last } = batch;
    batch = await withSystemTransaction(database, async (transaction) => enterBatch(transaction, last));
  }
  let changed: EnteredBatch = { left: 'some' };
  while (changed.left === 'some' && Date.now() < endsAt)
    changed = await withSystemTransaction(database, async (transaction) => enterChanged(transaction));
  return batch.left === 'none' && changed.left === 'none';
}

/** Returns whether there are messages that the search does not know, or knows by a former text. */
export async function findUnknownMessages({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<{ enteredUntil: Date; hasChanged: boolean }>({
    name: 'read-search-progress',
    text: `select entered_until as "enteredUntil", exists (select from changed_messages) as "hasChanged"
      from search_progress`,
  });
  const [progress] = rows;
  if (progress === undefined || progress.hasChanged) return [NEW_MESSAGES];
  const { rowCount } = await system.query({
    name: 'unknown-messages',
    text: UNKNOWN,
    values: [firstIdAt(progress.enteredUntil.getTime() - OVERLAP_MS), 1],
  });
  return rowCount === 0 ? [] : [NEW_MESSAGES];
}

class EnteredByOthers extends Error {}

// Waiting for the lock occupies a connection that other work of the process needs, so one search at a time waits.
const searches = new KeyedSemaphore({
  perKey: 1,
  total: 1,
  maxWaiting: MAX_WAITING,
  maxWaitMs: MAX_LOCK_MS,
  createError: () => new EnteredByOthers('Other searches enter messages'),
});

/**
 * Indexes the newest messages of the reader's chats and of those that others share with them, and again those that have
 * changed, so that a search finds everything that was stored before it, up to `MAX_RECENT` messages of each kind. While
 * others index many, it waits for a moment only.
 */
export async function enterRecentMessages(database: Database, reader: ChatReader): Promise<void> {
  const { orgId } = reader;
  const since = firstIdAt(Date.now() - RECENT_MS);
  const lookups = [unknownOf(reader, since, 1), changedOf(reader, 1)] as const;
  if ((await database.tenant.series(orgId, lookups)).flat().length === 0) return;
  try {
    await searches.run(database.payers.known(orgId), async () =>
      withSystemTransactionFor(database, orgId, async (transaction) => enterRecentOf(transaction, reader, since)),
    );
  } catch (error) {
    if (error instanceof EnteredByOthers) return;
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
  }
}

async function enterRecentOf(transaction: Transaction, reader: ChatReader, since: string): Promise<void> {
  await transaction.query(`set local lock_timeout = ${MAX_LOCK_MS}`);
  await transaction.query({ name: 'wait-for-search-progress', text: 'select from search_progress for update' });
  const { rows: changed } = await transaction.query<{ id: string }>(asQuery(changedOf(reader, MAX_RECENT)));
  if (changed.length > 0) {
    const ids = changed.map(({ id }) => id);
    await enterById(transaction, await forgetChanged(transaction, MAX_CHANGES, ids));
  }
  const { rows } = await transaction.query<UnknownMessage>(asQuery(unknownOf(reader, since, MAX_RECENT)));
  if (rows.length > 0) await storeWords(transaction, rows);
}

function asQuery({ name, text, values }: Statement) {
  return { ...(name !== undefined && { name }), text, values: [...values] };
}

function unknownOf({ userId, seesShared }: ChatReader, since: string, limit: number): Statement<UnknownMessage> {
  return { name: 'recent-unknown-messages', text: UNKNOWN_OF_READER, values: [since, limit, userId, seesShared] };
}

function changedOf({ orgId, userId, seesShared }: ChatReader, limit: number): Statement<{ readonly id: string }> {
  return { name: 'changed-messages', text: CHANGED_OF_READER, values: [orgId, limit, userId, seesShared] };
}

// A message that was read before it changed may have been entered since with its old text, so what has changed is
// entered again in any case.
async function enterChanged(transaction: Transaction): Promise<EnteredBatch> {
  const { rows: mine } = await transaction.query({
    name: 'hold-search-progress',
    text: 'select from search_progress for update skip locked',
  });
  if (mine.length === 0) return { left: 'to others' };
  const ids = await forgetChanged(transaction, BATCH);
  await enterById(transaction, ids);
  return { left: ids.length === 0 ? 'none' : 'some' };
}

async function enterById(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await transaction.query<UnknownMessage>({
    name: 'messages-to-enter',
    text: BY_ID,
    values: [ids],
  });
  if (rows.length > 0) await storeWords(transaction, rows);
}

interface EnteredBatch {
  /** What is left to do; `to others` while another process enters messages. */
  readonly left: 'none' | 'some' | 'to others';
  /** The newest message of the batch. */
  readonly last?: string | undefined;
}

async function enterBatch(transaction: Transaction, after: string | undefined): Promise<EnteredBatch> {
  const { rows: mine } = await transaction.query<{ enteredUntil: Date; now: Date }>({
    name: 'lock-search-progress',
    text: 'select entered_until as "enteredUntil", now() from search_progress for update skip locked',
  });
  const [progress] = mine;
  if (progress === undefined) return { left: 'to others' };
  const { rows: messages } = await transaction.query<UnknownMessage>({
    name: 'unknown-messages',
    text: UNKNOWN,
    values: [after ?? firstIdAt(progress.enteredUntil.getTime() - OVERLAP_MS), BATCH],
  });
  if (messages.length > 0) await storeWords(transaction, messages);
  const isDone = messages.length < BATCH;
  const last = messages.at(-1)?.id;
  const newest = Math.min(timeOf(last), progress.now.getTime());
  await transaction.query({
    name: 'note-search-progress',
    text: "update search_progress set entered_until = $1 where entered_until < $1::timestamptz - interval '30 seconds'",
    values: [isDone ? progress.now : new Date(newest)],
  });
  return { left: isDone ? 'none' : 'some', last };
}

// The limit keeps the planner from beginning with chats, of which there may be many.
const WITH_CHAT = `cross join lateral (
    select user_id, project_id, former_project_id, root_chat_id, is_private from chats where id = m.chat_id limit 1
  ) c`;

// The columns of `UnknownMessage` from `messages m`; the condition follows.
const UNKNOWN_MESSAGE = `select m.id, m.org_id as "orgId", c.user_id as "userId", m.chat_id as "chatId",
    left(m.content, ${MAX_CHARACTERS}) as content, m.created_at as "createdAt", ${wasInProject('c')} as "isOfProject"
  from messages m ${WITH_CHAT}`;

const BY_ID = `${UNKNOWN_MESSAGE} where m.id = any($1::uuid[]) order by m.id`;

const UNKNOWN_SINCE = `${UNKNOWN_MESSAGE}
  where m.id >= $1 and not exists (select from message_words w where w.message_id = m.id)`;

const UNKNOWN = `${UNKNOWN_SINCE} order by m.id limit $2`;
// No organization is named: PostgreSQL would read all its messages by their index. Those of the user elsewhere may be
// entered as well.
const UNKNOWN_OF_READER = `${UNKNOWN_SINCE} and ${readableBy('c', '$3', '$4')} order by m.id limit $2`;

const CHANGED_OF_READER = `select n.id from (select distinct message_id as id from changed_messages where org_id = $1) n
  cross join lateral (select chat_id from messages where id = n.id limit 1) m ${WITH_CHAT}
  where ${readableBy('c', '$3', '$4')} limit $2`;

function timeOf(id = ''): number {
  return id === '' ? 0 : Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

/**
 * Returns the part of a statement that notes that the rows of `messages` have a new text, so that the search finds them
 * by it. It waits for nobody: a worker, or a search of somebody who may read them, enters them later.
 */
export function noteChanged(messages: string): string {
  return `insert into changed_messages (org_id, message_id) select org_id, id from ${messages}`;
}

/**
 * Deletes the index entries of up to `limit` changed messages, and returns their ids for re-indexing. The caller holds
 * the index's lock.
 *
 * @param among the messages to choose from; those that changed first unless given.
 */
async function forgetChanged(
  transaction: Transaction,
  limit: number,
  among?: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await transaction.query<{ id: string }>(
    among === undefined
      ? { name: 'forget-changed', text: forget('order by seq limit $1'), values: [limit] }
      : {
          name: 'forget-changed-among',
          text: forget('where message_id = any($2::uuid[]) limit $1'),
          values: [limit, among],
        },
  );
  return rows.map(({ id }) => id);
}

const forget = (which: string) => `with taken as (
    delete from changed_messages where seq in (select seq from changed_messages ${which}) returning message_id
  ),
  own as (delete from message_words where message_id in (select message_id from taken)),
  shared as (delete from shared_message_words where message_id in (select message_id from taken))
  select distinct message_id as id from taken`;
