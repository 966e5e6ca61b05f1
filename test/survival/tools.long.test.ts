import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider, createTool, registerUser } from '../support/factories.ts';
import { TestStack } from '../support/test-stack.ts';
import { openSocket, readTurns, waitUntilAnswered } from '../support/test-stack-conversation.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(async () => stack.close());

const callOf = (name: string, args: object) => `[[tool ${name} ${JSON.stringify(args)}]]`;

/** A user whose agent has the tools, and may use them without asking, with its chat. */
async function startWith(
  tools: readonly string[],
  prepare?: (user: Awaited<ReturnType<typeof registerUser>>) => Promise<void>,
) {
  const user = await registerUser(stack.url);
  await createProvider(user.client, stack.model.url);
  await prepare?.(user);
  const fields = {
    name: 'Lead',
    tools,
    requires_approval: Object.fromEntries(tools.map((key) => [key, 'never'])),
    max_concurrency: 8,
  };
  const agentId = await createAgent(user.client, fields);
  return { stack, user, agentId, chatId: await createChat(user.client, agentId) };
}

const ONE_OF_EACH = { agents: 1, tools: 1, schedules: 1, runs: 1, tasks: 1 };

/** Counts what the agents of an organization have made. */
async function countMade(orgId: string): Promise<unknown> {
  const [counted] = await stack.query(
    `select (select count(*)::int from agents where org_id = $1 and name = 'Made agent') as agents,
      (select count(*)::int from definitions where org_id = $1 and key = 'made_tool') as tools,
      (select count(*)::int from schedules where org_id = $1 and name = 'Made schedule') as schedules,
      (select count(*)::int from workflow_runs where org_id = $1 and triggered_by = 'agent') as runs,
      (select count(*)::int from tasks where org_id = $1 and parent_task_id is not null) as tasks`,
    [orgId],
  );
  return counted;
}

describe('what an agent does with the platform', () => {
  const TOOLS = [
    'platform_create_agent',
    'platform_create_tool',
    'schedule_manage',
    'workflow_trigger',
    'agent_broadcast',
  ];

  test('is there once when its worker is killed after it was done, and before anybody knows', async () => {
    const conversation = await startWith(TOOLS);
    const { user } = conversation;
    const worker = await createAgent(user.client, { name: 'Worker' });
    const workflow = { name: 'Report', agent_id: worker, prompt_template: '[[say reported]]' };
    const { json } = await user.client.post<{ id: string }>('/api/workflows', workflow);
    const definition = { parameters: { type: 'object' }, effect: 'read', runtime: 'javascript' };
    const tool = {
      key: 'made_tool',
      name: 'Made',
      description: 'Made by an agent.',
      definition,
      code: 'export default () => 1',
    };
    const calls = [
      callOf('platform_create_agent', { name: 'Made agent', system_prompt: 'Count.' }),
      callOf('platform_create_tool', tool),
      callOf('schedule_manage', { action: 'create', name: 'Made schedule', prompt: 'x', cron_expr: '0 9 1 1 *' }),
      callOf('workflow_trigger', { workflow_id: json.id }),
      callOf('agent_broadcast', { message: '[[say heard]]', agent_ids: ['Worker'] }),
    ];
    const socket = await openSocket(conversation);
    await stack.withDatabase(async (client) => {
      await client.query('begin; lock table audit_log in exclusive mode');
      socket.send({ type: 'message', content: `${calls.join(' ')} [[then]] [[say done]]`, client_message_id: 'all' });
      // Each is done by then, and waits to be entered in the audit log before it has a result.
      const isDone = async () => isDeepStrictEqual(await countMade(user.orgId), ONE_OF_EACH) || undefined;
      await waitUntil('all calls to be done', isDone);
      await stack.end('worker').backUp();
      await client.query('commit');
    });
    const turn = await waitUntilAnswered(conversation, 'all');
    expect(turn).toMatchObject({ status: 'completed', answers: ['done'] });
    expect(await countMade(user.orgId)).toEqual(ONE_OF_EACH);
    const [known] = await stack.query(
      `select (select count(*)::int from audit_log where org_id = $1 and ip = 'agent') as entries,
        (select count(*)::int from tool_calls where org_id = $1 and status = 'success') as results`,
      [user.orgId],
    );
    expect(known).toEqual({ entries: 5, results: 5 });
    socket.close();
  });
});

test('tools that a chat has asked for stay among those of its agent, when the worker is killed', async () => {
  const keys = Array.from({ length: 41 }, (_, at) => `answer_${at}`);
  const conversation = await startWith(keys, async ({ client }) => {
    const file = { parameters: { type: 'object' }, runtime: 'javascript', effect: 'read' };
    for (const key of keys) {
      const code = `export default () => '${key}'`;
      await createTool(client, { 'tool.json': JSON.stringify(file), 'main.js': code }, { key });
    }
  });
  const socket = await openSocket(conversation);
  const before = stack.model.requests.length;
  const asks = callOf('tool_describe', { names: ['answer_40'] });
  socket.send({
    type: 'message',
    content: `${asks} [[then]] [[hold killed]] ${callOf('answer_40', {})} [[then]] [[say done]]`,
    client_message_id: 'described',
  });
  await waitUntil('the model to be asked for the second time', () => stack.model.requests[before + 1]);
  const back = stack.end('worker').backUp();
  stack.model.release('killed');
  await back;
  await socket.waitForEnd();
  expect(await readTurns(stack, conversation.chatId)).toMatchObject([{ status: 'completed', answers: ['done'] }]);
  const asked = stack.model.requests
    .slice(before)
    .map(({ body }) => JSON.stringify(body.tools).includes('"answer_40"'));
  expect(asked[0]).toBe(false);
  expect(new Set(asked.slice(1))).toEqual(new Set([true]));
  expect(asked.length).toBeGreaterThan(3);
  socket.close();
});
