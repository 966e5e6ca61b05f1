import { LRUCache } from 'lru-cache';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../db/core/database.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { Definitions } from '../../db/definitions/definitions.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { ShippedDefinitions } from '../../domain/definitions/definition.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { FileStores } from '../../files/file-stores.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { AccountUse } from '../llm/model-candidates.ts';
import type { ModelEvent, UnrenderedRequest } from '../llm/model-adapter.ts';
import { McpClient } from '../mcp-servers/mcp-client.ts';
import { McpSessions } from '../mcp-servers/mcp-sessions.ts';
import { jsonSchemaTool } from '../tools/runnable-tool.ts';
import { toolSources } from '../tools/sources/index.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { composeToolsets, type ToolSource } from '../tools/toolset.ts';
import { runCall, type ToolDeps } from './calls/run-call.ts';
import { TurnMemory } from './transcript/turn-transcript.ts';
import { RunningTurns } from './runs/running-turns.ts';
import { type StepResult, type TurnDeps, TurnStep } from './turn-step.ts';

const never = new AbortController().signal;
const cancellation = { cancelled: never, isShutdown: () => false };

let testDatabase: TestDatabase;
let database: Database;
let runningTurns: RunningTurns;
let publisher: TurnPublisher;
let workspaceRoot: string;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 4 });
  publisher = new TurnPublisher(database, () => undefined);
  runningTurns = new RunningTurns(database, () => undefined);
  workspaceRoot = await mkdtemp(join(tmpdir(), 'everturn-source-'));
});
afterAll(async () => {
  await publisher.drain();
  runningTurns.close();
  await database.close();
  await testDatabase.drop();
  await rm(workspaceRoot, { recursive: true, force: true });
});

/** Returns a source that the engine does not know: each organization has its own tool `weather`. */
function weather(schemas: ReadonlyMap<string, { readonly argument: string; readonly answer: string }>): ToolSource {
  return ({ orgId }) => {
    const found = schemas.get(orgId);
    if (found === undefined) return [];
    const { argument, answer } = found;
    return [
      jsonSchemaTool({
        key: 'weather',
        description: 'Tells the weather.',
        parameters: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
        effect: 'read',
        inline: true,
        timeoutSeconds: 5,
        label: 'Looking out of the window',
        run: async (args, { idempotencyKey }) => {
          if (args[argument] === 'nowhere') throw new ToolFailure('not_found', 'There is no such place');
          return { value: { answer, argument: args[argument], hasKey: idempotencyKey !== '' }, isForeign: true };
        },
      }),
    ];
  };
}

/** Returns a model that makes one call and then finishes. */
function callingModel(name: string, args: object) {
  const offered: (readonly string[])[] = [];
  async function* reply({ transcript }: UnrenderedRequest): AsyncGenerator<ModelEvent> {
    offered.push(await transcript.read(({ tools }) => tools.map((tool) => tool.name)));
    if (offered.length === 1) yield { type: 'tool_call', call: { name, argumentsText: JSON.stringify(args) } };
    else yield { type: 'text', text: 'Done.' };
    yield { type: 'end', reason: 'done' };
  }
  return { offered, findAdapter: () => reply };
}

async function chatOf(): Promise<ChatFixture> {
  const chat = await ChatFixture.create(database);
  await database.system.query("insert into memberships (org_id, user_id, role) values ($1, $2, 'owner')", [
    chat.ref.orgId,
    chat.userId,
  ]);
  await chat.accept();
  return chat;
}

async function takeStep(deps: TurnDeps, chat: ChatFixture): Promise<StepResult> {
  const turn = await claimTurn(database, chat.ref);
  if (turn === undefined) throw new Error('no turn is open');
  return new TurnStep(deps, chat.ref, turn, never).take();
}

/** Makes the engine answer the chat's message; returns the calls that it stored. */
async function answer(chat: ChatFixture, source: ToolSource, model: ReturnType<typeof callingModel>) {
  const definitions = new Definitions(database, new ShippedDefinitions([]));
  const box = new SecretBox(['a'.repeat(44)]);
  const log = pino({ level: 'silent' });
  const fetch = () => Promise.reject(new Error('no network'));
  const mcp = new McpClient({ database, log, sessions: new McpSessions({ database, fetch, box }) });
  const given = {
    database,
    definitions,
    mcp,
    maxSubAgentsOfTree: 0,
    lacking: () => ({}),
    subAgentTimeLimitSeconds: 60,
    approvalWaitMs: 3_600_000,
  };
  const toolsetFor = composeToolsets([...toolSources(given), source]);
  const bounds = { perUser: 0, perOrg: 0 };
  const deps: TurnDeps & ToolDeps = {
    database,
    definitions,
    publisher,
    runningTurns,
    workspaceRoot,
    embed: async () => Promise.reject(new Error('no embeddings')),
    workspaceCopies: undefined,
    sandbox: { run: async () => Promise.reject(new Error('no sandbox')) },
    browser: { visit: async () => Promise.reject(new Error('no browser')) },
    sockets: {
      connect: fetch,
      lookupFor: () => {
        throw new Error('no network');
      },
    },
    files: await FileStores.open(database, undefined),
    toolsetFor,
    contextFor: () => {
      throw new Error('no call waits for a decision');
    },
    advanceRun: async () => Promise.reject(new Error('no runs')),
    findAdapter: model.findAdapter,
    findPrice: () => undefined,
    callMedia: async () => Promise.reject(new Error('no media')),
    turnBounds: bounds,
    callBounds: bounds,
    providerWaitMaxMs: 1_000,
    approvalWaitMs: 1_000,
    box,
    accountUse: new AccountUse(),
    memory: new TurnMemory(1_000_000_000),
    withoutTools: new LRUCache({ max: 1 }),
    smallerWindows: new LRUCache({ max: 1 }),
    orgLimits: parseOrgLimits(''),
    log,
    certificateExpiry: () => undefined,
    fetch: async () => Promise.reject(new Error('no network')),
    privateHosts: parsePrivateHosts(''),
    http: { request: () => Promise.reject(new Error('no network')) },
  };
  const step = await takeStep(deps, chat);
  const calls = step.next?.kind === 'calls' ? step.next.calls : [];
  for (const { id } of calls) await runCall(deps, { orgId: chat.ref.orgId, callId: id }, cancellation);
  await takeStep(deps, chat);
  const { rows } = await database.system.query(
    'select k.name, k.label, k.effect, k.status, k.result from tool_calls k join turns t on t.id = k.turn_id where t.chat_id = $1',
    [chat.ref.chatId],
  );
  return { isInline: step.areInline, calls: rows };
}

test('a tool of a source that is added is offered, planned, run and shown by the engine as it is', async () => {
  const chat = await chatOf();
  const source = weather(new Map([[chat.ref.orgId, { argument: 'city', answer: 'rain' }]]));
  const model = callingModel('weather', { city: 'Rome' });
  expect(await answer(chat, source, model)).toMatchObject({
    isInline: true,
    calls: [{ name: 'weather', label: 'Looking out of the window', effect: 'read', status: 'success' }],
  });
  expect(model.offered[0]).toEqual(['weather']);
  const { rows } = await database.system.query(
    `select m.content, k.result from messages m join tool_calls k on k.turn_id = m.turn_id
     where m.chat_id = $1 and m.role = 'assistant'`,
    [chat.ref.chatId],
  );
  expect(rows).toMatchObject([{ content: 'Done.', result: expect.stringContaining('"answer":"rain"') }]);
  expect(rows[0]?.result).toMatch(/^\[Data from outside/);
});

test('two organizations may have different tools of one key', async () => {
  const [first, second] = [await chatOf(), await chatOf()];
  const source = weather(
    new Map([
      [first.ref.orgId, { argument: 'city', answer: 'rain' }],
      [second.ref.orgId, { argument: 'zip', answer: 'sun' }],
    ]),
  );
  expect((await answer(first, source, callingModel('weather', { city: 'Rome' }))).calls).toMatchObject([
    { status: 'success', result: expect.stringContaining('rain') },
  ]);
  expect((await answer(second, source, callingModel('weather', { zip: '00118' }))).calls).toMatchObject([
    { status: 'success', result: expect.stringContaining('sun') },
  ]);
});

test('a call of such a tool with other arguments is not made', async () => {
  const chat = await chatOf();
  const source = weather(new Map([[chat.ref.orgId, { argument: 'city', answer: 'rain' }]]));
  expect((await answer(chat, source, callingModel('weather', { zip: '00118' }))).calls).toMatchObject([
    { status: 'error', result: expect.stringContaining('must have the property city') },
  ]);
});

test('arguments that no longer fit when a call is run, after a deployment, are refused', async () => {
  const chat = await chatOf();
  const [before, after] = ['city', 'zip'].map((argument) =>
    weather(new Map([[chat.ref.orgId, { argument, answer: 'rain' }]])),
  );
  let polls = 0;
  const changing: ToolSource = (user) => {
    polls += 1;
    return (user.turn === undefined ? after : before)?.(user) ?? [];
  };
  expect((await answer(chat, changing, callingModel('weather', { city: 'Rome' }))).calls).toMatchObject([
    { status: 'error', result: expect.stringContaining('must have the property zip') },
  ]);
  expect(polls).toBeGreaterThan(1);
});
