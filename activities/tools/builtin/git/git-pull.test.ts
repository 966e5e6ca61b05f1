import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type GitTools, openGitTools } from '../../../../test/support/git-tools.ts';
import { longTest } from '../../../../test/support/in-length.ts';
import { describeSandboxed } from '../../../../test/support/test-sandbox.ts';
import { gitClone } from './git-clone.ts';
import { gitCommit } from './git.ts';
import { gitPull } from './git-pull.ts';

describeSandboxed('git_pull', () => {
  let app: GitTools;
  beforeAll(async () => {
    app = await openGitTools();
  });
  afterEach(async () => {
    await app.reset();
  });
  afterAll(async () => {
    await app.close();
  });

  const status = async () => app.sh('git --no-optional-locks status --short');

  test('brings in what others have pushed, and leaves own changes as they are', async () => {
    expect(await app.run(gitPull)).toBe('Nothing is new: main has all commits of origin/main.');
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Go on');
    await app.write('readme.txt', 'mine\n');
    await app.write('new.txt', 'new\n');
    expect(await app.run(gitPull)).toMatch(
      /^Pulled origin\/main: the branch is at [0-9a-f]{40}: Go on\.\n 1 file changed, 1 insertion\(\+\)\n[0-9a-f]{7} Go on$/,
    );
    expect(await app.read('a.txt')).toBe('a\n');
    expect(await app.read('readme.txt')).toBe('mine\n');
    expect(await status()).toBe(' M readme.txt\n?? new.txt\n');
    await app.server.commit('app', { 'readme.txt': 'theirs\n', 'new.txt': 'theirs\n' }, 'In the way');
    await expect(app.run(gitPull)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect([await app.read('readme.txt'), await app.read('new.txt')]).toEqual(['mine\n', 'new\n']);
    expect(await app.log()).toEqual(['Go on', 'Begin']);
  });

  test('merges with own commits only when it is asked to', async () => {
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Theirs');
    await app.commit('b.txt', 'b\n', 'Mine');
    await expect(app.run(gitPull)).rejects.toThrow('use the mode merge');
    expect(await app.run(gitPull, { mode: 'merge' })).toContain(': Merge origin/main.');
    expect([await app.read('a.txt'), await app.read('b.txt')]).toEqual(['a\n', 'b\n']);
    expect(await status()).toBe('');
    expect(await app.sh("git log -1 --format='%an %p'")).toMatch(/^Everturn agent [0-9a-f]{7} [0-9a-f]{7}\n$/);
  });

  test('marks conflicts, which are committed once they are resolved, or dropped', async () => {
    await app.server.commit('app', { 'readme.txt': 'theirs\n', 'a.txt': 'a\n' }, 'Theirs');
    await app.commit('readme.txt', 'mine\n', 'Mine');
    const output = await app.run(gitPull, { mode: 'merge' }, { key: 'same' });
    expect(output).toContain('with conflicts that are marked in these files:\nreadme.txt\n');
    expect(await app.read('readme.txt')).toMatch(/^<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> [0-9a-f]{40}\n$/);
    expect(await app.run(gitPull, { mode: 'merge' }, { key: 'same' })).toBe(output);
    expect(await status()).toBe('A  a.txt\nUU readme.txt\n');
    await expect(app.run(gitPull, { mode: 'merge' })).rejects.toThrow('a merge has not ended');
    expect(await app.run(gitPull, { mode: 'abort' })).toContain('The merge was dropped');
    expect(await app.run(gitPull, { mode: 'abort' })).toBe('There is no merge to drop.');
    expect([await app.read('readme.txt'), await status()]).toEqual(['mine\n', '']);
    await app.run(gitPull, { mode: 'merge' });
    await app.write('readme.txt', 'both\n');
    await app.run(gitCommit, { message: 'Both', paths: ['readme.txt'] });
    expect(await app.sh("git log -1 --format='%s %p'")).toMatch(/^Both [0-9a-f]{7} [0-9a-f]{7}\n$/);
    expect(await app.run(gitPull)).toContain('Nothing is new');
  });

  test('a pull whose worker died is finished by its repetition, wherever that was', async () => {
    await app.server.commit('app', { 'a.txt': 'a\n', 'readme.txt': 'new\n' }, 'Go on');
    const output = await app.run(gitPull, {}, { key: 'same' });
    const folder = join(app.tools.home, 'app/.git');
    const notes = await readdir(join(folder, 'everturn'));
    const [done = ''] = notes;
    const ids = (await app.sh('git log --format=%H')).trim().split('\n');
    const [head = '', before = ''] = ids;
    // As it was when the note was written, half of the files were changed, and the index and a ref were locked.
    await rm(join(folder, 'everturn', done));
    await writeFile(join(folder, 'everturn', done.replace('.done', '')), `${before} ${head} ${head} ${head}\n`);
    await app.sh(`git restore --source ${before} --staged readme.txt
      git restore --source ${before} --staged --worktree a.txt`);
    await writeFile(join(folder, 'refs/heads/main'), `${before}\n`);
    await writeFile(join(folder, 'index.lock'), '');
    await mkdir(join(folder, 'refs/remotes/origin'), { recursive: true });
    await writeFile(join(folder, 'refs/remotes/origin/main.lock'), '');
    expect(await status()).toBe(' M readme.txt\n');
    await app.server.commit('app', { 'later.txt': 'later\n' }, 'Later');
    expect(await app.run(gitPull, {}, { key: 'same' })).toBe(output);
    expect([await status(), await app.log(), await app.read('a.txt')]).toEqual(['', ['Go on', 'Begin'], 'a\n']);
    expect(await app.run(gitPull, {}, { key: 'same' })).toBe(output);
    expect(await app.run(gitPull)).toContain('Later');
  });

  longTest('begins an empty clone, follows a branch by name, and says what it does not find', async () => {
    await app.server.git(['init', '--quiet', '--bare', '--initial-branch=main', 'empty.git']);
    expect(await app.run(gitClone, { url: `${app.server.url}/empty.git` })).toContain('It has no commits yet.');
    await app.server.commit('empty', { 'a.txt': 'a\n' }, 'Begin');
    expect(await app.run(gitPull, { cwd: 'empty' })).toContain('Begin');
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Idea', 'idea');
    expect(await app.run(gitPull, { branch: 'idea' })).toContain('Pulled origin/idea');
    await expect(app.run(gitPull, { branch: 'none' })).rejects.toThrow('none');
    await expect(app.run(gitPull, { remote: 'other' })).rejects.toThrow('it has: origin');
    await expect(app.run(gitPull, { cwd: '.' })).rejects.toMatchObject({ kind: 'not_found' });
    await writeFile(join(app.tools.home, 'app/.git/config'), '[remote "ssh"]\nurl = ssh://git@example.com/a/b\n');
    await expect(app.run(gitPull, { remote: 'ssh' })).rejects.toThrow('not by ssh');
  });
});
