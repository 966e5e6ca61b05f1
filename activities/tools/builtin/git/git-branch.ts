import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cwdParameter, revisionParameter, runGitScript } from './repository.ts';

const parameters = z.strictObject({
  action: z.enum(['list', 'create', 'switch', 'delete']).describe('What to do. All but `list` need name.'),
  name: revisionParameter('Name of the branch.').optional(),
  from: revisionParameter(
    'With create: the commit, branch or tag that it begins at; the last commit when left out.',
  ).optional(),
  cwd: cwdParameter,
});

type Arguments = z.output<typeof parameters>;

/** What each action does, with the name as `$1` and the beginning as `$2`. Done twice, it is done once. */
const SCRIPTS: Readonly<Record<Arguments['action'], string>> = {
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
  parameters,
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
