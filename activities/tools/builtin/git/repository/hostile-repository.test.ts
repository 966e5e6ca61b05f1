import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { casesOf } from '../../../../../test/support/in-length.ts';
import { type GitTools, openGitTools } from '../../../../../test/support/git-tools.ts';
import { describeSandboxed } from '../../../../../test/support/test-sandbox.ts';
import type { BuiltinTool } from '../../../define-tool.ts';
import type { ToolArguments } from '../../../tool.ts';
import { git, gitBranch, gitCommit, gitDiff } from '../git.ts';
import { gitPull } from '../git-pull.ts';
import { gitPush } from '../git-push.ts';
import { runGitScript } from '../repository.ts';

/** A clone that has git start the program `/work/program`. */
interface HostileClone {
  readonly title: string;
  /** What the refusal names. */
  readonly named: string;
  /** Shell commands that make the clone so. */
  readonly arrange: string;
  /** Shell commands with which git starts the program, when nothing keeps it from that. */
  readonly start: string;
}

interface Given {
  readonly value?: string;
  readonly arrange?: string;
}

/** A clone with a setting. */
function named(key: string, start: string, { value = '/work/program', arrange = ':' }: Given = {}): HostileClone {
  const [section = '', ...others] = key.split('.');
  const shown = [section.toLowerCase(), ...others.slice(0, -1), others.at(-1)?.toLowerCase()].join('.');
  return { title: key, named: shown, arrange: `${arrange}; git config '${key}' '${value}'`, start };
}

const CHANGE = 'echo more >> readme.txt';
const attribute = (text: string): Given => ({
  arrange: `mkdir -p .git/info; echo '* ${text}' > .git/info/attributes; ${CHANGE}`,
});
const SIGN = `{ git cat-file commit HEAD | sed '/^$/,$d'
  printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n -----END PGP SIGNATURE-----\\n\\nSigned\\n'; } > /tmp/commit
  git update-ref HEAD $(git hash-object -t commit -w /tmp/commit)`;
const DIVERGE = `git switch -qc other; echo a > readme.txt; git commit -qam a
  git switch -q main; echo b > readme.txt; git commit -qam b`;
const SETTINGS = 'git config -f ../settings core.fsmonitor /work/program';
const moved = (link: string): string =>
  `mv .git ../moved; git config -f ../moved/config core.fsmonitor /work/program; ${link}`;

/** Clones with settings. */
const SET: readonly HostileClone[] = [
  named('gpg.program', 'git log -1 --format=%G?', { arrange: SIGN }),
  named('core.fsmonitor', 'git status'),
  named('core.sshCommand', 'git ls-remote ssh://host/x'),
  named('filter.x.clean', 'git add .', attribute('filter=x')),
  named('diff.external', 'git diff', { arrange: CHANGE }),
  named('diff.x.textconv', 'git diff', attribute('diff=x')),
  named('log.showSignature', 'git -c gpg.program=/work/program log -1', { arrange: SIGN, value: 'true' }),
  named('gpg.openpgp.program', 'git tag -s -m x x'),
  named('gpg.ssh.defaultKeyCommand', 'git -c gpg.format=ssh commit -S --allow-empty -m x'),
  named('commit.gpgSign', 'git -c gpg.program=/work/program commit --allow-empty -m x', { value: 'true' }),
  named('core.editor', 'git commit --amend'),
  named('core.gitProxy', 'git ls-remote git://host/x'),
  named('diff.x.command', 'git diff', attribute('diff=x')),
  named('filter.x.smudge', 'git stash', attribute('filter=x')),
  named('filter.x.process', 'git add .', attribute('filter=x')),
  named('filter.lfs.clean', 'git add .', { arrange: `echo '* filter=lfs' > .gitattributes; ${CHANGE}` }),
  named('merge.x.driver', 'git merge other', {
    arrange: `${DIVERGE}; ${attribute('merge=x').arrange}; git restore readme.txt`,
  }),
  named('sequence.editor', 'git rebase -i --root'),
  named('difftool.x.cmd', 'git difftool -y -t x', { arrange: CHANGE }),
  named('trailer.x.command', 'git -c trailer.x.key=x interpret-trailers < /dev/null'),
  named('alias.st', 'git st', { value: '!/work/program' }),
  named('credential.helper', 'echo url=https://host | git credential fill'),
  named('credential.https://host.helper', 'echo url=https://host | git credential fill'),
  named('remote.evil.uploadpack', 'git ls-remote evil', { arrange: 'git config remote.evil.url /work/app' }),
  named('remote.evil.receivepack', 'git push evil main', { arrange: 'git config remote.evil.url /work/app' }),
  named('protocol.ext.allow', 'git ls-remote ext::/work/program', { value: 'always' }),
  named('url.ext::/work/program.insteadOf', 'git -c protocol.ext.allow=always ls-remote https://host/', {
    value: 'https://host/',
  }),
  named('include.path', 'git status', { arrange: SETTINGS, value: '../../settings' }),
  named('includeIf.gitdir:/work/.path', 'git status', { arrange: SETTINGS, value: '../../settings' }),
  named('extensions.worktreeConfig', 'git status', {
    arrange: 'git config -f .git/config.worktree core.fsmonitor /work/program',
    value: 'true',
  }),
  named('core.worktree', 'test $(git rev-parse --show-toplevel) = /work/elsewhere && /work/program', {
    arrange: 'mkdir ../elsewhere',
    value: '/work/elsewhere',
  }),
];

/** What else leads git to a program. */
const OTHERS: readonly HostileClone[] = [
  {
    title: 'a setting that is spelled in an odd way',
    named: 'core.fsmonitor',
    arrange: String.raw`printf '[CORE]FsMonitor=/work/prog\\\nram\n' >> .git/config`,
    start: 'git status',
  },
  {
    title: 'settings of another repository',
    named: '.git/commondir',
    arrange:
      'cp -r .git ../moved; git config -f ../moved/config core.fsmonitor /work/program; echo /work/moved > .git/commondir',
    start: 'git status',
  },
  {
    title: 'objects of another repository',
    named: '.git/objects/info/alternates',
    arrange: 'echo /work/app/.git/objects > .git/objects/info/alternates',
    start: 'git -c core.alternateRefsCommand=/work/program fetch /work/app',
  },
  {
    title: 'a .git that is a file',
    named: 'its .git leads elsewhere',
    arrange: moved('echo gitdir: /work/moved > .git'),
    start: 'git status',
  },
  {
    title: 'a .git that is a link',
    named: 'its .git leads elsewhere',
    arrange: moved('ln -s /work/moved .git'),
    start: 'git status',
  },
  {
    title: 'a repository within it that names one',
    named: 'x/sub cannot be used',
    arrange: 'cp -r ../app sub; git add sub; git -C sub config core.fsmonitor /work/program',
    start: 'git status',
  },
  {
    title: 'the files of a repository in an ordinary folder',
    named: 'not a git repository',
    arrange: `${SIGN}; mv .git/* .; rmdir .git; git config -f config core.bare true
      git config -f config log.showSignature true; git config -f config gpg.program /work/program`,
    start: 'git log',
  },
];

const CALLS: readonly { readonly tool: BuiltinTool; readonly args: ToolArguments }[] = [
  { tool: git, args: { args: ['log'] } },
  { tool: git, args: { args: ['status'] } },
  { tool: git, args: { args: ['stash'] } },
  { tool: gitDiff, args: {} },
  { tool: gitBranch, args: { action: 'list' } },
  { tool: gitCommit, args: { message: 'x', all: true } },
  { tool: gitPull, args: {} },
  { tool: gitPush, args: {} },
];

describeSandboxed('a repository that names programs', () => {
  let app: GitTools;
  beforeAll(async () => {
    app = await openGitTools();
    await sh(String.raw`printf '#!/bin/sh\ntouch /work/started\n' > program; chmod +x program`);
  });
  afterAll(async () => {
    await app.close();
  });

  /** Runs shell commands, as an agent may, with git as it is. */
  async function sh(script: string): Promise<string> {
    const author = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Somebody'],
      [`GIT_${role}_EMAIL`, 'somebody@example.com'],
    ]);
    const ending = await app.tools.context.runCommand({
      command: ['/bin/sh', '-c', script],
      workspace: 'write',
      environment: Object.fromEntries(author),
      timeoutMs: 60_000,
    });
    return `${ending.stdout.toString()}${ending.stderr.toString()}`;
  }

  /** Runs shell commands beside a fresh copy of the clone, `x`. */
  const arrange = async (script: string) =>
    sh(`rm -rf started x trial settings moved elsewhere; cp -r app x; ${script}`);
  const hasStarted = () => existsSync(join(app.tools.home, 'started'));

  const hostile = [...casesOf(SET, 6), ...OTHERS];

  test.each(hostile)('starts none, and is refused with words that name $title', async ({ named: key, ...clone }) => {
    // In a copy, at the same path.
    const output =
      await arrange(`cd x && ${clone.arrange}; cd ..; cp -r x trial; mv x kept; mv trial x; (cd x; ${clone.start})
      rm -rf x; mv kept x; if test -f started; then echo IT-HAS-STARTED; rm started; fi`);
    expect(output).toContain('IT-HAS-STARTED');
    await expect(app.run(gitCommit, { message: 'x', all: true, cwd: 'x' })).rejects.toThrow(key);
    expect(hasStarted()).toBe(false);
  });

  test('is refused by each tool', async () => {
    await arrange('cd x && git config core.fsmonitor /work/program');
    for (const { tool, args } of CALLS)
      await expect(app.run(tool, { ...args, cwd: 'x' })).rejects.toThrow('the repository x cannot be used');
    expect(hasStarted()).toBe(false);
  });

  test.each(
    casesOf(
      [
        ['git log', SIGN, 'log.showSignature=true gpg.program=/work/program'],
        ['git status', ':', 'core.fsmonitor=/work/program'],
        ['git diff', CHANGE, 'diff.external=/work/program'],
        ['git blame readme.txt', attribute('diff=x').arrange, 'diff.x.textconv=/work/program'],
        ['git ls-remote ext::/work/program', ':', 'protocol.ext.allow=always'],
        ['git ls-remote ssh://host/x', ':', 'core.sshCommand=/work/program'],
        ['git log --format=%G?', SIGN, 'gpg.openpgp.program=/work/program'],
        ['git -c user.name=x -c user.email=x tag -a -m x x', ':', 'tag.gpgSign=true gpg.program=/work/program'],
        ['git diff', attribute('diff=x').arrange, 'diff.x.command=/work/program'],
        ['git show', attribute('diff=x').arrange, 'diff.x.textconv=/work/program'],
        ['git ls-remote evil', ':', 'remote.evil.url=/work/app remote.evil.uploadpack=/work/program'],
      ],
      6,
    ),
  )('starts none with %s either when settings change after they were checked', async (start, change, settings) => {
    const assign = settings.replaceAll(/(\S+?)=(\S+) ?/g, "command git config '$1' '$2'\n");
    const output = await arrange(`cd x; ${change}; cp -r . ../trial; cd ../trial; ${assign}${start}
      if test -f ../started; then echo IT-HAS-STARTED; rm ../started; fi`);
    expect(output).toContain('IT-HAS-STARTED');
    const script = `${assign}${start}`;
    await runGitScript({ script, args: [], cwd: 'x', isRead: false }, app.tools.context).catch(() => undefined);
    expect(hasStarted()).toBe(false);
  });

  test('works with what clones usually have, and with hooks, which are not started', async () => {
    await arrange(`cd x; git config user.name Somebody; git config user.email somebody@example.com
      git config core.hooksPath .husky; git config pull.rebase true; git config branch.main.description x
      git remote add a.b https://host/x; mkdir .husky; cp ../program .husky/pre-commit; cp ../program .husky/pre-push`);
    await app.run(gitCommit, { message: 'Mine', all: true, cwd: 'x' });
    await app.run(gitPush, { cwd: 'x' });
    expect(await app.server.log('app')).toEqual(['Mine', 'Begin']);
    expect(hasStarted()).toBe(false);
  });

  test.each([['--template=/work/x'], ['--templ=/work/x'], ['--separate-git-dir=/work/y'], ['--bare'], ['--']])(
    'cannot be made with the option %s of init',
    async (option) => {
      await expect(app.run(git, { args: ['init', option, 'new'], cwd: 'x' })).rejects.toMatchObject({
        kind: 'invalid_input',
        message: `The option ${option} is not allowed`,
      });
    },
  );
});
