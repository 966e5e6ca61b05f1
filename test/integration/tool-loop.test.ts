import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EffectServer } from '../support/effect-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { OpenChat } from './open-chat.ts';

let effects: EffectServer;
let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});
afterEach(() => chat.close());

const TOOLS = ['time_now', 'math_evaluate', 'file_write', 'file_read', 'http_request', 'json_query', 'memory_manage'];

async function answer(content: string, agent: Record<string, unknown> = { tools: TOOLS }) {
  chat = await OpenChat.create(instance, { agent });
  const socket = await chat.connect();
  socket.send({ type: 'message', content, client_message_id: 'first' });
  const end = await socket.waitForEnd();
  return { socket, end, metadata: end['metadata'] as Metadata | undefined };
}

interface Metadata {
  readonly status: string;
  readonly tool_call_count: number;
  readonly tool_calls_detail: readonly { id: string; name: string; status: string; result: string }[];
  readonly usage: { input_tokens: number; output_tokens: number };
}

/** A model that is known to take no tools natively, so that its prompt tells of them in fences. */
const FENCED_MODEL = 'sonar';

describe.each([
  ['tool', 'scripted-1'],
  ['fence', FENCED_MODEL],
])('calls made as a %s by %s', (form, model) => {
  test('run in parallel, their results reach the model, and all three tell the same story', async () => {
    const sum = JSON.stringify({ expression: '6*7' });
    const note = JSON.stringify({ path: 'note.md', content: '# hi' });
    const { socket, end, metadata } = await answer(
      `[[say Let me see.]] [[${form} math_evaluate ${sum}]] [[${form} file_write ${note}]] [[then]] [[say All done.]] ${form}`,
      { tools: TOOLS, model_pref: model },
    );
    expect(end['content']).toMatch(/^Let me see\..*All done\.$/s);
    expect(end['content']).not.toContain('`');
    expect(socket.text).toBe(end['content']);
    expect(metadata).toMatchObject({ status: 'completed', tool_call_count: 2 });
    expect(metadata?.tool_calls_detail).toMatchObject([
      { name: 'math_evaluate', status: 'success', result: expect.stringContaining('42') },
      { name: 'file_write', status: 'success', result: expect.stringContaining('note.md') },
    ]);
    const ids = new Set(metadata?.tool_calls_detail.map(({ id }) => id));
    const started = socket.frames.filter(({ type }) => type === 'sub_agent_step_start');
    const done = socket.frames.filter(({ type }) => type === 'sub_agent_step_done');
    expect([started.length, done.length]).toEqual([2, 2]);
    expect(new Set(started.map((frame) => frame['step_id']))).toEqual(ids);
    expect(new Set(done.map((frame) => frame['step_id']))).toEqual(ids);
    expect(done.map((frame) => frame['status'])).toEqual(['success', 'success']);
  });
});

describe('a call', () => {
  test.each([
    ['of a tool that does not exist', '[[tool no_such_tool {}]]', 'no tool'],
    ['of a tool that the agent does not have', '[[tool file_delete {"path": "a"}]]', 'no tool'],
    ['whose arguments are not JSON', '[[tool math_evaluate {"expression": ]]', 'not valid JSON'],
    ['whose arguments are no object', '[[tool math_evaluate 7]]', 'not'],
    ['whose arguments miss the schema', '[[tool math_evaluate {"expresion": "1"}]]', 'expression'],
  ])('%s is answered to the model as an error, and the turn goes on', async (_what, call, words) => {
    const { end, metadata } = await answer(`${call} [[then]] [[say corrected]] ${words}`);
    expect(end).toMatchObject({ type: 'stream_end', content: expect.stringMatching(/corrected$/) });
    expect(metadata?.tool_calls_detail).toMatchObject([{ status: 'error', result: expect.stringContaining(words) }]);
  });

  test('in a fence that holds no JSON is answered to the model as an error', async () => {
    const content = '[[fence math_evaluate {"expression": ]] [[then]] [[say corrected]]';
    const { end, metadata } = await answer(content, { tools: TOOLS, model_pref: FENCED_MODEL });
    expect(end['content']).toMatch(/corrected$/);
    expect(metadata?.tool_calls_detail).toMatchObject([{ status: 'error', result: expect.stringContaining('JSON') }]);
  });

  test('in a fence is text, where the model was given tools natively', async () => {
    const call = '{"name": "file_write", "arguments": {"path":"a","content":"b"}}';
    const { socket, end, metadata } = await answer('[[fence file_write {"path":"a","content":"b"}]]');
    expect(end['content']).toBe(`I will use a tool.\n\`\`\`tool_call\n${call}\n\`\`\`\n`);
    expect(socket.text).toBe(end['content']);
    expect(metadata).toMatchObject({ status: 'completed', tool_call_count: 0 });
  });

  test('in a fence is text beside a delegation, which is a call in any form', async () => {
    const content = '[[fence time_now {}]] [[fence agent_spawn {"agent":"Nobody","task":"x"}]] [[then]] [[say sorry]]';
    const { socket, end, metadata } = await answer(content, { tools: ['time_now', 'agent_spawn'] });
    expect(end['content']).toContain('```tool_call\n{"name": "time_now"');
    expect(end['content']).not.toContain('agent_spawn');
    expect(end['content']).toMatch(/sorry$/);
    expect(socket.text).toBe(end['content']);
    expect(metadata?.tool_calls_detail).toMatchObject([{ name: 'agent_spawn', status: 'error' }]);
  });

  test.each(['tool', 'fence'])('of agent_spawn as a %s needs an agent that lists it', async (form) => {
    const content = `[[${form} agent_spawn {"agent":"Nobody","task":"x"}]] [[then]] [[say went on]]`;
    const { end, metadata } = await answer(content, { tools: [], max_subagents: 5 });
    if (form === 'fence') {
      expect(metadata).toMatchObject({ tool_call_count: 0 });
      expect(end['content']).toContain('```tool_call');
    } else {
      expect(metadata?.tool_calls_detail).toMatchObject([
        { name: 'agent_spawn', status: 'error', result: expect.stringContaining('no tool') },
      ]);
    }
  });

  test('repeated for ever is refused, then ends the turn', async () => {
    const { end } = await answer(`${'[[tool time_now {}]] [[then]] '.repeat(20)} [[say never]]`);
    expect(end).toMatchObject({ type: 'error', message: expect.stringContaining('kept repeating') });
    const [stored] = await chat.answers();
    expect(stored?.metadata_['status']).toBe('failed');
  });

  test('beyond the thirty-second of a reply is not run', async () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 40);
    const calls = zones.map((zone) => `[[tool time_now ${JSON.stringify({ zone })}]]`);
    const { metadata } = await answer(`${calls.join(' ')} [[then]] [[say ok]]`);
    expect(metadata).toMatchObject({ status: 'completed', tool_call_count: 32 });
    expect(metadata?.tool_calls_detail.at(-1)).toMatchObject({
      status: 'error',
      result: expect.stringContaining('8 more'),
    });
  });
});

test('tokens of every step are counted once', async () => {
  const { metadata } = await answer(
    '[[tool time_now {}]] [[usage 100 20]] [[then]] [[tool time_now {"zone": "UTC"}]] [[usage 200 30]] [[then]] [[say x]] [[usage 300 40]]',
  );
  expect(metadata?.usage).toEqual({ input_tokens: 600, output_tokens: 90 });
});
