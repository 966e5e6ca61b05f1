import { z } from 'zod';
import { createHash } from 'node:crypto';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cwdParameter, revisionParameter, runGit, runGitScript } from './repository.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';
import { shownOutput } from '../shell/shown-output.ts';
import type { RunEffect } from '../../tool.ts';

const READS = ['status', 'log', 'show', 'blame', 'ls-files', 'rev-parse'] as const;
const COMMANDS = [...READS, 'tag', 'stash', 'restore', 'init'] as const;
type Command = (typeof COMMANDS)[number];

/** Options that start programs, or that write where they like. */
const REFUSED = /^--(?:upload-pack|receive-pack|exec|ext-diff|textconv|output|config-env|open-files-in-pager)\b/;
/** The options that `init` may have: others copy settings, or put the repository where tools may write. */
const OF_INIT = /^(?:-q|--quiet|-b.*|--initial-branch(?:=.*)?|--object-format=sha(?:1|256))$/s;

const parameters = z.strictObject({
  args: z
    .array(z.string().min(1).max(4_096))
    .min(1)
    .max(100)
    .describe(
      `What follows \`git\`: one of ${COMMANDS.join(', ')}, and its arguments, such as ["log", "--oneline", "-5"].`,
    ),
  cwd: cwdParameter,
});

type Arguments = z.output<typeof parameters>;

/** Runs one of the commands of git that have no tool of their own. */
export const git = defineTool({
  key: 'git',
  name: 'Git',
  description:
    'Runs a git command in a repository of the workspace. For commits, differences and branches there are `git_commit`, `git_diff` and `git_branch`.',
  category: 'git',
  parameters,
  effect: 'once',
  timeoutSeconds: 90,
  needs: 'sandbox',
  effectOf,
  label: ({ args }) => `git ${args.join(' ').slice(0, 100)}`,
  run: async (call, context) => {
    const { args, cwd } = call;
    const isInit = commandOf(args) === 'init';
    const refused = args.find((arg) => REFUSED.test(arg) || (isInit && arg.startsWith('-') && !OF_INIT.test(arg)));
    if (refused !== undefined)
      throw new ToolFailure('invalid_input', `The option ${refused.slice(0, 100)} is not allowed`);
    const ending = await runGit({ args, cwd, isRead: effectOf(call) === 'read', isOutside: isInit }, context);
    return { value: await shownOutput(ending, 'stdout', context), isForeign: ending.isForeign };
  },
});

function commandOf([name = '']: readonly string[]): Command {
  const command = COMMANDS.find((each) => each === name);
  if (command !== undefined) return command;
  throw new ToolFailure('invalid_input', `args must begin with one of ${COMMANDS.join(', ')}`);
}

// Stashes and tags get a new number or name each time; to restore and to begin twice is the same as once.
function effectOf({ args }: Arguments): RunEffect {
  const [name = '', ...rest] = args;
  if (READS.some((read) => read === name)) return 'read';
  if (name === 'restore' || name === 'init') return 'keyed';
  if (name === 'tag') return rest.length === 0 || rest[0] === '-l' || rest[0] === '--list' ? 'read' : 'once';
  return name === 'stash' && (rest[0] === 'list' || rest[0] === 'show') ? 'read' : 'once';
}

const branchParameters = z.strictObject({
  action: z.enum(['list', 'create', 'switch', 'delete']).describe('What to do. All but `list` need name.'),
  name: revisionParameter('Name of the branch.').optional(),
  from: revisionParameter(
    'With create: the commit, branch or tag that it begins at; the last commit when left out.',
  ).optional(),
  cwd: cwdParameter,
});

type BranchArguments = z.output<typeof branchParameters>;

/**
 * The script of each action, with the name as `$1` and the beginning as `$2`. Running it twice has the effect of
 * running it once.
 */
const SCRIPTS: Readonly<Record<BranchArguments['action'], string>> = {
  list: 'git branch --all --verbose --no-abbrev --no-color',
  create: `commit=$(git rev-parse --verify --quiet "$2^{commit}") || { echo "there is no commit $2" >&2; exit 1; }
    test "$(git rev-parse --verify --quiet "refs/heads/$1")" = "$commit" || git branch -- "$1" "$2" || exit
    echo "The branch $1 is at $commit."`,
  switch: 'git switch --quiet -- "$1" && echo "The branch is $1 now."',
  delete: `git rev-parse --verify --quiet "refs/heads/$1" > /dev/null || { echo "There is no branch $1."; exit; }
    git branch --delete -- "$1"`,
};

/** Lists and changes branches. */
export const gitBranch = defineTool({
  key: 'git_branch',
  name: 'Git branches',
  description:
    'Lists, creates, switches and deletes branches of a repository. A branch is deleted only when its commits are in another one.',
  category: 'git',
  parameters: branchParameters,
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 90,
  needs: 'sandbox',
  effectOf: ({ action }) => (action === 'list' ? 'read' : 'keyed'),
  approvalOf: ({ action }) => (action === 'delete' ? 'writes' : 'never'),
  label: ({ action, name = '' }) => `git branch: ${action} ${name}`.trim(),
  run: async ({ action, name, from = 'HEAD', cwd }, context) => {
    if (action !== 'list' && name === undefined)
      throw new ToolFailure('invalid_input', `The action ${action} requires name`);
    const args = name === undefined ? [] : [name, from];
    const ending = await runGitScript({ script: SCRIPTS[action], args, cwd, isRead: action === 'list' }, context);
    return { value: ending.stdout.toString().trimEnd(), isForeign: ending.isForeign };
  },
});

/** Shows a difference. */
export const gitDiff = defineTool({
  key: 'git_diff',
  name: 'Git diff',
  description:
    'Shows what differs: between the last commit and the files, which are staged with `staged`, between a commit and the files (`from`), or between two commits (`from` and `to`).',
  category: 'git',
  parameters: z.strictObject({
    from: revisionParameter('Commit, branch or tag to compare with.').optional(),
    to: revisionParameter('Commit, branch or tag to compare `from` with; the files when left out.').optional(),
    paths: z.array(pathParameter(FILE_PATH)).max(100).optional().describe('Only these files and folders.'),
    staged: z.boolean().optional().describe('Compares what is staged instead of the files.'),
    stat: z.boolean().optional().describe('Only the names of files and how many lines differ.'),
    cwd: cwdParameter,
  }),
  effect: 'read',
  timeoutSeconds: 90,
  needs: 'sandbox',
  run: async ({ from, to, paths = [], staged = false, stat = false, cwd }, context) => {
    const args = [
      'diff',
      ...(staged ? ['--staged'] : []),
      ...(stat ? ['--stat'] : []),
      ...[from, to].filter((revision) => revision !== undefined),
      '--',
      ...paths,
    ];
    const ending = await runGit({ args, cwd, isRead: true }, context);
    const text = await shownOutput(ending, 'stdout', context);
    return { value: text === '' ? 'Nothing differs.' : text, isForeign: ending.isForeign };
  },
});

const MAX_MESSAGE = 10_000;

/**
 * Makes the commit without showing it, notes it under the name of the call, and moves the branch to it. A call that is
 * repeated finds the note, and moves the branch unless that was done; so it never makes a second commit. `$1` is the
 * note, `$2` what is staged: `all`, `paths` (those that follow) or `nothing`.
 */
const SCRIPT = `
note=$1; staged=$2; shift 2
head=$(git rev-parse --verify --quiet HEAD)
made=$(git rev-parse --verify --quiet "$note")
if test -z "$made"; then
  case $staged in
    all) git add --all || exit;;
    paths) git add --all -- "$@" || exit;;
  esac
  tree=$(git write-tree) || exit
  folder=$(git rev-parse --git-dir)
  merged=$(cat "$folder/MERGE_HEAD" 2> /dev/null)
  if test -n "$head" && test -z "$merged" && test "$tree" = "$(git rev-parse 'HEAD^{tree}')"; then
    echo 'nothing has changed that could be committed' >&2; exit 1
  fi
  set --
  for parent in $head $merged; do set -- "$@" -p "$parent"; done
  name=$(git config user.name || echo 'Everturn agent')
  email=$(git config user.email || echo 'agent@everturn.invalid')
  made=$(GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$email GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email \
    git commit-tree "$tree" "$@" -F -) || exit
  git update-ref "$note" "$made" || exit
fi
if test -z "$head" || ! git merge-base --is-ancestor "$made" HEAD; then
  test "$(git rev-parse --verify --quiet "$made^1")" = "$head" || { echo 'the branch was moved in the meantime' >&2; exit 1; }
  git update-ref -m "commit: $(git show -s --format=%s "$made")" HEAD "$made" "$head" || exit
  folder=$(git rev-parse --git-dir)
  rm -f "$folder/MERGE_HEAD" "$folder/MERGE_MSG" "$folder/MERGE_MODE"
fi
git show --stat --format='commit %H%n%s%n' "$made"
`;

/** Makes a commit. */
export const gitCommit = defineTool({
  key: 'git_commit',
  name: 'Git commit',
  description:
    'Stages files and makes a commit: what is staged already, with `paths` these files and folders too, with `all` everything that has changed. Write in the message what the change is for.',
  category: 'git',
  parameters: z.strictObject({
    message: z.string().min(1).max(MAX_MESSAGE).describe('A line that says what changes, and why below it.'),
    paths: z
      .array(pathParameter(FILE_PATH))
      .max(200)
      .optional()
      .describe('Files and folders to stage, relative to cwd.'),
    all: z.boolean().optional().describe('Stages every change, new files too.'),
    cwd: cwdParameter,
  }),
  effect: 'keyed',
  timeoutSeconds: 90,
  needs: 'sandbox',
  label: ({ message }) => `git commit: ${message.slice(0, 100).split('\n', 1)[0]}`,
  run: async ({ message, paths = [], all = false, cwd }, context) => {
    if (message.trim() === '') throw new ToolFailure('invalid_input', 'A commit needs a message');
    const staged = all ? 'all' : paths.length > 0 ? 'paths' : 'nothing';
    const args = [noteOf(context.idempotencyKey), staged, ...paths];
    const stdin = `${message.trim()}\n`;
    const ending = await runGitScript({ script: SCRIPT, args, stdin, cwd, isRead: false }, context);
    return { value: ending.stdout.toString().trim(), isForeign: ending.isForeign };
  },
});

function noteOf(key: string): string {
  return `refs/everturn/${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}
