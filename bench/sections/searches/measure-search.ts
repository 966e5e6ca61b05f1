import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createChat, registerUser, type TestUser } from '../../../test/support/factories.ts';
import { join } from '../../../test/support/invitations.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { quantile } from '../../figures/statistics.ts';
import { figure, printHeading, printRows } from '../../report/target.ts';
import type { Bench, SectionResult } from '../../section.ts';

/**
 * Words of a message, and how many different ones there are; the first ones are the most frequent, as in any language.
 */
const WORDS_OF_MESSAGE = 60;
const VOCABULARY = 20_000;
/** Messages of another member for each of the one who searches. */
const OTHERS = 1;
const ENTRY_LIMIT_MS = 1_800_000;
const COUNT_EVERY_MS = 1_000;

const between = (least: number, most: number) => `w${Math.floor(least + Math.random() * (most - least))}`;

/** What is searched for, by what is special about it. */
const SEARCHES: Readonly<Record<string, () => string>> = {
  'a rare word': () => between(10_000, VOCABULARY),
  'a word in one of 50 messages': () => between(200, 400),
  'a word in most messages': () => between(1, 5),
  'two words': () => `${between(50, 200)} ${between(5, 20)}`,
  'a phrase of frequent words': () => `"${between(1, 10)} ${between(1, 10)}"`,
  'a beginning': () => between(10, 99),
  'a word that is not there': () => between(1, 5).replace('w', 'absent'),
};

interface Size {
  readonly messages: number;
  readonly entrySeconds: number;
  readonly bytes: number;
  readonly times: ReadonlyMap<string, readonly number[]>;
}

/**
 * Measures and prints how long searches take as the messages of a user grow in number, and how fast they are entered.
 */
export async function measureSearch({ instance, options }: Bench): Promise<SectionResult> {
  const user = await registerUser(instance.apiUrl);
  const other = await join(user);
  const [chat, otherChat] = [await createChat(user.client), await createChat(other.client)];
  const client = new pg.Client({ connectionString: instance.databaseUrl });
  await client.connect();
  const sizes: Size[] = [];
  try {
    let filled = 0;
    for (const messages of options.searchSizes) {
      const startedAt = performance.now();
      await fill(client, { user, chatId: chat, messages: messages - filled });
      await fill(client, { user: other, chatId: otherChat, messages: OTHERS * (messages - filled) });
      await waitForEntry(client, messages * (1 + OTHERS));
      const entrySeconds = (performance.now() - startedAt) / 1_000;
      await client.query('vacuum (analyze) message_words, messages, chats');
      const times = await search(user, options.comparedTurns);
      sizes.push({ messages, entrySeconds, bytes: await indexBytes(client), times });
      filled = messages;
    }
  } finally {
    await client.end();
  }
  print(sizes, options.comparedTurns);
  const last = [...(sizes.at(-1)?.times.values() ?? [])].flat();
  const name = `a search in ${sizes.at(-1)?.messages.toLocaleString('en') ?? 'no'} messages, all kinds, p95`;
  return { targets: [{ name, measured: quantile(last, 0.95), bound: 50, better: 'less', unit: 'ms' }] };
}

interface Filling {
  readonly user: TestUser;
  readonly chatId: string;
  readonly messages: number;
}

/** Gives a chat so many messages, as if they had been sent in the last year. */
async function fill(client: pg.Client, { user, chatId, messages }: Filling): Promise<void> {
  await client.query(
    `with past as (
      insert into turns (id, org_id, chat_id, user_id, status, attempt, step, started_at, ended_at)
      select uuidv7(), $1, $2, $3, 'completed', 1, 0, now(), now() from generate_series(1, $4::int) returning id
    )
    insert into messages (id, org_id, chat_id, turn_id, role, content, user_id, created_at)
    select uuidv7(), $1, $2, id, 'user', said.words, $3, now() - random() * interval '1 year'
    from past cross join lateral (
      select string_agg('w' || floor(power($5::float8, random()))::int, ' ') as words
      from generate_series(1, $6::int) where id is not null
    ) said`,
    [user.orgId, chatId, user.id, messages, VOCABULARY, WORDS_OF_MESSAGE],
  );
}

// By the counts that the workers keep: to count the rows would take more time than to enter them.
async function waitForEntry(client: pg.Client, messages: number): Promise<void> {
  const isEntered = async () => {
    await sleep(COUNT_EVERY_MS);
    const { rows } = await client.query<{ entered: string }>('select sum(messages) as entered from word_owners');
    return Number(rows[0]?.entered) >= messages ? true : undefined;
  };
  await waitUntil('all messages to be entered', isEntered, ENTRY_LIMIT_MS);
}

async function indexBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>("select pg_total_relation_size('message_words') as bytes");
  return Number(rows[0]?.bytes);
}

async function search(user: TestUser, count: number): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (let at = -3; at < count; at += 1) {
    for (const [kind, make] of Object.entries(SEARCHES)) {
      const startedAt = performance.now();
      const answer = await user.client.get(`/api/chats/search?q=${encodeURIComponent(make())}`);
      if (answer.status !== 200) throw new Error(`a search was answered ${answer.status}`);
      if (at >= 0) times.set(kind, [...(times.get(kind) ?? []), performance.now() - startedAt]);
    }
  }
  return times;
}

function print(sizes: readonly Size[], count: number): void {
  printHeading(`Searches by the messages of the user, one at a time, ${count} of each kind: p50 / p95 (ms)`);
  printRows([
    ['', ...sizes.map(({ messages }) => messages.toLocaleString('en'))],
    ...Object.keys(SEARCHES).map((kind) => [
      kind,
      ...sizes.map(({ times }) => {
        const ofKind = times.get(kind) ?? [];
        return `${figure(quantile(ofKind, 0.5))} / ${figure(quantile(ofKind, 0.95))}`;
      }),
    ]),
    ['seconds until they were entered', ...sizes.map(({ entrySeconds }) => figure(entrySeconds, 0))],
    [
      'KB of the index for a message',
      ...sizes.map(({ messages, bytes }) => figure(bytes / 1024 / messages / (1 + OTHERS), 2)),
    ],
  ]);
}
