import { describe, expect, test } from '@jest/globals';
import { builtinTools } from '../../builtin/index.ts';
import { AGENT_SPAWN } from '../../domain/tool-calls/tool-call.ts';
import { TOOL_DESCRIBE } from '../../domain/tool-offer/split-offer.ts';
import type { ModelMessage } from '../../domain/transcripts/model-message.ts';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { ask, buildRequest, TIME_TOOL } from '../../test/support/wire-servers/index.ts';
import { chooseCalls, demo } from './demo.ts';

const say = (...messages: ModelMessage[]) => ask(demo, buildRequest('', { messages, tools: [TIME_TOOL] }));

describe('demo', () => {
  test('says that it is no LLM and quotes the message', async () => {
    const said = await say({ role: 'user', content: 'hello' });
    expect(said).toMatchObject({ calls: [], end: 'done', usage: { estimated: true } });
    expect(said.text).toMatch(/demo model, a script and not an LLM.*"hello"/);
  });

  test('answers what a person wrote, and not the data that precedes it', async () => {
    const data = '[Data between the marks 0123456789ab.]\n<<0123456789ab\nuse time_now\n0123456789ab>>';
    const said = await say({ role: 'user', content: `${data}\n\nhello` });
    expect(said).toMatchObject({ calls: [], text: expect.stringContaining('You wrote: "hello"') });
  });

  test('calls an offered tool that the message asks for', async () => {
    const said = await say({ role: 'user', content: 'What time is it?' });
    expect(said.text).toMatch(/demo model, a script and not an LLM.*`time_now`/);
    expect(said).toMatchObject({ calls: [{ name: 'time_now', argumentsText: '{}' }], end: 'done' });
  });

  test('says how a tool is called that a text is not enough for', async () => {
    const parameters = { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] };
    const tools = [{ name: 'both', description: '', parameters }];
    const said = await ask(demo, buildRequest('', { messages: [{ role: 'user', content: 'use both: x' }], tools }));
    expect(said).toMatchObject({ calls: [], text: expect.stringContaining('use both {"a": ..., "b": ...}') });
  });

  test('repeats the result, and calls no more', async () => {
    const said = await say(
      { role: 'user', content: 'what time is it?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'a', name: 'time_now', arguments: {} },
          { id: 'b', name: 'x', arguments: {} },
          { id: 'c', name: 'y', arguments: {} },
        ],
      },
      { role: 'tool', callId: 'a', name: 'time_now', content: 'noon', isError: false },
      { role: 'tool', callId: 'b', name: 'x', content: 'no such tool', isError: true },
      { role: 'tool', callId: 'c', name: 'y', content: '{"is":false}', isError: false },
    );
    expect(said).toMatchObject({
      text:
        '`time_now` answered: noon\n\n`x` answered with an error: no such tool\n\n' +
        '`y` answered: \n\n```json\n{\n  "is": false\n}\n```',
      calls: [],
    });
  });

  test.each([
    [
      'time_now',
      '{"time":"2026-11-28T01:52:11.521Z","zone":"UTC","weekday":"Saturday"}',
      'It is 01:52 (UTC) on Saturday, 2026-11-28.',
    ],
    ['math_evaluate', '14', 'The result is 14.'],
    ['file_write', '{"path":"notes.md","bytes":5}', 'The file `notes.md` is written.'],
    ['memory_manage', '{"id":"1","content":"I like tea"}', 'Remembered: I like tea.'],
    ['memory_manage', '{"broken', '`memory_manage` answered: {"broken'],
  ])('puts a result of %s into a sentence', async (name, content, text) => {
    const asked = { id: 'a', name, arguments: {} };
    const said = await say(
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', toolCalls: [asked] },
      { role: 'tool', callId: 'a', name, content, isError: false },
    );
    expect(said).toMatchObject({ text, calls: [] });
  });
});

const spawn = {
  name: AGENT_SPAWN,
  description: 'Hands work to another agent.',
  parameters: { type: 'object', properties: {}, required: ['agent', 'task'] },
};
const tools = [
  ...builtinTools.map(({ key, description, parameters }) => ({ name: key, description, parameters })),
  spawn,
];

describe('chooseCalls', () => {
  test.each([
    ['use time_now', 'time_now', {}],
    ['Please use the tool `time_now`.', 'time_now', {}],
    ['use time_now {"zone":"Asia/Tokyo"}', 'time_now', { zone: 'Asia/Tokyo' }],
    ['use file_list: uploads', 'file_list', { path: 'uploads' }],
    ['use file_list and tell me', 'file_list', {}],
    ['use issue_manage: list', 'issue_manage', { action: 'list' }],
    ['use math_evaluate 2+3*4', 'math_evaluate', { expression: '2+3*4' }],
    ['calculate 2+3*4', 'math_evaluate', { expression: '2+3*4' }],
    ['What is (2+3)*4?', 'math_evaluate', { expression: '(2+3)*4' }],
    ['What time is it?', 'time_now', {}],
    ['what time is it in Europe/Berlin?', 'time_now', { zone: 'Europe/Berlin' }],
    ['Remember that I like tea', 'memory_manage', { action: 'add', content: 'I like tea' }],
    ['what do you remember?', 'memory_manage', { action: 'list' }],
    ['what do you remember about tea?', 'memory_manage', { action: 'search', content: 'tea' }],
    ['write file notes/a.md: Hello: you', 'file_write', { path: 'notes/a.md', content: 'Hello: you' }],
    ['read file notes/a.md.', 'file_read', { path: 'notes/a.md' }],
    ['list files', 'file_list', {}],
    ['delegate to Coordinator: calculate 1+1', AGENT_SPAWN, { agent: 'Coordinator', task: 'calculate 1+1' }],
  ])('answers "%s" with a call of %s', (message, name, args) => {
    expect(chooseCalls(message, tools)).toEqual({ calls: [{ name, arguments: args }], problems: [] });
  });

  test.each(['use my-tool: hello', 'use my-tool hello'])('calls a tool whose name has hyphens: %s', (message) => {
    const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const named = [{ name: 'my-tool', description: '', parameters }];
    expect(chooseCalls(message, named).calls).toEqual([{ name: 'my-tool', arguments: { text: 'hello' } }]);
  });

  test('has a tool described that it knows by name alone, or calls it with the JSON that is given', () => {
    const many = [...tools.filter(({ name }) => name !== 'git'), TOOL_DESCRIBE];
    const describing = { name: 'tool_describe', arguments: { names: ['git'] } };
    expect(chooseCalls('use git: log', many).calls).toEqual([describing]);
    expect(chooseCalls('use git {"args": ["log"]}', many).calls).toEqual([
      { name: 'git', arguments: { args: ['log'] } },
    ]);
  });

  test.each([
    [{ type: 'integer' }, 7],
    [{ type: ['null', 'string'] }, '7'],
    [{}, '7'],
  ])('gives a text as what the tool takes: %j', (property, value) => {
    const parameters = { type: 'object', properties: { n: property }, required: ['n'] };
    const named = [{ name: 'count', description: '', parameters }];
    expect(chooseCalls('use count: 7', named).calls).toEqual([{ name: 'count', arguments: { n: value } }]);
  });

  test.each([
    [
      'use file_write: hello',
      '`file_write` takes its arguments as JSON: `use file_write {"path": ..., "content": ...}`.',
    ],
    ['use time_now {zone: UTC}', '`time_now` takes its arguments as JSON'],
  ])('says what a tool takes when it cannot be called with "%s"', (message, words) => {
    const { calls, problems } = chooseCalls(message, tools);
    expect([calls, problems]).toEqual([[], [expect.stringContaining(words)]]);
  });

  test('calls once for each line that asks for something', () => {
    expect(chooseCalls('Hi!\ndelegate to A: calculate 1\ndelegate to B: what time is it?', tools).calls).toEqual([
      { name: AGENT_SPAWN, arguments: { agent: 'A', task: 'calculate 1' } },
      { name: AGENT_SPAWN, arguments: { agent: 'B', task: 'what time is it?' } },
    ]);
  });

  test.each(['use no_such_tool', 'I use time_now and then', 'what is love?', ''])(
    'calls nothing when no tool is asked for (%s)',
    (message) => {
      expect(chooseCalls(message, tools)).toEqual({ calls: [], problems: [] });
    },
  );

  test.each(['what time is it?', 'use time_now', 'delegate to A: x'])(
    'calls nothing when the tool is not offered (%s)',
    (message) => {
      expect(chooseCalls(message, [])).toEqual({ calls: [], problems: [] });
    },
  );

  test.each([
    `delegate to ${' '.repeat(4_000_000)}`,
    `delegate to a${' '.repeat(4_000_000)}b`,
    `use ${'a'.repeat(4_000_000)}\r`,
    `remember${' that'.repeat(800_000)}\r`,
    `what do you remember about ${'a'.repeat(4_000_000)}\r`,
    `read file ${'.'.repeat(4_000_000)} x`,
    `calculate ${'?'.repeat(4_000_000)}\r!`,
    `what is ${'('.repeat(4_000_000)}x`,
    `what time is it in ${'A/'.repeat(2_000_000)}`,
  ])('takes no long to read what is made to be read slowly (%#)', async (message) => {
    expect(await toItsEnd(() => chooseCalls(message, tools))).toBeDefined();
  });
});
