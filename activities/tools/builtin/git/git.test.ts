import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../../test/support/test-sandbox.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { BuiltinTool } from '../../define-tool.ts';
import type { ToolArguments } from '../../tool.ts';
import { git, gitBranch, gitCommit, gitDiff } from './git.ts';

describeSandboxed('git', () => {
  let box: TestSandbox;
  let tools: TestTools;
  let calls = 0;

  beforeAll(async () => {
    box = await openTestSandbox();
  });
  afterAll(async () => {
    await box.close();
  });
  beforeEach(async () => {
    tools = await createTestTools({ sandbox: box.sandbox });
    await mkdir(join(tools.home, 'app'), { recursive: true });
    await run(git, { args: ['init', '--initial-branch=main'] });
  });
  afterEach(async () => {
    await tools.close();
  });

  async function run(tool: BuiltinTool, args: ToolArguments, key = `call-${(calls += 1)}`): Promise<string> {
    const context = { ...tools.context, idempotencyKey: key };
    return String((await prepareCall(tool, { cwd: 'app', ...args }).run(context)).value);
  }

  const write = async (path: string, text: string) => writeFile(join(tools.home, 'app', path), text);
  const log = async () => (await run(git, { args: ['log', '--format=%s'] })).trim().split('\n');

  test('changes are shown and committed, in steps', async () => {
    await write('a.txt', 'one\n');
    await write('b.txt', 'two\n');
    expect(await run(git, { args: ['status', '--short'] })).toBe('?? a.txt\n?? b.txt\n');
    expect(await run(gitCommit, { message: 'Begin\n\nWith one file.', paths: ['a.txt'] })).toMatch(
      /^commit [0-9a-f]{40}\nBegin\n/,
    );
    expect(await run(git, { args: ['status', '--short'] })).toBe('?? b.txt\n');
    await write('a.txt', 'one more\n');
    expect(await run(gitDiff, {})).toContain('-one\n+one more\n');
    expect(await run(gitDiff, { staged: true })).toBe('Nothing differs.');
    await run(gitCommit, { message: 'Go on', all: true });
    expect(await log()).toEqual(['Go on', 'Begin']);
    expect(await run(gitDiff, { from: 'HEAD~1', to: 'HEAD', stat: true })).toContain('b.txt');
    expect(await run(git, { args: ['log', '-1', '--format=%an <%ae>'] })).toBe(
      'Everturn agent <agent@everturn.invalid>\n',
    );
    await expect(run(gitCommit, { message: 'Nothing' })).rejects.toMatchObject({
      kind: 'invalid_input',
      message: 'git says: nothing has changed that could be committed',
    });
  });

  test('a commit that is repeated is not made again, whatever has changed since', async () => {
    await write('a.txt', 'one\n');
    const first = await run(gitCommit, { message: 'Begin', all: true }, 'same');
    await write('b.txt', 'two\n');
    expect(await run(gitCommit, { message: 'Begin', all: true }, 'same')).toBe(first);
    await run(gitCommit, { message: 'Go on', all: true });
    expect(await run(gitCommit, { message: 'Begin', all: true }, 'same')).toBe(first);
    expect(await log()).toEqual(['Go on', 'Begin']);
  });

  test('a commit whose worker died before the branch was moved is finished by its repetition', async () => {
    await write('a.txt', 'one\n');
    await run(gitCommit, { message: 'Begin', all: true });
    await write('a.txt', 'two\n');
    await run(gitCommit, { message: 'Go on', all: true }, 'cut');
    // As it was after the note, and before the branch was moved.
    await box.sandbox.run(
      {
        command: ['/bin/sh', '-c', 'git -c safe.directory=* -C app update-ref HEAD HEAD~1'],
        folder: { path: tools.home, access: 'write' },
        timeoutMs: 60_000,
      },
      { orgId: 'org', signal: new AbortController().signal },
    );
    expect(await log()).toEqual(['Begin']);
    await run(gitCommit, { message: 'Go on', all: true }, 'cut');
    expect(await log()).toEqual(['Go on', 'Begin']);
    expect(await run(git, { args: ['status', '--short'] })).toBe('');
  });

  test('branches are listed, created, switched and deleted, and doing so twice changes nothing more', async () => {
    await write('a.txt', 'one\n');
    await run(gitCommit, { message: 'Begin', all: true });
    for (const _twice of [1, 2])
      expect(await run(gitBranch, { action: 'create', name: 'idea' })).toContain('The branch idea is at');
    for (const _twice of [1, 2])
      expect(await run(gitBranch, { action: 'switch', name: 'idea' })).toBe('The branch is idea now.');
    await write('a.txt', 'two\n');
    await run(gitCommit, { message: 'An idea', all: true });
    await run(gitBranch, { action: 'switch', name: 'main' });
    expect(await readFile(join(tools.home, 'app/a.txt'), 'utf8')).toBe('one\n');
    await expect(run(gitBranch, { action: 'delete', name: 'idea' })).rejects.toMatchObject({ kind: 'invalid_input' });
    await run(gitBranch, { action: 'create', name: 'old' });
    expect(await run(gitBranch, { action: 'delete', name: 'old' })).toContain('Deleted branch old');
    expect(await run(gitBranch, { action: 'delete', name: 'old' })).toBe('There is no branch old.');
    expect(await run(gitBranch, { action: 'list' })).toMatch(/^ {2}idea .* An idea\n\* main .* Begin$/);
    await expect(run(gitBranch, { action: 'create' })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(run(gitBranch, { action: 'create', name: '--force' })).rejects.toMatchObject({
      kind: 'invalid_input',
    });
    await expect(run(gitBranch, { action: 'create', name: 'x', from: 'none' })).rejects.toThrow(
      'there is no commit none',
    );
  });

  test.each([
    [['push']],
    [['-c', 'alias.x=!touch /work/x', 'x']],
    [['log', '--output=/work/x']],
    [['show', '--ext-diff']],
    [['clone', 'https://example.com/x']],
  ])('%j is refused', async (args) => {
    await expect(run(git, { args })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('commands that read cannot write, and where there is no repository they say so', async () => {
    await write('a.txt', 'one\n');
    await run(gitCommit, { message: 'Begin', all: true });
    await write('a.txt', 'two\n');
    expect(prepareCall(git, { args: ['stash'] }).effect).toBe('once');
    expect(prepareCall(git, { args: ['stash', 'list'] }).effect).toBe('read');
    await run(git, { args: ['stash'] });
    expect(await run(git, { args: ['stash', 'list'] })).toContain('stash@{0}');
    await run(git, { args: ['restore', '--source=HEAD', 'a.txt'] });
    await expect(run(git, { args: ['status'], cwd: '.' })).rejects.toMatchObject({ kind: 'not_found' });
  });
});
