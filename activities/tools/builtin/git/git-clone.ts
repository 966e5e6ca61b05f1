import { z } from 'zod';
import { GIT_KINDS, readRemoteAddress } from '../../../../domain/git-remotes.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { markOf, remoteOf, revisionParameter, runGitScript } from './repository.ts';

const DEPTH = 50;

/**
 * Clones into a folder of another name, marks it as that of the call, and renames it. So a folder of the right name is
 * whole, and a call that is repeated knows its own. Folders that others could not finish are removed, once no call can
 * be working on them. `$1` is the address, `$2` the folder, `$3` the mark, `$4` the depth, `$5` the branch or nothing.
 */
const SCRIPT = `
url=$1; folder=$2; mark=$3; depth=$4; branch=$5; unfinished=.everturn-clone-$mark
if test "$(cat "$folder/.git/everturn-clone" 2> /dev/null)" != "$mark"; then
  if test -e "$folder" && ! rmdir -- "$folder" 2> /dev/null; then
    echo "$folder is there already; name another folder, or bring it up to date with git_pull" >&2; exit 1
  fi
  find . -maxdepth 1 -name '.everturn-clone-*' -mmin +15 -exec rm -rf {} +
  rm -rf "$unfinished"
  set -- --quiet --template= --no-recurse-submodules
  test "$depth" = 0 || set -- "$@" --depth "$depth"
  test -z "$branch" || set -- "$@" --branch "$branch"
  if ! git clone "$@" -- "$url" "$unfinished"; then rm -rf "$unfinished"; exit 1; fi
  # A clone of few commits knows one branch only, and could not follow another one.
  git -C "$unfinished" config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' &&
    echo "$mark" > "$unfinished/.git/everturn-clone" &&
    mkdir -p -- "$(dirname "./$folder")" && mv -T -- "$unfinished" "$folder" || exit
fi
cd -- "$folder" || exit
open_repository
echo "Cloned $url into $folder."
if git rev-parse --verify --quiet HEAD > /dev/null; then
  echo "The branch is $(git branch --show-current), at $(git log -1 --format='%H: %s')"
  test "$(git rev-parse --is-shallow-repository)" = false || echo "Only the last $depth commits are there."
  test ! -f .gitmodules || echo 'Its submodules were left out.'
else
  echo 'It has no commits yet.'
fi
`;

const CLEANUP = 'rm -rf ".everturn-clone-$1"';

/** Clones a repository of another server into the workspace. */
export const gitClone = defineTool({
  key: 'git_clone',
  name: 'Git clone',
  description:
    'Clones a repository into a folder of the workspace, over https. Private repositories need an integration of the organization for their host; submodules are left out.',
  category: 'git',
  usesIntegration: GIT_KINDS,
  parameters: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe('Address of the repository, such as https://github.com/owner/name; without a user name or token.'),
    dir: z
      .string()
      .max(1_024)
      .optional()
      .describe('Folder of the workspace that is made for it; the name of the repository when left out.'),
    branch: revisionParameter('Branch or tag to check out; the default branch when left out.').optional(),
    depth: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe(`How many of the last commits to get, 0 for all; ${DEPTH} when left out.`),
  }),
  effect: 'keyed',
  timeoutSeconds: 400,
  needs: 'sandbox',
  label: ({ url }) => labelOf(url),
  run: async ({ url: given, dir, branch = '', depth = DEPTH }, context) => {
    const { url, name } = remoteOf(given);
    const folder = folderOf(dir ?? name);
    const mark = markOf(context.idempotencyKey);
    const args = [url, folder, mark, String(depth), branch];
    try {
      const clone = { script: SCRIPT, args, cwd: undefined, isRead: false, remote: { url }, isOutside: true };
      const { stdout } = await runGitScript(clone, context);
      return { value: stdout.toString().trimEnd(), isForeign: true };
    } catch (error) {
      // A clone that was ended, for example because the workspace was full, had no time to tidy up.
      if (error instanceof ToolFailure && error.kind === 'timeout') await tidyUp(mark, context);
      throw error;
    }
  },
});

// Viewers see it, and no user name or token that a model may have put into the address.
function labelOf(text: string): string {
  const address = readRemoteAddress(text);
  return 'issue' in address ? 'git clone' : `git clone ${address.url.slice(0, 100)}`;
}

function folderOf(dir: string): string {
  const names = filePath(dir);
  if (!names.includes('.git')) return names.join('/');
  throw new ToolFailure('invalid_input', 'A repository cannot be cloned into the .git folder of another one');
}

async function tidyUp(mark: string, context: ToolContext): Promise<void> {
  const cleanup = { script: CLEANUP, args: [mark], cwd: undefined, isRead: false, isOutside: true };
  await runGitScript(cleanup, context).catch(() => undefined);
}
