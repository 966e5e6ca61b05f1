import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../test/support/tool-context.ts';
import type { ToolArguments } from '../tool.ts';
import { BUILTIN_TOOLS } from './index.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

async function call(key: string, args: ToolArguments): Promise<unknown> {
  const tool = BUILTIN_TOOLS.find((each) => each.key === key);
  if (tool === undefined) throw new Error(`${key} is not there`);
  return (await prepareCall(tool, args).run({ ...tools.context, idempotencyKey: key })).value;
}

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
