import { describe, expect, test } from '@jest/globals';
import { cpuTimeOf } from '../../test/support/cpu-time.ts';
import { Random } from '../../test/support/random.ts';
import { FenceSplitter } from './fence-splitter.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS_PER_REPLY } from './tool-call.ts';

function split(chunks: Iterable<string>) {
  const splitter = new FenceSplitter();
  let visible = '';
  for (const chunk of chunks) visible += splitter.push(chunk);
  const end = splitter.end();
  return { visible: visible + end.visible, calls: end.calls };
}

function fence(body: string, mark = '```'): string {
  return `${mark}tool_call\n${body}\n${mark}\n`;
}

const call = '{"name": "time_now", "arguments": {"zone": "UTC"}}';
const read = { name: 'time_now', arguments: { zone: 'UTC' } };

describe('FenceSplitter', () => {
  test('takes a call out of the text around it and leaves one empty line', () => {
    const { visible, calls } = split([`Let me look.  \n\n${fence(call)}\n\n  Done.`]);
    expect(visible).toBe('Let me look.\n\nDone.');
    expect(calls).toEqual([read]);
  });

  test.each([
    ['tildes', fence(call, '~~~')],
    ['a longer run', fence(call, '`````')],
    ['three blanks before', `   \`\`\`tool_call\n${call}\n  \`\`\``],
    ['blanks around the word', `\`\`\` tool_call \t\n${call}\n\`\`\`\``],
    ['carriage returns', `\`\`\`tool_call\r\n${call}\r\n\`\`\`\r\n`],
    ['a closing fence on the line of the JSON', `\`\`\`tool_call\n${call}\`\`\``],
  ])('reads a call with %s', (_, reply) => {
    expect(split([reply])).toEqual({ visible: '', calls: [read] });
  });

  test.each([
    ['is another code block', '```json\n{"name": "x"}\n```\n'],
    ['has a word that only begins like it', '```tool_calls\n{}\n```'],
    ['has another case', '```Tool_call\n{}\n```'],
    ['is indented by four blanks', '    ```tool_call\n    {}\n    ```\n'],
    ['stands in the middle of a line', 'a ```tool_call\n{}\n```'],
    ['stands inside another code block', '````markdown\n```tool_call\n{}\n```\n````\nbye\n'],
    ['has too few backticks', '``tool_call\n{}\n``'],
    ['was only begun', 'so\n```tool_ca'],
    ['is no fence but blanks', ' \n\n\t '],
  ])('shows a reply unchanged when it %s', (_, reply) => {
    expect(split([reply])).toEqual({ visible: reply, calls: [] });
  });

  test('finds a call after a code block that has ended', () => {
    expect(split(['```js\nlet a;\n```\n', fence(call)])).toEqual({ visible: '```js\nlet a;\n```', calls: [read] });
  });

  test('shows text at once when it cannot begin a call', () => {
    const splitter = new FenceSplitter();
    expect(splitter.push('Hello')).toBe('Hello');
    expect(splitter.push(' ')).toBe('');
    expect(splitter.push('you\n')).toBe(' you');
    expect(splitter.push('``')).toBe('');
    expect(splitter.push('`to')).toBe('');
    expect(splitter.push('p')).toBe('\n```top');
    expect(splitter.push('\nlet a')).toBe('\nlet a');
  });

  test('keeps a closing line inside a string for a part of the string', () => {
    const content = 'Run\n```sh\nls\n```\nthen\n```\nend';
    const raw = `{"name": "file_write", "arguments": {"content": "${content}"}}`;
    const expected = [{ name: 'file_write', arguments: { content } }];
    expect(split([fence(raw), 'ok'])).toEqual({ visible: 'ok', calls: expected });
    const escaped = JSON.stringify({ name: 'file_write', arguments: { content } });
    expect(split([fence(escaped), 'ok'])).toEqual({ visible: 'ok', calls: expected });
  });

  test('takes the first closing line when a string is never closed', () => {
    const { visible, calls } = split([fence('{"name": "time_now, "arguments": {}}'), 'And now?\n', fence(call)]);
    expect(visible).toBe('And now?');
    expect(calls).toHaveLength(2);
    expect(calls[0]?.issue).toContain('valid JSON');
    expect(calls[1]).toEqual(read);
  });

  test.each([
    ['was not closed', `\`\`\`tool_call\n${call}\n`, 'time_now', 'not closed'],
    ['ends with its opening line', '```tool_call', '', 'not closed'],
    ['is empty', '```tool_call\n```', '', 'empty'],
    ['holds broken JSON', fence('{"name": "x", "arguments": {,}}'), 'x', 'valid JSON'],
    ['holds a list', fence(`[${call}]`), '', 'not contain a JSON object'],
    ['holds null', fence('null'), '', 'not contain a JSON object'],
    ['holds two objects', fence(`${call}\n${call}`), 'time_now', 'valid JSON'],
    ['has no name', fence('{"arguments": {}}'), '', 'no "name"'],
    ['has a name that is no text', fence('{"name": 5}'), '', 'no "name"'],
    ['has unknown fields', fence('{"name": "x", "args": {}}'), 'x', 'unknown fields: args'],
    ['has a prototype', fence('{"name": "x", "__proto__": {}}'), 'x', 'unknown fields'],
    ['has a list for arguments', fence('{"name": "x", "arguments": [1]}'), 'x', 'not a JSON object'],
    ['has broken text for arguments', fence('{"name": "x", "arguments": "{"}'), 'x', 'not a JSON object'],
  ])('says what is wrong when the call %s', (_, reply, name, issue) => {
    const { visible, calls } = split([reply]);
    expect(visible).toBe('');
    expect(calls).toEqual([{ name, arguments: {}, issue: expect.stringContaining(issue) }]);
  });

  test.each([
    ['no arguments', '{"name": "x"}', {}],
    ['null', '{"name": "x", "arguments": null}', {}],
    ['an empty string', '{"name": "x", "arguments": ""}', {}],
    ['JSON in a string', String.raw`{"name": "x", "arguments": "{\"a\": 1}"}`, { a: 1 }],
    ['an id beside them', '{"id": "1", "name": "x", "arguments": {"a": 1}}', { a: 1 }],
    ['line breaks and tabs in strings', '{"name": "x", "arguments": {"a": "1\n\t2"}}', { a: '1\n\t2' }],
  ])('accepts a call with %s', (_, body, args) => {
    expect(split([fence(body)]).calls).toEqual([{ name: 'x', arguments: args }]);
  });

  test('gives the same text and calls however the reply is cut', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = new Random(seed);
      const reply = randomReply(random);
      const whole = split([reply]);
      expect({ seed, ...split(reply) }).toEqual({ seed, ...whole });
      expect({ seed, ...split(randomChunks(random, reply)) }).toEqual({ seed, ...whole });
    }
  });

  test.each([-3, -2, -1, 0, 1, 2, 3])('cuts a call at its limit alike, %d characters beyond it', (beyond) => {
    const limit = MAX_ARGUMENT_CHARACTERS + 2_000;
    const head = '{"name": "x", "arguments": {"a": "```\n```\n';
    for (const tail of ['"}}```\n', '"}}\n```\n', '\n```\n']) {
      const filler = 'y'.repeat(limit + beyond - head.length - tail.length);
      const reply = `before\n\`\`\`tool_call\n${head}${filler}${tail}after`;
      const whole = split([reply]);
      expect(whole.calls.length).toBeGreaterThan(0);
      const at = reply.length - 12;
      expect(split([reply.slice(0, at), ...reply.slice(at).split('')])).toEqual(whole);
    }
  });

  test('drops a call that is too long and continues after it', () => {
    const long = fence(`{"name": "file_write", "arguments": {"a": "${'x'.repeat(MAX_ARGUMENT_CHARACTERS + 5_000)}"}}`);
    const { visible, calls } = split(['a\n', long, 'b\n', fence(call)]);
    expect(visible).toBe('a\n\nb');
    expect(calls).toEqual([{ name: 'file_write', arguments: {}, issue: expect.stringContaining('too long') }, read]);
  });

  test('counts all calls and reads those that are run', () => {
    const { calls } = split([fence(call).repeat(1_000)]);
    expect(calls).toHaveLength(1_000);
    expect(calls[MAX_CALLS_PER_REPLY - 1]).toEqual(read);
    expect(calls[MAX_CALLS_PER_REPLY]?.issue).toBeDefined();
  });

  test.each([
    ['of text', 'some words and more\n'],
    ['of blanks', ' '.repeat(25)],
    ['of lines that begin like a call', '```tool_cal\n```\n'],
    ['of one long line of backticks', '`'.repeat(25)],
    ['of calls whose strings do not end', '```tool_call\n\\"\n```\n'],
    ['of closing lines inside a string', '```\n'],
  ])('takes 1 MB %s in 40,000 pieces in linear time', (_, unit) => {
    const reply = `\`\`\`tool_call\n{"a": "${unit.repeat(Math.ceil(1_000_000 / unit.length))}`;
    const inChunks = (text: string) =>
      Array.from({ length: 40_000 }, (_unused, index) => text.slice(index * 25, index * 25 + 25));
    const took = cpuTimeOf(() => {
      expect(split(inChunks(reply)).calls.length).toBeGreaterThan(0);
      split(inChunks(reply.slice(21)));
    });
    expect(took).toBeLessThan(10_000);
  });
});

const PARTS = [
  '```tool_call\n',
  '~~~ tool_call\n',
  '````tool_call',
  '```',
  '````\n',
  '```\n',
  '~~~\n',
  '```js\n',
  call,
  '{"name": "x", "arguments": {"a": "',
  '"}}',
  '"',
  '\\"',
  '{',
  '}',
  '\n',
  '\r\n',
  '   ',
  ' ',
  'text',
  '世🌍',
  'tool_call',
];

function randomReply(random: Random): string {
  return Array.from({ length: random.below(24) }, () => PARTS[random.below(PARTS.length)]).join('');
}

function* randomChunks(random: Random, text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const length = random.below(9);
    yield text.slice(at, at + length);
    at += length;
  }
}

describe('FenceSplitter for certain tools', () => {
  const spawn = '{"name": "agent_spawn", "arguments": {"agent": "Scout"}}';
  const other = fence(call);

  function splitOne(chunks: Iterable<string>) {
    const splitter = new FenceSplitter(new Set(['agent_spawn']));
    let visible = '';
    for (const chunk of chunks) visible += splitter.push(chunk);
    const end = splitter.end();
    return { visible: visible + end.visible, calls: end.calls };
  }

  test.each([
    ['a call of another tool', `Look:\n\n${other}\nand more \n`],
    ['a call within tildes', `a\n${fence(call, '~~~')}`],
    ['a fence that holds no JSON', `${fence('so')}b`],
    ['an empty fence', `${fence('')}  b  `],
    ['a fence that is never closed', `a\n\`\`\`tool_call\n${call}`],
    ['a closing line in a string that never ends', `${fence('{"name": "x\n```\n more')}b\n`],
    ['several, and blanks around', `  ${other}\n\n${other}   \n`],
    ['a very long one', `${fence(`{"name": "x", "a": "${'x'.repeat(MAX_ARGUMENT_CHARACTERS + 5_000)}"}`)}\nb`],
    ['a name that is only mentioned', fence('{"name": "x", "arguments": {"name": "agent_spawn"}}')],
  ])('shows %s whole and in order, however the stream is cut', (_, reply) => {
    for (const size of [1, 7, 1_000]) {
      if (size === 1 && reply.length > 10_000) continue;
      const chunks = Array.from({ length: Math.ceil(reply.length / size) }, (_item, at) =>
        reply.slice(at * size, (at + 1) * size),
      );
      expect(splitOne(chunks)).toEqual({ visible: reply, calls: [] });
    }
  });

  test('takes the calls of the tool out and leaves the others', () => {
    expect(splitOne([`a\n${other}${fence(spawn)}\nb\n${fence(spawn)}`])).toEqual({
      visible: `a\n${other.trimEnd()}\n\nb`,
      calls: [
        { name: 'agent_spawn', arguments: { agent: 'Scout' } },
        { name: 'agent_spawn', arguments: { agent: 'Scout' } },
      ],
    });
  });

  test('informs the model of an issue in a call of the tool', () => {
    const { visible, calls } = splitOne([fence('{"name": "agent_spawn", "arguments": {')]);
    expect(visible).toBe('');
    expect(calls).toEqual([{ name: 'agent_spawn', arguments: {}, issue: expect.stringContaining('JSON') }]);
  });
});
