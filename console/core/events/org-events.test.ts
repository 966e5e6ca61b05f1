import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { ScriptedSocket } from '../../../test/support/console/scripted-socket.ts';
import { OrgEvents } from './org-events.ts';

const ORG = '01a21508-a1f4-71c3-bd1d-d84e1e01d700';
const [FIRST, SECOND] = ['01a21508-a1f4-71c3-bd1d-d84e1e01d701', '01a21508-a1f4-71c3-bd1d-d84e1e01d702'];

let sockets: ScriptedSocket[];
let reads: string[];
let live: boolean[];
let isHidden: boolean;
let cache: QueryClient;
let events: OrgEvents;
const stops: (() => void)[] = [];

beforeEach(async () => {
  jest.useFakeTimers();
  [sockets, reads, live, isHidden] = [[], [], [], false];
  cache = new QueryClient();
  events = new OrgEvents({
    orgId: ORG,
    cache,
    openSocket: (token) => {
      const socket = new ScriptedSocket(token);
      sockets.push(socket);
      return socket;
    },
    takeToken: async () => ({ value: 'token', expiresAt: Date.now() + 3_600_000 }),
    readForMs: () => 3_100,
    isHidden: () => isHidden,
    onLive: (state) => live.push(state),
  });
  await pass(0);
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  events.close();
  cache.clear();
  jest.useRealTimers();
});

const pass = async (ms: number) => jest.advanceTimersByTimeAsync(ms);
const changed = (resource: string, id: string | null) => ({ type: 'changed', resource, id, action: 'changed' });

/** Shows queries by their keys, and forgets how they were read at first. */
async function show(...keys: readonly (readonly string[])[]): Promise<void> {
  for (const [capability, ...rest] of keys) {
    const queryKey = [ORG, capability, ...rest];
    const queryFn = async () => reads.push([capability, ...rest].join(' '));
    stops.push(new QueryObserver(cache, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => undefined));
  }
  await pass(0);
  reads.length = 0;
}

async function say(...frames: readonly { type: string }[]): Promise<void> {
  sockets.at(-1)?.say(...frames);
  await pass(300);
}

describe('the events of an organization', () => {
  test('have lists and the record read again that has changed, once for what comes together, and nothing else', async () => {
    await show(['agents', 'list'], ['agents', 'one', FIRST], ['agents', 'one', SECOND], ['chats', 'list']);
    await say({ type: 'resync' }, changed('agents', FIRST), changed('agents', FIRST));
    expect(reads.toSorted()).toEqual(['agents list', `agents one ${FIRST}`].toSorted());
  });

  test('have all of a capability read again when it is not known which record has changed', async () => {
    await show(['agents', 'list'], ['agents', 'one', FIRST], ['chats', 'list']);
    await say({ type: 'resync' }, changed('agents', null));
    expect(reads.toSorted()).toEqual(['agents list', `agents one ${FIRST}`].toSorted());
  });

  test('have what other capabilities show of a record read again as well', async () => {
    await show(['chats', 'one', FIRST], ['members', 'list'], ['agents', 'list']);
    await say({ type: 'resync' }, changed('approvals', SECOND), changed('invites', SECOND));
    expect(reads.toSorted()).toEqual([`chats one ${FIRST}`, 'members list'].toSorted());
  });

  test('have tasks and issues read again when a turn of a chat begins or ends', async () => {
    await show(['issues', 'one', FIRST], ['tasks', 'of-issue', FIRST], ['agents', 'list']);
    await say({ type: 'resync' }, changed('chats', SECOND));
    expect(reads.toSorted()).toEqual([`issues one ${FIRST}`, `tasks of-issue ${FIRST}`].toSorted());
  });

  test('have lists read again that are of another record, even one of the same kind', async () => {
    const lists = [
      ['tasks', 'list', FIRST],
      ['tasks', 'of-issue', FIRST],
      ['tasks', 'parts', FIRST],
    ];
    await show(...lists, ['tasks', 'one', FIRST], ['chats', 'workspace', FIRST, ''], ['workflows', FIRST, 'runs']);
    await say({ type: 'resync' }, changed('tasks', SECOND), changed('workflows', SECOND));
    expect(reads.toSorted()).toEqual(lists.map((key) => key.join(' ')).toSorted());
    await say(changed('chats', SECOND));
    expect(reads).not.toContain(`chats workspace ${FIRST} `);
  });

  test('have memories of an agent and deliveries of webhooks read again', async () => {
    const keys = [
      ['agents', 'memories', FIRST],
      ['schedules', FIRST, 'deliveries'],
      ['workflows', FIRST, 'deliveries'],
    ];
    await show(...keys, ['chats', 'list']);
    await say({ type: 'resync' }, changed('memories', SECOND), changed('webhook_deliveries', SECOND));
    expect(reads.toSorted()).toEqual(keys.map((key) => key.join(' ')).toSorted());
  });

  test('read nothing again at the first connection but what has changed since it was read', async () => {
    await show(['agents', 'list'], ['chats', 'list']);
    await say({ type: 'resync' });
    expect(sockets.at(-1)?.sent).toEqual(['{"type":"catch_up","since_ms":3100}']);
    expect(reads).toEqual([]);
    await say(changed('chats', FIRST));
    expect(reads).toEqual(['chats list']);
  });

  test('read everything again when the server does not know what has changed since it was read', async () => {
    await show(['agents', 'list'], ['chats', 'list']);
    await say({ type: 'resync' });
    await say({ type: 'resync' });
    expect(reads.toSorted()).toEqual(['agents list', 'chats list']);
  });

  test('read everything again after a later connection', async () => {
    await show(['agents', 'list'], ['chats', 'list']);
    await say({ type: 'resync' });
    expect(reads).toEqual([]);
    sockets.at(-1)?.end(1006);
    await pass(3_000);
    await say({ type: 'resync' });
    expect(reads.toSorted()).toEqual(['agents list', 'chats list']);
    expect(live).toEqual([true, false, true]);
  });

  test('read nothing in a hidden tab, but mark what is stale', async () => {
    await show(['agents', 'list']);
    isHidden = true;
    await say({ type: 'resync' }, changed('agents', FIRST));
    expect([reads, cache.getQueryState([ORG, 'agents', 'list'])?.isInvalidated]).toEqual([[], true]);
  });

  test('read the same not more than every three seconds while changes go on, the last one included', async () => {
    await show(['agents', 'list'], ['chats', 'list']);
    await say({ type: 'resync' });
    const times: number[] = [];
    const start = Date.now();
    for (let n = 0; n < 18; n += 1) {
      const before = reads.length;
      await say(changed('agents', FIRST));
      if (reads.length > before) times.push(Date.now() - start);
    }
    expect(times).toEqual([300, 3_300]);
    await say(changed('chats', FIRST));
    expect(reads).toEqual(['agents list', 'agents list', 'chats list']);
    await pass(3_000);
    expect(reads).toEqual(['agents list', 'agents list', 'chats list', 'agents list']);
    await pass(60_000);
    expect(reads).toHaveLength(4);
  });

  test('read everything again once when very much has changed', async () => {
    await show(['agents', 'list'], ['chats', 'list']);
    const many = Array.from({ length: 250 }, (_, index) => changed('tools', `${index}`));
    await say({ type: 'resync' }, ...many);
    expect(reads.toSorted()).toEqual(['agents list', 'chats list']);
  });
});
