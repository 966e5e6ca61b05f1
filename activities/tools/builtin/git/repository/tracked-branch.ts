import type { ToolContext } from '../../../context.ts';
import { remoteOf } from './remote-of.ts';
import { runGitScript } from './run-git.ts';

/** A branch of a repository of another server, as the settings of a clone name it. */
export interface TrackedBranch {
  /** The name of the remote, such as `origin`. */
  readonly remote: string;
  readonly url: string;
  readonly branch: string;
}

interface Asked {
  readonly cwd: string | undefined;
  readonly remote: string | undefined;
  readonly branch: string | undefined;
}

/**
 * Sets `$remote`, `$branch` and `$url`, the branch that is meant: by default the one that the branch here follows when
 * something is fetched, and the one of the same name when something is pushed. `$1` is the remote, `$2` the branch,
 * `$3` what is to be done, `fetch` or `push`.
 */
export const TRACKED_BRANCH = `
remote=$1; branch=$2; access=$3; here=$(git branch --show-current)
git rev-parse --git-dir > /dev/null || exit
test -n "$here$branch" || { echo 'no branch is checked out: switch to one with git_branch, or name one' >&2; exit 1; }
test -n "$remote" || remote=$(git config --get "branch.$here.remote" || echo origin)
if test -z "$branch"; then
  followed=$(git config --get "branch.$here.merge")
  branch=$here
  test "$access" = push || test -z "$followed" || branch=\${followed#refs/heads/}
fi
url=$(git config --get "remote.$remote.url") || {
  echo "the repository has no remote $remote; it has: $(git remote | head -20 | tr '\\n' ' ')" >&2; exit 1
}
test "$access" = fetch || url=$(git config --get "remote.$remote.pushurl" || echo "$url")
git check-ref-format "refs/remotes/$remote/$branch" || { echo "$branch is no name of a branch" >&2; exit 1; }
`;

// The address is last: it may hold line breaks.
const SCRIPT = `${TRACKED_BRANCH}printf '%s\\n' "$remote" "$branch" "$url"`;

/** Finds out which branch of which repository is to be fetched. Throws a `ToolFailure` when it cannot be reached. */
export async function findTrackedBranch(asked: Asked, context: ToolContext): Promise<TrackedBranch> {
  const { cwd, remote: wanted = '', branch: named = '' } = asked;
  const args = [wanted, named, 'fetch'];
  const { stdout } = await runGitScript({ script: SCRIPT, args, cwd, isRead: true }, context);
  const [remote = '', branch = '', address = ''] = stdout.toString().split('\n');
  return { remote, branch, url: remoteOf(address).url };
}
