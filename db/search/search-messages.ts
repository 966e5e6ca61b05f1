import { EXCERPT_SOURCE_LENGTH, excerptOf, parseSearchQuery, type Phrase } from '../../domain/search.ts';
import { type ChatReader, isShared, readableBy } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { enterRecentMessages } from './enter-messages.ts';
import { ownWords, queryFor, segmentKey, segmentOf, sharedWords, type WordOwner } from './search-words.ts';

/** A message that a search has found. */
export interface FoundMessage {
  readonly chatId: string;
  readonly chatTitle: string;
  readonly messageId: string;
  /** HTML: the text around the matches, which are enclosed in `<mark>`. */
  readonly excerpt: string;
  readonly role: 'user' | 'assistant';
  readonly createdAt: Date;
}

/** One page of the results of a search. */
export interface FoundMessages {
  readonly results: readonly FoundMessage[];
  /** The number of messages found; `MAX_FOUND` means as many or more. */
  readonly total: number;
}

interface SearchPage {
  readonly page: number;
  readonly perPage: number;
}

/** A search ends with so many messages, the newest. */
export const MAX_FOUND = 1_000;
/** A search ends after this time with what it has found by then. */
const MAX_SEARCH_MS = 2_000;
/** It ends after this time once it has found enough: a phrase of frequent words is compared with most messages. */
const SOON_MS = 30;
const ENOUGH = 100;
/** How many segments the first round trip searches: a frequent word is found there. */
const FIRST_SEGMENTS = 2;
/**
 * How many statements a round trip sends at most, and for how many segments each. One never finds more than these
 * contain.
 */
const MAX_STATEMENTS = 8;
const SEGMENTS_OF_STATEMENT = 16;
/** The age at which a message counts half. */
const HALF_LIFE_DAYS = 90;
const DAY_MS = 86_400_000;

interface Candidate {
  readonly messageId: string;
  readonly createdAt: Date;
  readonly rank: number;
}

/** One of the two indexes that a reader searches: their own messages, or those in chats that others share. */
interface WordIndex {
  readonly owner: WordOwner;
  /** Returns the statement that counts the messages in it. */
  count(reader: ChatReader): Statement<{ readonly messages: number }>;
  /** Returns the statement that searches segments of it, newest first, each with a query of its own. */
  find(reader: ChatReader, segments: readonly number[], queries: readonly string[]): Statement<Candidate>;
}

/**
 * Searches the messages of the reader's chats and of those that others share with them, those of sub-agents included
 * and deleted ones left out. The best come first: those with the words more often and nearer to each other, and newer
 * ones. What was stored before the search is found, unless the workers are far behind with entering messages.
 */
export async function searchMessages(
  database: Database,
  reader: ChatReader,
  query: string,
  { page, perPage }: SearchPage,
): Promise<FoundMessages> {
  const phrases = parseSearchQuery(query);
  if (phrases.length === 0) return { results: [], total: 0 };
  await enterRecentMessages(database, reader);
  const now = Date.now();
  const indexes = reader.seesShared ? [ownIndex(reader), sharedIndex(reader)] : [ownIndex(reader)];
  const enough = Math.max(page * perPage, ENOUGH);
  const found = (
    await Promise.all(indexes.map(async (index) => findNewest(database, reader, phrases, { index, enough })))
  )
    .flat()
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, MAX_FOUND)
    .map(({ messageId, createdAt, rank }) => ({ messageId, createdAt, score: rank * freshness(createdAt, now) }))
    .toSorted((a, b) => b.score - a.score || b.createdAt.getTime() - a.createdAt.getTime());
  const wanted = found.slice((page - 1) * perPage, page * perPage).map(({ messageId }) => messageId);
  return { results: await readFound(database, reader, wanted, phrases), total: found.length };
}

function freshness(createdAt: Date, now: number): number {
  return 1 / (1 + Math.max(0, now - createdAt.getTime()) / DAY_MS / HALF_LIFE_DAYS);
}

interface Search {
  readonly index: WordIndex;
  /** As many messages are enough when it takes longer. */
  readonly enough: number;
}

// Searches the newest segments first, and older ones until enough is found.
async function findNewest(
  database: Database,
  reader: ChatReader,
  phrases: readonly Phrase[],
  { index, enough }: Search,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  const startedAt = performance.now();
  let segments = await segmentsOf(database, reader, index);
  let searched = 0;
  while (segments.length > 0) {
    const size = nextSize(searched, performance.now() - startedAt);
    const groups = inGroups(segments.slice(0, size));
    found.push(...(await findIn(database, reader, phrases, { index, groups })));
    segments = segments.slice(size);
    searched += size;
    const elapsedMs = performance.now() - startedAt;
    if (found.length >= MAX_FOUND || elapsedMs > MAX_SEARCH_MS) break;
    if (found.length >= enough && elapsedMs > SOON_MS) break;
  }
  return found.slice(0, MAX_FOUND);
}

// A segment takes a fraction of a millisecond for a rare word, and some milliseconds where most messages are compared.
function nextSize(searched: number, elapsedMs: number): number {
  if (searched === 0) return FIRST_SEGMENTS;
  const size = Math.ceil((SOON_MS * searched) / elapsedMs);
  return Math.min(size, 4 * searched, MAX_STATEMENTS * SEGMENTS_OF_STATEMENT);
}

function inGroups(segments: readonly number[]): number[][] {
  const count = Math.ceil(segments.length / SEGMENTS_OF_STATEMENT);
  return Array.from({ length: count }, (_, at) =>
    segments.slice(at * SEGMENTS_OF_STATEMENT, (at + 1) * SEGMENTS_OF_STATEMENT),
  );
}

// Newest first.
async function segmentsOf({ tenant }: Database, reader: ChatReader, index: WordIndex): Promise<number[]> {
  const [known] = await tenant.query(reader.orgId, index.count(reader));
  if (known === undefined) return [];
  return Array.from({ length: segmentOf(known.messages - 1) + 1 }, (_, at) => at).toReversed();
}

async function findIn(
  { tenant }: Database,
  reader: ChatReader,
  phrases: readonly Phrase[],
  { index, groups }: { readonly index: WordIndex; readonly groups: readonly (readonly number[])[] },
): Promise<Candidate[]> {
  const lookups = groups.map((segments) => {
    const queries = segments.map((segment) => queryFor(phrases, segmentKey(index.owner, segment)));
    return {
      search: setQuery(queries.map((query) => `(${query})`).join('|')),
      find: index.find(reader, segments, queries),
    };
  });
  const statements: Statement<Partial<Candidate>>[] = lookups.flatMap(({ search, find: found }) => [search, found]);
  const results = await tenant.series(reader.orgId, [...statements, setQuery('')]);
  return results.flat().filter((row): row is Candidate => 'messageId' in row);
}

/**
 * Returns the statement that sets the query by which the row policies of words filter; an empty one filters nothing.
 */
export function setQuery(query: string): Statement {
  return { name: 'look-for', text: "select from set_config('app.search', $1, false)", values: [query] };
}

function ownIndex(reader: ChatReader): WordIndex {
  return {
    owner: ownWords(reader),
    count: ({ orgId, userId }) => ({
      name: 'count-searchable-messages',
      text: 'select messages from word_owners where org_id = $1 and user_id = $2',
      values: [orgId, userId],
    }),
    find: ({ userId }, segments, queries) => ({
      name: 'find-messages',
      text: FIND_OWN,
      values: [userId, segments[0], queries, MAX_FOUND],
    }),
  };
}

function sharedIndex(reader: ChatReader): WordIndex {
  return {
    owner: sharedWords(reader),
    count: ({ orgId }) => ({
      name: 'count-searchable-shared-messages',
      text: 'select messages from shared_word_owners where org_id = $1',
      values: [orgId],
    }),
    find: ({ orgId, userId }, segments, queries) => ({
      name: 'find-shared-messages',
      text: FIND_SHARED,
      values: [userId, segments[0], queries, MAX_FOUND, orgId],
    }),
  };
}

// The limit within keeps the planner from beginning with the chats, of which there may be many.
const liveChat = (chatId: string, condition: string) => `cross join lateral (
      select c.title from chats c where c.id = ${chatId} and c.deleted_at is null and ${condition} limit 1
    ) live`;

const findText = (table: string, condition: string, ofChat: string) => `select message_id as "messageId",
    created_at as "createdAt", ts_rank(words, ($3::text[])[$2 - segment + 1]::tsquery, 1) as rank
  from (
    select w.message_id, w.created_at, w.segment, w.words
    from ${table} w ${liveChat('w.chat_id', ofChat)}
    where ${condition}
    order by w.created_at desc, w.message_id desc limit $4
  ) found`;

const FIND_OWN = findText('message_words', 'w.user_id = $1', 'c.user_id = $1');
// The reader's own messages are found separately.
const FIND_SHARED = findText('shared_message_words', 'w.org_id = $5', `c.user_id <> $1 and ${isShared('c')}`);

interface FoundText extends Omit<FoundMessage, 'excerpt'> {
  readonly text: string;
}

async function readFound(
  { tenant }: Database,
  { orgId, userId, seesShared }: ChatReader,
  ids: readonly string[],
  phrases: readonly Phrase[],
): Promise<FoundMessage[]> {
  if (ids.length === 0) return [];
  const rows = await tenant.query<FoundText>(orgId, {
    name: 'read-found-messages',
    text: `select m.id as "messageId", m.chat_id as "chatId", live.title as "chatTitle", m.role, m.created_at as "createdAt",
        left(m.content, ${EXCERPT_SOURCE_LENGTH} + 1) as text
      from unnest($1::uuid[]) with ordinality as wanted (id, position)
        join messages m on m.id = wanted.id ${liveChat('m.chat_id', readableBy('c', '$2', '$3'))}
      order by wanted.position`,
    values: [ids, userId, seesShared],
  });
  return rows.map(({ text, ...found }) => ({ ...found, excerpt: excerptOf(text, phrases) }));
}
