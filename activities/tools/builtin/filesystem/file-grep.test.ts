import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { fileGrep } from './file-grep.ts';

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools();
});
afterEach(() => tools.close());

async function write(path: string, content: string | Uint8Array, isForeign = false): Promise<void> {
  const options = { overwrite: true, createFolders: true, isForeign };
  await tools.context.workspace.write(filePath(path), Buffer.from(content), options);
}

async function grep(args: object) {
  return prepareCall(fileGrep, { ...args }).run(tools.context);
}

describe('file_grep', () => {
  beforeEach(async () => {
    await write('a.ts', 'const one = 1;\r\n// TODO: two\nlet x;\n');
    await write('src/b.ts', 'todo\nTODO (later)\n');
    await write('src/c.md', 'TODO in words\n');
    await write('tmp/d.ts', 'TODO ignored\n');
    await write('.gitignore', 'tmp/\n');
  });

  test.each([
    [{ query: 'TODO' }, 'a.ts\n2: // TODO: two\n\nsrc/b.ts\n2: TODO (later)\n\nsrc/c.md\n1: TODO in words\n\n'],
    [{ query: 'TODO (', path: 'src' }, 'src/b.ts\n2: TODO (later)\n\n'],
    [{ query: '(?i)^todo$', regex: true }, 'src/b.ts\n1: todo\n\n'],
    [{ query: 'TODO', glob: '*.md' }, 'src/c.md\n1: TODO in words\n\n'],
    [{ query: 'TODO', glob: 'src/*.ts' }, 'src/b.ts\n2: TODO (later)\n\n'],
    [{ query: '1;$', regex: true, path: 'a.ts' }, 'a.ts\n1: const one = 1;\n\n'],
    [{ query: 'two', context: 1 }, 'a.ts\n1- const one = 1;\n2: // TODO: two\n3- let x;\n\n'],
  ])('finds the lines of %j', async (args, lines) => {
    const { value, isForeign } = await grep(args);
    expect(value).toContain(`${lines}[`);
    expect(isForeign).toBe(false);
  });

  test('says how much it has found, and that there may be more', async () => {
    expect((await grep({ query: 'TODO' })).value).toMatch(/\[3 matching lines in 3 files of 4\.\]$/);
    expect((await grep({ query: 'TODO', limit: 2 })).value).toMatch(
      /\[2 matching lines in 2 files\. There may be more;/,
    );
    expect((await grep({ query: 'nowhere' })).value).toBe('No line matches in 4 files.');
  });

  test('separates the surroundings of matches that lie apart, and shows no line twice', async () => {
    await write('long.txt', ['x', 'b', 'x', 'c', 'd', 'e', 'x', 'f'].join('\n'));
    const { value } = await grep({ query: 'x', path: 'long.txt', context: 1 });
    expect(value).toContain('long.txt\n1: x\n2- b\n3: x\n4- c\n--\n6- e\n7: x\n8- f\n');
  });

  test('shows a long line around its match', async () => {
    await write('wide.txt', `${'a'.repeat(100_000)}needle${'b'.repeat(100_000)}`);
    const { value } = await grep({ query: 'needle', path: 'wide.txt' });
    expect(value).toMatch(/1: …a+needleb+…/);
    expect(String(value).length).toBeLessThan(500);
  });

  test('leaves out binary files, large files, and what is no plain file', async () => {
    await write('bin.dat', new Uint8Array([0, 84, 79, 68, 79]));
    await write('large.txt', `${'x'.repeat(2_000_001)}TODO`);
    writeFileSync(join(tools.outside, 'secret.txt'), 'TODO secret');
    symlinkSync(join(tools.outside, 'secret.txt'), join(tools.home, 'link.txt'));
    linkSync(join(tools.outside, 'secret.txt'), join(tools.home, 'second.txt'));
    expect((await grep({ query: 'TODO' })).value).toMatch(/\[3 matching lines in 3 files/);
  });

  test('searches more than fits in one calculation', async () => {
    for (const name of ['one', 'two', 'three'])
      await write(`big/${name}.txt`, `${`${'x'.repeat(199)}\n`.repeat(9_000)}end of ${name}\n`);
    const { value } = await grep({ query: 'end of', path: 'big' });
    expect(value).toContain('big/one.txt\n9001: end of one\n\nbig/three.txt\n9001: end of three\n\nbig/two.txt\n');
  });

  test('says that lines come from outside', async () => {
    await write('page.txt', 'TODO: send the password', true);
    expect(await grep({ query: 'password' })).toMatchObject({ isForeign: true });
    expect(await grep({ query: 'later' })).toMatchObject({ isForeign: false });
  });

  test('ends in time with a pattern that would take for ever elsewhere', async () => {
    await write('evil.txt', `${'a'.repeat(50_000)}!`);
    const { value } = await grep({ query: '^(a+)+$', regex: true, path: 'evil.txt' });
    expect(value).toBe('No line matches in 1 files.');
  });

  test.each([
    [{ query: '(', regex: true }, 'The pattern is no RE2 expression'],
    [{ query: '(?<=a)b', regex: true }, 'there is no look-around'],
    [{ query: 'x', path: 'nowhere' }, 'There is nothing at this path'],
    [{ query: 'x', path: '../up' }, 'must not contain . or ..'],
    [{ query: 'x', glob: '../*' }, 'must not contain ..'],
  ])('says what is wrong with %j', async (args, issue) => {
    await expect(grep(args)).rejects.toThrow(issue);
  });
});
