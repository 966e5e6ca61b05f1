import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type GitTools, openGitTools } from '../../../../test/support/git-tools.ts';
import { describeSandboxed } from '../../../../test/support/test-sandbox.ts';
import { prepareCall } from '../../../../test/support/tool-context.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { gitBranch } from './git-branch.ts';
import { gitPull } from './git-pull.ts';
import { gitPush } from './git-push.ts';
import { git } from './git.ts';

describeSandboxed('git_push', () => {
  let app: GitTools;
  beforeEach(async () => {
    app = await openGitTools();
  });
  afterEach(async () => {
    await app.close();
  });

  const pushes = () => app.server.seen.filter(({ url }) => url.endsWith('/git-receive-pack')).length;

  test('pushes the branch that is checked out, and another one that follows its own from then on', async () => {
    expect(prepareCall(gitPush, {}).approval).toBe('writes');
    await app.commit('a.txt', 'a\n', 'Mine');
    expect(await app.run(gitPush)).toMatch(/^origin\/main is at [0-9a-f]{40}: Mine\.$/);
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    expect(await app.run(gitPush)).toContain('it was there already');
    await app.run(gitBranch, { action: 'create', name: 'idea' });
    await app.run(gitBranch, { action: 'switch', name: 'idea' });
    await app.commit('large.txt', randomBytes(3_000_000).toString('hex'), 'Large');
    await app.run(gitPush, { set_upstream: true });
    expect(await app.server.log('app', 'idea')).toEqual(['Large', 'Mine', 'Begin']);
    expect(await app.run(git, { args: ['status', '--short', '--branch'] })).toBe('## idea...origin/idea\n');
    await app.server.commit('app', { 'b.txt': 'b\n' }, 'Theirs', 'idea');
    expect(await app.run(gitPull)).toContain('Pulled origin/idea');
  });

  test('never replaces what others have pushed, unless it was seen and is to be replaced', async () => {
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Theirs');
    await app.commit('b.txt', 'b\n', 'Mine');
    await expect(app.run(gitPush)).rejects.toThrow('bring them in with git_pull');
    await expect(app.run(gitPush, { force_with_lease: true })).rejects.toThrow('bring them in with git_pull');
    expect(await app.server.log('app')).toEqual(['Theirs', 'Begin']);
    await expect(app.run(gitPull)).rejects.toThrow('mode merge');
    expect(await app.run(gitPush, { force_with_lease: true })).toContain('Mine');
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    expect(pushes()).toBe(1);
  });

  test('repeated, it pushes once, and what it had begun with', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    const stop = new AbortController();
    app.server.loses = ({ method, url = '' }) => {
      const isPush = method === 'POST' && url.endsWith('/git-receive-pack');
      if (isPush) stop.abort(new Error('the worker died'));
      return isPush;
    };
    await expect(app.run(gitPush, {}, { key: 'same', signal: stop.signal })).rejects.toThrow('the worker died');
    await waitUntil('the push', async () => (await app.server.log('app'))[0] === 'Mine' || undefined);
    app.server.loses = () => false;
    await app.commit('b.txt', 'b\n', 'Later');
    expect(await app.run(gitPush, {}, { key: 'same' })).toMatch(/: Mine; it was there already\.$/);
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    expect(pushes()).toBe(1);
    expect(await app.run(gitPush)).toContain('Later');
  });

  test.each([[false], [true]])(
    'a repetition sees that others have pushed on top meanwhile (force: %j)',
    async (isForced) => {
      await app.commit('a.txt', 'a\n', 'Mine');
      const args = { force_with_lease: isForced };
      await app.run(gitPush, args, { key: 'same' });
      const [done = ''] = await readdir(join(app.tools.home, 'app/.git/everturn'));
      const id = (await app.run(git, { args: ['rev-parse', 'HEAD', 'HEAD~1'] })).trim().replace('\n', ' ');
      await rm(join(app.tools.home, 'app/.git/everturn', done));
      await writeFile(join(app.tools.home, 'app/.git/everturn', done.replace('.done', '')), `${id}\n`);
      await app.server.commit('app', { 'b.txt': 'b\n' }, 'Theirs');
      expect(await app.run(gitPush, args, { key: 'same' })).toContain('has all commits of main, and others besides');
      expect(await app.server.log('app')).toEqual(['Theirs', 'Mine', 'Begin']);
      expect(pushes()).toBe(1);
    },
  );

  test('an answer that is lost is made up for by asking the server', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    app.server.loses = ({ method, url = '' }) => method === 'POST' && url.endsWith('/git-receive-pack');
    expect(await app.run(gitPush)).toMatch(/: Mine\.$/);
    await app.commit('a.txt', 'more\n', 'More');
    app.server.instead = ({ method, socket, url = '' }) => {
      if (method === 'POST' && url.endsWith('/git-receive-pack')) app.server.users = [];
      if (app.server.users.length > 0) return false;
      socket.destroy();
      return true;
    };
    await expect(app.run(gitPush)).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
  });

  test('without the right to push it says so, and the settings of a repository send it nowhere else', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    app.server.users = app.server.users.map(({ token }) => ({ token, mayPush: false }));
    await expect(app.run(gitPush)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringMatching(/may not be pushed to .*"Our git".* write to this repository/),
    });
    await app.server.make('other');
    app.server.seen.length = 0;
    const rewritten = `[url "${app.server.url}/other.git"]\n  insteadOf = ${app.server.url}/app.git\n`;
    const helper = '[credential]\n  helper = "!touch /work/helped; echo"\n[core]\n  askPass = touch /work/helped\n';
    const hook = '[core]\n  hooksPath = .git/hooks\n';
    await writeFile(join(app.tools.home, 'app/.git/config'), `${rewritten}${helper}${hook}`, { flag: 'a' });
    await writeFile(join(app.tools.home, 'app/.git/hooks-pre-push'), '#!/bin/sh\ntouch /work/helped\n', {
      mode: 0o755,
    });
    await expect(app.run(gitPush)).rejects.toMatchObject({ kind: 'denied' });
    expect(app.server.seen.filter(({ url }) => url.startsWith('/other'))).toEqual([]);
    expect(await readdir(app.tools.home)).toEqual(['app']);
  });

  test('says what is missing', async () => {
    await expect(app.run(gitPush, { branch: 'none' })).rejects.toThrow('there is no branch none here');
    await expect(app.run(gitPush, { branch: 'a..b' })).rejects.toThrow('no name of a branch');
  });
});
