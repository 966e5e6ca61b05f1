import { setImmediate as nextTick } from 'node:timers/promises';
import pg from 'pg';
import { type Database, type Transaction, withSystemTransaction, withSystemTransactionFor } from '../core/index.ts';
import { firstIdAt } from '../core/sql/first-id-at.ts';
import { type ChatReader, isShared, wasInProject } from '../chats/index.ts';
import { ownWords, segmentKey, segmentOf, sharedWords, vectorOf, type WordOwner } from './search-words.ts';

/** Messages that one transaction enters. */
const BATCH = 200;
/** The characters of a message that are entered at most. */
const MAX_CHARACTERS = 100_000;
/**
 * Messages so much older than those that were entered last are looked at again: their transactions may have been open
 * then, and the clock that made their ids may be slow.
 */
const LOOK_BACK_MS = 120_000;
/** Messages of this age at most are entered by the search that is to find them; the workers enter them within it. */
const RECENT_MS = 15_000;
const MAX_RECENT = 50;
/** How long a search waits for a worker that enters messages, in milliseconds; it then does without the newest. */
const MAX_LOCK_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
/** After this time the next call goes on. */
const MAX_MS = 10_000;

/** A message that the search does not know. */
export interface UnknownMessage {
  readonly id: string;
  readonly orgId: string;
  readonly userId: string;
  readonly chatId: string;
  readonly content: string;
  readonly createdAt: Date;
  /** Whether its chat is in a project, or may come back to one, and may be shared therefore. */
  readonly isOfProject: boolean;
}

/**
 * Enters messages that the search does not know yet; no writer of messages does that. Any number of workers may call
 * this; one at a time does the work.
 */
export async function enterMessages(database: Database): Promise<void> {
  const endsAt = Date.now() + MAX_MS;
  let isDone = false;
  // Only the first batch looks back: of many messages that came at once, each is looked at once in a call.
  let after: string | undefined;
  while (!isDone && Date.now() < endsAt) {
    const batch = await withSystemTransaction(database, async (transaction) => enterBatch(transaction, after));
    ({ isDone, last: after } = batch);
  }
}

/**
 * Enters what the reader's chats, and those that others share with them, were told a moment ago, so that a search finds
 * everything that was stored before it, up to `MAX_RECENT` messages. While a worker enters many, it waits for a moment
 * only.
 */
export async function enterRecentMessages(
  database: Database,
  { orgId, userId, seesShared }: ChatReader,
): Promise<void> {
  const since = firstIdAt(Date.now() - RECENT_MS);
  const unknown = (limit: number) => ({
    name: 'recent-unknown-messages',
    text: UNKNOWN_OF_READER,
    values: [since, limit, userId, seesShared],
  });
  if ((await database.tenant.query(orgId, unknown(1))).length === 0) return;
  try {
    await withSystemTransactionFor(database, orgId, async (transaction) => {
      await transaction.query(`set local lock_timeout = ${MAX_LOCK_MS}`);
      await transaction.query({ name: 'wait-for-search-progress', text: 'select from search_progress for update' });
      const { rows } = await transaction.query<UnknownMessage>(unknown(MAX_RECENT));
      if (rows.length > 0) await enter(transaction, rows);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
  }
}

interface EnteredBatch {
  /** Whether nothing is left to do. */
  readonly isDone: boolean;
  /** The newest message of the batch. */
  readonly last?: string | undefined;
}

async function enterBatch(transaction: Transaction, after: string | undefined): Promise<EnteredBatch> {
  const { rows: mine } = await transaction.query<{ enteredUntil: Date; now: Date }>({
    name: 'lock-search-progress',
    text: 'select entered_until as "enteredUntil", now() from search_progress for update skip locked',
  });
  const [progress] = mine;
  if (progress === undefined) return { isDone: true };
  const { rows: messages } = await transaction.query<UnknownMessage>({
    name: 'unknown-messages',
    text: UNKNOWN,
    values: [after ?? firstIdAt(progress.enteredUntil.getTime() - LOOK_BACK_MS), BATCH],
  });
  if (messages.length > 0) await enter(transaction, messages);
  const isDone = messages.length < BATCH;
  const last = messages.at(-1)?.id;
  const newest = Math.min(timeOf(last), progress.now.getTime());
  await transaction.query({
    name: 'note-search-progress',
    text: "update search_progress set entered_until = $1 where entered_until < $1::timestamptz - interval '30 seconds'",
    values: [isDone ? progress.now : new Date(newest)],
  });
  return { isDone, last };
}

/** The columns of `UnknownMessage` from `messages m`; the condition follows. */
// The limit keeps the planner from beginning with chats, of which there may be many.
export const UNKNOWN_MESSAGE = `select m.id, m.org_id as "orgId", c.user_id as "userId", m.chat_id as "chatId",
    left(m.content, ${MAX_CHARACTERS}) as content, m.created_at as "createdAt", ${wasInProject('c')} as "isOfProject"
  from messages m cross join lateral (
    select user_id, project_id, former_project_id, root_chat_id, is_private from chats where id = m.chat_id limit 1
  ) c`;

const UNKNOWN_SINCE = `${UNKNOWN_MESSAGE}
  where m.id >= $1 and not exists (select from message_words w where w.message_id = m.id)`;

const UNKNOWN = `${UNKNOWN_SINCE} order by m.id limit $2`;
// No organization is named: PostgreSQL would read all its messages by their index. Those of the user elsewhere may be
// entered as well.
const UNKNOWN_OF_READER = `${UNKNOWN_SINCE} and (c.user_id = $3 or ($4::boolean and ${isShared('c')})) order by m.id limit $2`;

/**
 * Enters messages. What a chat of a project was told is entered twice: its owner searches it with the rest of theirs,
 * and others with what all projects were told.
 */
export async function enter(transaction: Transaction, messages: readonly UnknownMessage[]): Promise<void> {
  await enterOwn(transaction, messages);
  const ofProjects = messages.filter(({ isOfProject }) => isOfProject);
  if (ofProjects.length > 0) await enterShared(transaction, ofProjects);
}

async function enterOwn(transaction: Transaction, messages: readonly UnknownMessage[]): Promise<void> {
  const { segments, vectors } = await wordsOf(messages, ownWords, await countOwn(transaction, messages));
  await transaction.query({
    name: 'enter-messages',
    text: `insert into message_words (message_id, org_id, user_id, chat_id, created_at, segment, words)
      select m.id, m.org_id, g.user_id, m.chat_id, m.created_at, g.segment, g.words::tsvector
      from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[]) as g (id, user_id, segment, words)
        join messages m on m.id = g.id
      on conflict do nothing`,
    values: [messages.map(({ id }) => id), messages.map(({ userId }) => userId), segments, vectors],
  });
}

async function enterShared(transaction: Transaction, messages: readonly UnknownMessage[]): Promise<void> {
  const { segments, vectors } = await wordsOf(messages, sharedWords, await countShared(transaction, messages));
  await transaction.query({
    name: 'enter-shared-messages',
    text: `insert into shared_message_words (message_id, org_id, chat_id, created_at, segment, words)
      select m.id, m.org_id, m.chat_id, m.created_at, g.segment, g.words::tsvector
      from unnest($1::uuid[], $2::int[], $3::text[]) as g (id, segment, words) join messages m on m.id = g.id
      on conflict do nothing`,
    values: [messages.map(({ id }) => id), segments, vectors],
  });
}

async function wordsOf(
  messages: readonly UnknownMessage[],
  ownerOf: (message: UnknownMessage) => WordOwner,
  known: Map<string, number>,
): Promise<{ segments: number[]; vectors: string[] }> {
  const segments: number[] = [];
  const vectors: string[] = [];
  for (const message of messages) {
    const owner = ownerOf(message);
    const earlier = known.get(owner) ?? 0;
    known.set(owner, earlier + 1);
    const segment = segmentOf(earlier);
    segments.push(segment);
    vectors.push(vectorOf(message.content, segmentKey(owner, segment)));
    // A long message takes some milliseconds, and the worker has turns to stream.
    await nextTick();
  }
  return { segments, vectors };
}

interface CountedOwner {
  readonly orgId: string;
  readonly userId: string;
  readonly earlier: string;
}

// Returns how many messages of each user were entered before these.
async function countOwn(
  transaction: Transaction,
  messages: readonly UnknownMessage[],
): Promise<Map<WordOwner, number>> {
  const { rows } = await transaction.query<CountedOwner>({
    name: 'count-entered-messages',
    text: `insert into word_owners as known (org_id, user_id, messages)
      select org_id, user_id, count(*) from unnest($1::uuid[], $2::uuid[]) as g (org_id, user_id) group by org_id, user_id
      on conflict (org_id, user_id) do update set messages = known.messages + excluded.messages
      returning org_id as "orgId", user_id as "userId",
        messages - (select count(*) from unnest($1::uuid[], $2::uuid[]) as g (org_id, user_id)
          where g.org_id = known.org_id and g.user_id = known.user_id) as earlier`,
    values: [messages.map(({ orgId }) => orgId), messages.map(({ userId }) => userId)],
  });
  return new Map(rows.map((row) => [ownWords(row), Number(row.earlier)]));
}

// Returns how many messages in chats of projects were entered before these, for each organization.
async function countShared(
  transaction: Transaction,
  messages: readonly UnknownMessage[],
): Promise<Map<WordOwner, number>> {
  const { rows } = await transaction.query<Pick<CountedOwner, 'orgId' | 'earlier'>>({
    name: 'count-entered-shared-messages',
    text: `insert into shared_word_owners as known (org_id, messages)
      select org_id, count(*) from unnest($1::uuid[]) as g (org_id) group by org_id
      on conflict (org_id) do update set messages = known.messages + excluded.messages
      returning org_id as "orgId",
        messages - (select count(*) from unnest($1::uuid[]) as g (org_id) where g.org_id = known.org_id) as earlier`,
    values: [messages.map(({ orgId }) => orgId)],
  });
  return new Map(rows.map((row) => [sharedWords(row), Number(row.earlier)]));
}

function timeOf(id = ''): number {
  return id === '' ? 0 : Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
