import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_RESULT_CHARACTERS } from '../../../../domain/tool-calls/tool-call.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { BUILTIN_TOOLS } from '../index.ts';
import { fileFind } from './find-files.ts';
import { fileRead } from './file-read.ts';
import type { ToolArguments } from '../../tool.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

async function call(key: string, args: ToolArguments, idempotencyKey = 'one'): Promise<unknown> {
  const tool = BUILTIN_TOOLS.find((each) => each.key === key);
  if (tool === undefined) throw new Error(`${key} is not there`);
  return (await prepareCall(tool, args).run({ ...tools.context, idempotencyKey })).value;
}

const write = (path: string, content: string) => call('file_write', { path, content });
const read = (path: string, range: object = {}) => call('file_read', { path, ...range });

describe('file_write and file_read', () => {
  test('keep a text as it is', async () => {
    const text = 'ä\r\n\u{1F600}\n';
    expect(await write('a/b.txt', text)).toEqual({ path: 'a/b.txt', bytes: 9, replaced: false });
    expect(await read('a/b.txt')).toBe(text);
    expect(await write('a/b.txt', '')).toMatchObject({ replaced: true });
    expect(await read('a/b.txt')).toBe('');
  });

  test('say of every part of a text that its encoding is uncertain, and count that as no line', async () => {
    const notice = '[The text does not say its encoding. It was read as windows-1252; letters may be wrong.]';
    for (const [path, text] of [
      ['one.txt', 'Grüße'],
      ['two.txt', 'Grüße\nKöln'],
      ['long.txt', `Grüße${'\nx'.repeat(20_000)}`],
    ] as const) {
      const content = Buffer.from(text, 'latin1').toString('base64');
      await call('file_write', { path, content, encoding: 'base64' });
    }
    const output = async (args: ToolArguments) => prepareCall(fileRead, args).run(tools.context);
    expect(await output({ path: 'one.txt' })).toMatchObject({ value: 'Grüße', notice });
    await expect(read('one.txt', { start_line: 2 })).rejects.toThrow('only 1 lines');
    expect(await output({ path: 'two.txt', end_line: 1 })).toMatchObject({ value: 'Grüße\n', notice });
    expect(await output({ path: 'long.txt' })).toMatchObject({ value: expect.stringContaining('continues'), notice });
  });

  test('keep bytes in base64', async () => {
    await call('file_write', { path: 'x.bin', content: 'AAECAw==', encoding: 'base64' });
    expect(await read('x.bin', { encoding: 'base64' })).toBe('AAECAw==');
    await expect(read('x.bin')).rejects.toThrow('not text');
    await call('file_write', { path: 'x.bin', content: ' AAEC\nAw= =\n', encoding: 'base64' });
    expect(await read('x.bin', { encoding: 'base64' })).toBe('AAECAw==');
    for (const content of ['!', `${' '.repeat(250_000)}!`]) {
      const broken = call('file_write', { path: 'x.bin', content, encoding: 'base64' });
      await expect(broken).rejects.toThrow('base64');
    }
  });

  test('show the first bytes of a large file in base64, as many as fit in a result', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));
    await call('file_write', { path: 'large.bin', content: bytes.toString('base64'), encoding: 'base64' });
    const part = String(await read('large.bin', { encoding: 'base64' }));
    expect(part.length).toBeLessThan(MAX_RESULT_CHARACTERS);
    const [shown = '', note] = part.split('\n');
    expect(bytes.subarray(0, 11_250).equals(Buffer.from(shown, 'base64'))).toBe(true);
    expect(note).toBe('[The file continues. Only its first 11250 bytes are shown.]');
  });

  test.each([
    [{ start_line: 2, end_line: 3 }, 'two\nthree\n'],
    [{ start_line: 4 }, 'four'],
    [{ end_line: 1 }, 'one\n'],
    [{ start_line: 3, end_line: 99 }, 'three\nfour'],
  ])('show the lines %j', async (range, lines) => {
    await write('a.txt', 'one\ntwo\nthree\nfour');
    expect(await read('a.txt', range)).toBe(lines);
  });

  test('refuse lines that are not there', async () => {
    await write('a.txt', 'one\ntwo');
    await expect(read('a.txt', { start_line: 3 })).rejects.toThrow('only 2 lines');
    await expect(read('a.txt', { start_line: 2, end_line: 1 })).rejects.toThrow('before');
  });

  test('show a long file in parts that make up the whole', async () => {
    const text = Array.from({ length: 5_000 }, (_, line) => `line ${line} ü`).join('\n');
    await write('long.txt', text);
    let whole = '';
    for (let start: number | undefined = 1; start !== undefined;) {
      const part = String(await read('long.txt', { start_line: start }));
      expect(part.length).toBeLessThan(MAX_RESULT_CHARACTERS);
      const more = /\[The file continues\. Read it from start_line (\d+)\.\]$/.exec(part);
      whole += part.slice(0, more?.index);
      start = more === null ? undefined : Number(more[1]);
    }
    expect(whole).toBe(text);
  });

  test.each(['../a', '/etc/passwd', 'a\u0000'])('refuse the path %j', async (path) => {
    const more = { file_write: { content: '' }, file_edit: { old_text: 'a', new_text: 'b' } };
    const calls = { file_read: {}, file_delete: {}, file_list: {}, ...more };
    for (const [key, args] of Object.entries(calls)) {
      const message = expect.not.stringContaining('do not fit');
      await expect(call(key, { path, ...args })).rejects.toMatchObject({ kind: 'invalid_input', message });
    }
  });
});

describe('file_list', () => {
  test('lists entries with type, size and time', async () => {
    await write('a/b.txt', 'xyz');
    const modified_at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await call('file_list', {})).toEqual({ entries: [{ path: 'a', type: 'folder', modified_at }] });
    expect(await call('file_list', { path: 'a' })).toEqual({
      entries: [{ path: 'a/b.txt', type: 'file', size: 3, modified_at }],
    });
  });

  test('says when there is more than it lists', async () => {
    for (const name of ['a', 'b', 'c']) await write(`d/${name}`, '');
    expect(await call('file_list', { recursive: true, limit: 2 })).toMatchObject({ note: expect.any(String) });
    expect(await call('file_list', { recursive: true, max_depth: 1 })).toMatchObject({ entries: [{ path: 'd' }] });
  });
});

describe('file_find', () => {
  beforeEach(async () => {
    for (const path of ['a.md', 'b.txt', 'docs/c.md', 'docs/tmp/d.md', 'node_modules/x/e.md']) await write(path, '');
    await write('docs/.gitignore', 'tmp/\n');
  });

  test.each([
    [{ pattern: '*.md' }, ['a.md']],
    [{ pattern: '**/*.md' }, ['a.md', 'docs/c.md']],
    [{ pattern: '**/*.md', include_ignored: true }, ['a.md', 'docs/c.md', 'docs/tmp/d.md', 'node_modules/x/e.md']],
    [{ pattern: './**/[bc].{md,txt}' }, ['b.txt', 'docs/c.md']],
    [{ pattern: '*.md', path: 'docs' }, ['docs/c.md']],
    [{ pattern: 'nothing' }, []],
  ])('finds what %j says', async (args, paths) => {
    expect(await call('file_find', args)).toEqual({ paths });
  });

  test('ends in time when the pattern is made to take for ever', async () => {
    await write('a'.repeat(200), '');
    // oxlint-disable-next-line everturn/no-asserted-time -- a limit that the call is given
    const signal = AbortSignal.timeout(1_500);
    const args = { pattern: `+(${'+(a)'.repeat(8)})b` };
    const ended = await prepareCall(fileFind, args)
      .run(tools.options.contextFor(signal))
      .then(
        () => 'answered',
        () => 'stopped',
      );
    expect(['answered', 'stopped']).toContain(ended);
    expect(await call('file_find', { pattern: '*.txt' })).toEqual({ paths: ['b.txt'] });
  });
});

describe('file_edit', () => {
  const edit = (args: object, key?: string) => call('file_edit', { path: 'a.txt', ...args }, key);

  test('replaces an exact text, without giving $ a meaning', async () => {
    await write('a.txt', 'one two');
    expect(await edit({ old_text: 'two', new_text: '$& $1' })).toMatchObject({ edited: true, changes: 1 });
    expect(await read('a.txt')).toBe('one $& $1');
  });

  test('makes no file longer than one may be, however often the text is put in', async () => {
    await write('a.txt', 'x'.repeat(2_500));
    const long = { old_text: 'x', new_text: 'y'.repeat(190_000), expected_count: 2_500 };
    await expect(edit(long)).rejects.toThrow('larger than 2000000 bytes');
    expect(await read('a.txt')).toBe('x'.repeat(2_500));
  });

  test('is not made twice when it is repeated', async () => {
    await write('a.txt', 'a');
    await edit({ old_text: 'a', new_text: 'aa', expected_count: 1 }, 'k');
    expect(await edit({ old_text: 'a', new_text: 'aa', expected_count: 1 }, 'k')).toMatchObject({ edited: true });
    expect(await read('a.txt')).toBe('aa');
  });

  test.each([
    [{ old_text: 'x', new_text: 'y' }, 'does not occur'],
    [{ old_text: 'a', new_text: 'y' }, 'occurs 2 times, not 1'],
    [{ old_text: 'a' }, 'Give either'],
    [{ old_text: 'a', new_text: 'b', patch: 'x' }, 'Give either'],
    [{}, 'Give either'],
    [{ patch: 'nonsense' }, 'unified diff'],
    [{ patch: '@@ -1 +1 @@\n-x\n+y\n' }, 'does not apply'],
  ])('changes nothing with %j', async (args, fault) => {
    await write('a.txt', 'a a');
    await expect(edit(args)).rejects.toThrow(fault);
    expect(await read('a.txt')).toBe('a a');
  });

  test('replaces as many as are expected', async () => {
    await write('a.txt', 'a a');
    await edit({ old_text: 'a', new_text: 'b', expected_count: 2 });
    expect(await read('a.txt')).toBe('b b');
  });

  test('applies a diff', async () => {
    await write('a.txt', 'one\ntwo\nthree\n');
    await edit({ patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n' });
    expect(await read('a.txt')).toBe('one\nTWO\nthree\n');
  });

  test('leaves a file alone that is not text', async () => {
    await call('file_write', { path: 'a.txt', content: '/w==', encoding: 'base64' });
    await expect(edit({ old_text: 'a', new_text: 'b' })).rejects.toThrow('UTF-8');
  });
});

describe('file_delete', () => {
  test('deletes, and finds nothing when it is repeated', async () => {
    await write('a.txt', '');
    expect(await call('file_delete', { path: 'a.txt' })).toMatchObject({ deleted: true });
    expect(await call('file_delete', { path: 'a.txt' })).toMatchObject({ deleted: false });
    await expect(call('file_delete', { path: '.', recursive: true })).rejects.toMatchObject({ kind: 'denied' });
  });
});
