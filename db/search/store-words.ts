import { setImmediate as nextTick } from 'node:timers/promises';
import type { Transaction } from '../core/transactions.ts';
import { ownWords, segmentKey, segmentOf, sharedWords, vectorOf, type WordOwner } from './search-words.ts';

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
 * Indexes messages. Those of a project's chat are indexed twice: its owner searches them with the rest of their own,
 * and others with those of all projects.
 */
export async function storeWords(transaction: Transaction, messages: readonly UnknownMessage[]): Promise<void> {
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
