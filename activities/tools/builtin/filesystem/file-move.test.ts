import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import { filePath, ROOT } from '../../workspace/workspace-path.ts';
import { fileMove } from './write-files.ts';

const never = new AbortController().signal;

let tools: TestTools;
beforeEach(async () => {
  tools = await createTestTools({ quota: { bytes: 1_000, files: 20 } });
  await write('a.txt', 'a');
  await write('docs/b.txt', 'b');
  await write('docs/deep/c.txt', 'c');
});
afterEach(() => tools.close());

async function write(path: string, content: string, isForeign = false): Promise<void> {
  const options = { overwrite: true, createFolders: true, isForeign };
  await tools.context.workspace.write(filePath(path), Buffer.from(content), options);
}

async function move(from: string, to: string, options: object = {}, idempotencyKey = `${from} ${to}`) {
  return prepareCall(fileMove, { from, to, ...options }).run({ ...tools.context, idempotencyKey });
}

async function files(): Promise<string[]> {
  const { entries } = await tools.context.workspace.list(ROOT, { maxDepth: 32, limit: 100 }, never);
  return entries.filter(({ type }) => type === 'file').map(({ path }) => path);
}

const textOf = (path: string) => readFileSync(join(tools.home, path), 'utf8');

describe('file_move', () => {
  test('moves a file to a new name, in folders that are made for it', async () => {
    expect(await move('a.txt', 'new/place/z.txt')).toEqual({ value: { moved: 'a.txt', to: 'new/place/z.txt' } });
    expect(await files()).toEqual(['docs/b.txt', 'docs/deep/c.txt', 'new/place/z.txt']);
  });

  test('moves a folder with all that is in it', async () => {
    await move('docs', 'papers');
    expect(await files()).toEqual(['a.txt', 'papers/b.txt', 'papers/deep/c.txt']);
  });

  test('copies a file, and a folder', async () => {
    expect(await move('a.txt', 'z.txt', { copy: true })).toEqual({ value: { copied: 'a.txt', to: 'z.txt' } });
    await move('docs', 'papers', { copy: true });
    const copies = ['papers/b.txt', 'papers/deep/c.txt', 'z.txt'];
    expect(await files()).toEqual(['a.txt', 'docs/b.txt', 'docs/deep/c.txt', ...copies]);
    expect(['z.txt', 'papers/deep/c.txt'].map(textOf)).toEqual(['a', 'c']);
    await write('a.txt', 'changed');
    expect(textOf('z.txt')).toBe('a');
  });

  test('replaces a file only when it may', async () => {
    await expect(move('a.txt', 'docs/b.txt')).rejects.toThrow('overwrite');
    expect(textOf('docs/b.txt')).toBe('b');
    await move('a.txt', 'docs/b.txt', { overwrite: true });
    expect(textOf('docs/b.txt')).toBe('a');
    expect(await files()).toEqual(['docs/b.txt', 'docs/deep/c.txt']);
  });

  test.each([{}, { copy: true }])('is made once, however often it is repeated: %j', async (options) => {
    const first = await move('a.txt', 'z.txt', options, 'k');
    expect(await move('a.txt', 'z.txt', options, 'k')).toEqual(first);
    await move('docs', 'papers', options, 'f');
    await move('docs', 'papers', options, 'f');
    expect(await files()).toEqual(expect.arrayContaining(['papers/b.txt', 'papers/deep/c.txt', 'z.txt']));
  });

  test('continues a copy that was interrupted', async () => {
    await move('docs', 'papers', { copy: true }, 'k');
    await tools.context.workspace.remove(filePath('papers/deep'), { recursive: true }, never);
    await move('docs', 'papers', { copy: true }, 'k');
    expect(textOf('papers/deep/c.txt')).toBe('c');
  });

  test.each([
    ['a.txt', 'docs', { overwrite: true }, 'give the whole new path'],
    ['docs', 'a.txt', { overwrite: true }, 'cannot be replaced'],
    ['docs', 'docs/deep/docs', {}, 'nor be inside it'],
    ['docs', 'docs', { copy: true }, 'must not be `from`'],
    ['none.txt', 'z.txt', {}, 'There is nothing at `from`'],
    ['a.txt', '../z.txt', {}, 'must not contain . or ..'],
    ['/etc/passwd', 'z.txt', { copy: true }, 'must be relative'],
    ['a.txt', '.git/hooks/pre-commit', {}, 'with git only'],
    ['docs', `${'x/'.repeat(31)}y`, {}, 'more than 32 levels deep'],
  ])('moves nothing from %j to %j with %j', async (from, to, options, issue) => {
    await expect(move(from, to, options)).rejects.toThrow(issue);
    expect(await files()).toEqual(['a.txt', 'docs/b.txt', 'docs/deep/c.txt']);
  });

  test('follows no link: neither one that is moved, nor one on the way, nor one in a copied folder', async () => {
    const secrets = join(tools.outside, 'secrets');
    mkdirSync(secrets);
    writeFileSync(join(secrets, 'canary.txt'), 'canary');
    symlinkSync(secrets, join(tools.home, 'docs', 'way'));
    symlinkSync(join(secrets, 'canary.txt'), join(tools.home, 'link.txt'));
    for (const copy of [true, false]) {
      await expect(move('link.txt', 'z.txt', { copy })).rejects.toMatchObject({ kind: 'denied' });
      await expect(move('docs/way/canary.txt', 'z.txt', { copy })).rejects.toThrow('link');
      await expect(move('a.txt', 'docs/way/z.txt', { copy })).rejects.toThrow('link');
      await expect(move('a.txt', 'link.txt', { copy, overwrite: true })).rejects.toThrow('cannot be replaced');
    }
    await move('docs', 'papers', { copy: true });
    expect(existsSync(join(tools.home, 'papers', 'way'))).toBe(false);
    expect(readFileSync(join(secrets, 'canary.txt'), 'utf8')).toBe('canary');
  });

  test('copies no more than the workspace may contain', async () => {
    await write('large.txt', 'x'.repeat(600));
    await expect(move('large.txt', 'z.txt', { copy: true })).rejects.toThrow('full');
    await move('large.txt', 'z.txt');
    expect(textOf('z.txt')).toHaveLength(600);
  });

  test('takes the marks of text from outside along', async () => {
    await write('docs/page.txt', 'x', true);
    await move('docs', 'papers', { copy: true });
    await move('papers', 'kept');
    await move('kept/page.txt', 'page.txt');
    const { workspace } = tools.context;
    const paths = ['papers/page.txt', 'kept/page.txt', 'page.txt', 'kept/b.txt'];
    expect(await Promise.all(paths.map(async (path) => workspace.isForeign(filePath(path))))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
