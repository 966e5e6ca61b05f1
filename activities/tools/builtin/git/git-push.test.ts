import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { casesOf, longTest } from '../../../../test/support/in-length.ts';
import { type GitTools, openGitTools } from '../../../../test/support/git-tools.ts';
import { describeSandboxed } from '../../../../test/support/test-sandbox.ts';
import { digestOf } from '../../call/execute-call.ts';
import type { ToolContext } from '../../context.ts';
import type { ToolArguments } from '../../tool.ts';
import { prepareCall } from '../../../../test/support/tool-context.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { gitBranch, gitCommit } from './git.ts';
import { gitClone } from './git-clone.ts';
import { gitPull } from './git-pull.ts';
import { gitPush } from './git-push.ts';

/** Writes an index of commits, which git trusts, in which the last commit of main follows the first one. */
const FORGE_INDEX = `git commit-graph write --reachable
python3 - $(git rev-parse main main~2) << 'END'
import os, sys
path = '.git/objects/info/commit-graph'
data = bytearray(open(path, 'rb').read())
chunks = {}
for at in range(8, 8 + 12 * data[6], 12):
    chunks[bytes(data[at:at + 4])] = int.from_bytes(data[at + 4:at + 12], 'big')
names = data[chunks[b'OIDL']:chunks[b'CDAT']]
def position(name): return names.index(bytes.fromhex(name)) // 20
at = chunks[b'CDAT'] + 36 * position(sys.argv[1]) + 20
data[at:at + 4] = position(sys.argv[2]).to_bytes(4, 'big')
os.chmod(path, 0o644)
open(path, 'wb').write(data)
END
test "$(git log --format=%s main)" = "$(printf 'Evil\\nBegin')"`;

describeSandboxed('git_push', () => {
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

  const pushes = () => app.server.seen.filter(({ url }) => url.endsWith('/git-receive-pack')).length;

  test('pushes the branch that is checked out, and another one that follows its own from then on', async () => {
    expect(prepareCall(gitPush, {}).approval).toBe('writes');
    await app.commit('a.txt', 'a\n', 'Mine');
    expect(await app.run(gitPush)).toMatch(/^origin\/main is at [0-9a-f]{40}: Mine\.$/);
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    expect(await app.run(gitPush)).toContain('it was there already');
    await app.run(gitBranch, { action: 'create', name: 'idea' });
    await app.run(gitBranch, { action: 'switch', name: 'idea' });
    await app.commit('large.txt', randomBytes(1_300_000).toString('hex'), 'Large');
    await app.run(gitPush, { set_upstream: true });
    expect(await app.server.log('app', 'idea')).toEqual(['Large', 'Mine', 'Begin']);
    expect(await app.sh('git --no-optional-locks status --short --branch')).toBe('## idea...origin/idea\n');
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

  test.each(casesOf([[false], [true]]))(
    'a repetition sees that others have pushed on top meanwhile (force: %j)',
    async (isForced) => {
      await app.commit('a.txt', 'a\n', 'Mine');
      const args = { force_with_lease: isForced };
      await app.run(gitPush, args, { key: 'same' });
      const [done = ''] = await readdir(join(app.tools.home, 'app/.git/everturn'));
      const id = (await app.sh('git rev-parse HEAD HEAD~1')).trim().replace('\n', ' ');
      await rm(join(app.tools.home, 'app/.git/everturn', done));
      await writeFile(join(app.tools.home, 'app/.git/everturn', done.replace('.done', '')), `${id}\n`);
      await app.server.commit('app', { 'b.txt': 'b\n' }, 'Theirs');
      expect(await app.run(gitPush, args, { key: 'same' })).toContain('has all commits of main, and others besides');
      expect(await app.server.log('app')).toEqual(['Theirs', 'Mine', 'Begin']);
      expect(pushes()).toBe(1);
    },
  );

  longTest('an answer that is lost is made up for by asking the server', async () => {
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

  test('without the right to push it says so', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    app.server.users = app.server.users.map(({ token }) => ({ token, mayPush: false }));
    await expect(app.run(gitPush)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringMatching(/may not be pushed to .*"Our git".* write to this repository/),
    });
  });

  const describe = async (args: ToolArguments = {}, idempotencyKey = 'a call') =>
    gitPush.describe?.({ cwd: 'app', ...args }, { ...app.tools.context, idempotencyKey });

  test('shows where it goes and which commits it brings, and approval is requested again when there are others', async () => {
    await app.sh('for number in $(seq 22); do git commit --quiet --allow-empty --message "Change $number"; done');
    const [head = ''] = (await app.sh('git rev-parse HEAD')).split('\n');
    const description = await describe();
    expect(description).toEqual({
      details: [
        { label: 'Repository', value: `${app.server.url}/app.git` },
        { label: 'Branch', value: 'main' },
        { label: 'Commits', value: expect.stringMatching(/^[0-9a-f]{12} Change 22\n(?:.+\n){19}and 2 more$/) },
      ],
      basis: { url: `${app.server.url}/app.git`, remote: 'origin', branch: 'main', commit: head, replaced: null },
    });
    expect(await describe()).toEqual(description);
    await app.commit('a.txt', 'more\n', 'One\u202e more');
    expect((await describe())?.details[2]?.value).toContain(' One\ufffd more\n');
    expect((await describe())?.basis).not.toEqual(description?.basis);
    expect(app.server.seen.every(({ url }) => url.includes('git-upload-pack'))).toBe(true);
  });

  longTest('shows the commits that it replaces, and all of a branch that is new', async () => {
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Theirs');
    await app.commit('b.txt', 'b\n', 'Mine');
    await app.run(gitPull).catch(() => undefined);
    expect((await describe({ force_with_lease: true }))?.details.slice(2)).toEqual([
      { label: 'Commits', value: expect.stringMatching(/^[0-9a-f]{12} Mine$/) },
      { label: 'Commits that are replaced', value: expect.stringMatching(/^[0-9a-f]{12} Theirs$/) },
    ]);
    await app.run(gitBranch, { action: 'create', name: 'idea' });
    expect((await describe({ branch: 'idea' }))?.details.slice(1)).toEqual([
      { label: 'Branch', value: 'idea' },
      { label: 'Commits', value: expect.stringMatching(/^[0-9a-f]{12} Mine$/) },
    ]);
    await app.run(gitPush, { branch: 'idea' });
    expect((await describe({ branch: 'idea' }))?.details.at(-1)?.value).toMatch(
      /^[0-9a-f]{40}, which is there already$/,
    );
    await expect(describe({ branch: 'none' })).rejects.toThrow('there is no branch none here');
  });

  longTest('pushes from a clone without the older commits', async () => {
    await app.server.commit('app', { 'a.txt': 'a\n' }, 'Theirs');
    await app.run(gitClone, { url: `${app.server.url}/app.git`, dir: 'thin', depth: 1 });
    await writeFile(join(app.tools.home, 'thin/b.txt'), 'b\n');
    await app.run(gitCommit, { cwd: 'thin', message: 'Mine', all: true });
    await app.run(gitPush, { cwd: 'thin' });
    expect(await app.server.log('app')).toEqual(['Mine', 'Theirs', 'Begin']);
  });

  /** Runs a script in the clone that may push its commit to main, in the place of the one that the server has. */
  async function runBeside(script: string) {
    const [from = '', to = ''] = (await app.sh('git rev-parse origin/main main')).split('\n');
    const url = `${app.server.url}/app.git`;
    return app.tools.context.runCommand({
      command: ['/bin/sh', '-c', `cd app; git() { command git -c safe.directory='*' "$@"; }\n${script}`],
      workspace: 'write',
      environment: { url, from, to },
      remote: { url, update: { ref: 'refs/heads/main', from, to } },
      timeoutMs: 60_000,
    });
  }

  /** Returns a context in which somebody commits before each command of the tool that may write. */
  function whileOthersCommit(): ToolContext {
    const runCommand: ToolContext['runCommand'] = async (command) => {
      if (command.workspace === 'write') await app.commit('evil.txt', randomBytes(8).toString('hex'), 'Evil');
      return app.tools.context.runCommand(command);
    };
    return { ...app.tools.context, runCommand };
  }

  test.each(casesOf([[false], [true]]))(
    'pushes the commit that was approved when the branch changes meanwhile (force: %j)',
    async (isForced) => {
      await app.commit('a.txt', 'a\n', 'Mine');
      const args = { cwd: 'app', force_with_lease: isForced };
      const context = whileOthersCommit();
      const approved = digestOf((await gitPush.describe?.(args, context)) ?? { details: [], basis: null });
      const outcome = await gitPush.run(args, { ...app.tools.options, contextFor: () => context, approved });
      expect(outcome).toMatchObject({ status: 'success', result: expect.stringContaining(': Mine.') });
      expect(await app.log()).toContain('Evil');
      expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    },
  );

  longTest('pushes the commit that it has found at its beginning when nobody was asked', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    await prepareCall(gitPush, { cwd: 'app' }).run(whileOthersCommit());
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
  });

  longTest('shows all commits that it brings, though the repository says four times that there are fewer', async () => {
    await app.commit('a.txt', 'a\n', 'Hidden');
    await app.commit('b.txt', 'b\n', 'Evil');
    // Each alone would do. The index comes first: git writes none over the others.
    await app.sh(`hidden=$(git rev-parse main~1)
      ${FORGE_INDEX}
      mkdir -p .git/info; echo $(git rev-parse main origin/main) > .git/info/grafts
      git replace main $(git commit-tree -p origin/main -m Evil main:)
      git update-ref refs/remotes/origin/main $hidden
      git branch idea; git update-ref refs/remotes/origin/idea main`);
    for (const args of [{}, { force_with_lease: true }, { branch: 'idea' }])
      expect((await describe(args))?.details[2]?.value).toMatch(/^[0-9a-f]{12} Evil\n[0-9a-f]{12} Hidden$/);
  });

  longTest('says where commits are not known here', async () => {
    await app.commit('a.txt', 'a\n', 'Hidden');
    await app.commit('b.txt', 'b\n', 'Evil');
    await app.sh('git rev-parse main > .git/shallow');
    expect((await describe())?.details[2]?.value).toMatch(/^[0-9a-f]{12} Evil\nand all before them that are not in/);
    await app.server.commit('app', { 'c.txt': 'c\n' }, 'Theirs');
    expect((await describe({ force_with_lease: true }))?.details.slice(2)).toEqual([
      { label: 'Commits', value: expect.stringContaining('commits that were not fetched') },
      { label: 'Commits that are replaced', value: expect.stringContaining('commits that were not fetched') },
    ]);
  });

  const refs = async () => app.server.git(['-C', 'app.git', 'for-each-ref']);

  test.each(
    casesOf(
      [
        ['another branch', 'git push "$url" "+$to:refs/heads/release"'],
        [
          'what is compressed',
          `gateway=$(git config --get-regexp insteadof | cut -d' ' -f1 | cut -d. -f2- | sed s/.insteadof//)
      printf 0000 | gzip | curl -sf --data-binary @- -H 'Content-Encoding: gzip' "\${gateway}app.git/git-receive-pack"`,
        ],
        ['a deletion', 'git push "$url" :refs/heads/main'],
        ['another commit', 'git push "$url" "$to~0:refs/heads/other" "+$from:refs/heads/main"'],
        ['a deletion of another branch', 'git push "$url" "$to:refs/heads/main" :refs/heads/release'],
        ['a tag', 'git push "$url" "$to:refs/heads/main" "$to:refs/tags/x"'],
        ['an option for the server', 'git push -o merge_request.create "$url" "$to:refs/heads/main"'],
      ],
      2,
    ),
  )('lets nobody push %s, whatever runs beside it', async (_what, script) => {
    await app.server.commit('app', { 'r.txt': 'r\n' }, 'Release', 'release');
    await app.server.git(['-C', 'app.git', 'config', 'receive.advertisePushOptions', 'true']);
    await app.commit('a.txt', 'a\n', 'Mine');
    const before = await refs();
    const { refusal } = await runBeside(script);
    expect(refusal).toMatchObject({
      kind: 'denied',
      message: expect.stringMatching(/^Only refs\/heads\/main can be pushed|^The push request has an unknown format/),
    });
    expect(await refs()).toBe(before);
    expect(pushes()).toBe(0);
  });

  test('lets what is to be pushed through once', async () => {
    await app.commit('a.txt', 'a\n', 'Mine');
    const from = (await app.server.git(['-C', 'app.git', 'rev-parse', 'main'])).trim();
    app.server.instead = async ({ url = '' }) => {
      if (url.endsWith('?service=git-receive-pack'))
        await app.server.git(['-C', 'app.git', 'update-ref', 'refs/heads/main', from]);
      return false;
    };
    const { refusal } = await runBeside(`for time in 1 2; do git push "$url" "$to:refs/heads/main"; done`);
    expect(refusal).toMatchObject({ kind: 'denied', message: expect.stringContaining('pushed only once') });
    expect(await app.server.log('app')).toEqual(['Begin']);
    expect(pushes()).toBe(1);
  });

  test('says what is missing', async () => {
    await expect(app.run(gitPush, { branch: 'none' })).rejects.toThrow('there is no branch none here');
    await expect(app.run(gitPush, { branch: 'a..b' })).rejects.toThrow('no name of a branch');
  });
});
