import { describe, expect, test } from '@jest/globals';
import { FenceSplitter } from './fence-splitter.ts';
import { MAX_ARGUMENT_CHARACTERS } from './tool-call.ts';
import { droppedCallsNotice, planCalls, readCall } from './read-call.ts';

function native(argumentsText: string, name = 'time_now') {
  return readCall({ name, argumentsText });
}

function fenced(body: string) {
  const splitter = new FenceSplitter();
  splitter.push(`\`\`\`tool_call\n${body}\n\`\`\`\n`);
  return splitter.end();
}

describe('readCall', () => {
  test.each(['', '  ', '{}', 'null', ' null ', '""', '"{}"'])('takes %j for no arguments', (text) => {
    expect(native(text)).toEqual({ name: 'time_now', arguments: {} });
  });

  test('parses a text as the object that it contains', () => {
    expect(native(String.raw`"{\"a\": [1, \"b\"]}"`).arguments).toEqual({ a: [1, 'b'] });
  });

  test('keeps numbers and the order of names as the model wrote them', () => {
    const text = '{"id":1234567890123456789,"b":{"price":1.10},"a":[1e3]}';
    expect(JSON.stringify(native(text).arguments)).toBe(text);
    const { calls } = fenced(`{"name": "a", "arguments": ${text}}`);
    expect(JSON.stringify(calls.map(readCall)[0]?.arguments)).toBe(text);
  });

  test('gives the arguments of a fenced call', () => {
    expect(readCall({ name: ' a ', arguments: { b: [1] } })).toEqual({ name: 'a', arguments: { b: [1] } });
  });

  test('replaces what cannot be stored, in values, keys and the name', () => {
    const text = String.raw`{"a\u0000": ["\ud800", {"b": "\u0000"}]}`;
    expect(native(text, 'x\u0000')).toEqual({ name: 'x\uFFFD', arguments: { 'a\uFFFD': ['\uFFFD', { b: '\uFFFD' }] } });
  });

  test('cuts a name that is too long, between characters', () => {
    expect(native('', `${'n'.repeat(99)}🌍`).name).toBe(`${'n'.repeat(99)}\uFFFD`);
  });

  test.each([
    ['broken JSON', '{"a": ', 'not valid JSON'],
    ['a list', '[]', 'not a JSON object'],
    ['a text that holds no object', '"[1]"', 'not a JSON object'],
    ['a text in a text', String.raw`"\"{}\""`, 'not a JSON object'],
    ['text that is too long', `{"a": "${'x'.repeat(MAX_ARGUMENT_CHARACTERS)}"}`, 'longer than'],
    ['too many levels', `{"a": ${'['.repeat(30)}${']'.repeat(30)}}`, 'levels deep'],
    ['very many levels', `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'levels deep'],
    ['a prototype', '{"a": {"__proto__": {}}}', '__proto__'],
    ['a number that JSON cannot hold', '{"a": 1e999}', 'too large'],
  ])('says what is wrong with %s', (_, text, issue) => {
    const call = native(text);
    expect(call).toEqual({ name: 'time_now', arguments: {}, issue: expect.stringContaining(issue) });
    expect(call.issue?.length).toBeLessThan(600);
  });

  test('says that no tool is named', () => {
    expect(native('{}', '  ').issue).toBe('The call does not name a tool.');
  });

  test('keeps the issue of a fenced call', () => {
    expect(readCall({ name: 'x', arguments: {}, issue: 'No.' })).toEqual({ name: 'x', arguments: {}, issue: 'No.' });
  });

  test('refuses a fenced call whose arguments are too long', () => {
    const fenced = { name: 'x', arguments: { a: 'x'.repeat(MAX_ARGUMENT_CHARACTERS) } };
    expect(readCall(fenced).issue).toContain('longer than');
  });
});

describe('planCalls', () => {
  test('keeps the first 32 calls and counts the others', () => {
    const { kept, dropped } = planCalls(Array.from({ length: 1_000 }, (_, index) => index));
    expect(kept).toEqual(Array.from({ length: 32 }, (_, index) => index));
    expect(dropped).toBe(968);
    expect(droppedCallsNotice(dropped)).toBe(
      '968 more calls of this reply were not run: at most 32 calls of one reply are run.',
    );
  });
});
