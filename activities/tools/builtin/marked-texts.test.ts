import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../test/support/tool-context.ts';
import type { ToolArguments } from '../tool.ts';
import { BUILTIN_TOOLS } from './index.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

async function run(key: string, args: ToolArguments) {
  const tool = BUILTIN_TOOLS.find((each) => each.key === key);
  if (tool === undefined) throw new Error(`${key} is not there`);
  return prepareCall(tool, args).run({ ...tools.context, idempotencyKey: key });
}

const call = async (key: string, args: ToolArguments) => (await run(key, args)).value;

const put = async (path: string, content: Buffer) =>
  call('file_write', { path, content: content.toString('base64'), encoding: 'base64' });

const ENCODINGS: [string, (text: string) => Buffer][] = [
  ['UTF-8', (text) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16, little-endian', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16, big-endian', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
];

test.each(ENCODINGS)('a text in %s with its mark is read by every tool that reads texts', async (_what, encode) => {
  await put('a.csv', encode('name,city\r\nJosé,Köln\r\n'));
  await put('a.json', encode('{"city":"Köln"}'));
  await put('a.md', encode('# Köln'));
  expect(await call('file_read', { path: 'a.csv' })).toBe('name,city\r\nJosé,Köln\r\n');
  for (const [key, args, found] of [
    ['file_grep', { query: 'José' }, 'José,Köln'],
    ['csv_process', { file: 'a.csv', where: { name: 'José' }, select: ['city'] }, 'city\\nKöln'],
    ['json_query', { file: 'a.json', expression: 'city' }, '"Köln"'],
    ['data_convert', { file: 'a.json', from: 'json', to: 'yaml' }, 'city: Köln'],
    ['markdown_convert', { file: 'a.md', to: 'html' }, '>Köln</h1>'],
    ['text_transform', { file: 'a.md', action: 'case', algorithm: 'upper' }, '"# KÖLN"'],
  ] as const) {
    expect([key, JSON.stringify(await call(key, args))]).toEqual([key, expect.stringContaining(found)]);
  }
});

test('every tool that reads a text in an uncertain encoding says so, unless it only needs the bytes', async () => {
  await put('a.csv', Buffer.from('name,size\r\nKöln,1\r\n', 'latin1'));
  await put('a.json', Buffer.from('{"city":"Köln"}', 'latin1'));
  const noticeOf = async (key: string, args: ToolArguments) => [key, (await run(key, args)).notice];
  for (const [key, args] of [
    ['file_read', { path: 'a.csv' }],
    ['csv_process', { file: 'a.csv' }],
    ['csv_process', { file: 'a.csv', output: 'b.csv' }],
    ['chart_create', { file: 'a.csv', type: 'bar', x: 'name', y: ['size'], output: 'a.svg' }],
    ['json_query', { file: 'a.json', expression: 'city' }],
    ['data_convert', { file: 'a.json', from: 'json', to: 'yaml' }],
    ['data_convert', { file: 'a.json', from: 'json', schema: { required: ['x'] } }],
    ['markdown_convert', { file: 'a.csv', to: 'html' }],
    ['text_transform', { file: 'a.csv', action: 'case', algorithm: 'upper' }],
    ['text_transform', { file: 'a.csv', action: 'encode', algorithm: 'html' }],
  ] as const)
    expect(await noticeOf(key, args)).toEqual([key, expect.stringContaining('windows-1252')]);
  for (const args of [{ action: 'hash' }, { action: 'encode', algorithm: 'hex' }])
    expect(await noticeOf('text_transform', { file: 'a.csv', ...args })).toEqual(['text_transform', undefined]);
});
