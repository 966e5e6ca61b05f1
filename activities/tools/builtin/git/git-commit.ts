import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { FILE_PATH, pathParameter } from '../parameters.ts';
import { cwdParameter, runGitScript } from './repository.ts';

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
  test "$(git rev-parse --verify --quiet "$made^1")" = "$head" || { echo 'the branch was moved meanwhile' >&2; exit 1; }
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
