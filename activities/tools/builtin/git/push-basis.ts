import { z } from 'zod';
import type { ToolContext } from '../../context.ts';
import { NOTE } from './repository/notes.ts';
import { markOf, remoteOf } from './repository/remote-of.ts';
import { runGitScript } from './repository/run-git.ts';
import { TRACKED_BRANCH } from './repository/tracked-branch.ts';

/** What a push does: it is shown to the person who decides about it, and nothing else is pushed. */
export const PUSH_BASIS = z.strictObject({
  url: z.string(),
  remote: z.string(),
  branch: z.string(),
  commit: z.string(),
  /** The commit whose history may be replaced, as it was fetched last; empty for none, null when none may be. */
  replaced: z.string().nullable(),
});

export type PushBasis = z.output<typeof PUSH_BASIS>;

interface AskedPush {
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly remote?: string | undefined;
  readonly force_with_lease?: boolean | undefined;
}

/**
 * Prints the last commit of a branch and the one that was fetched last, or what an earlier attempt at the call has
 * noted, and where the branch goes. `$4` is the mark of the call; the address is last, as it may hold line breaks.
 */
const SCRIPT = `${TRACKED_BRANCH}
mark=$4
${NOTE}
if test -f "$note"; then
  read -r commit before < "$note"
  test "$before" != - || before=
else
  commit=$(git rev-parse --verify --quiet "refs/heads/$branch") || { echo "there is no branch $branch here" >&2; exit 1; }
  before=$(git rev-parse --verify --quiet "refs/remotes/$remote/$branch")
fi
printf '%s\\n' "$commit" "$before" "$remote" "$branch" "$url"
`;

/** Finds out what a push would do now. */
export async function basisOfPush(asked: AskedPush, context: ToolContext): Promise<PushBasis> {
  const { cwd, force_with_lease: isForced = false } = asked;
  const args = [asked.remote ?? '', asked.branch ?? '', 'push', markOf(context.idempotencyKey)];
  const { stdout } = await runGitScript({ script: SCRIPT, args, cwd, isRead: true }, context);
  const [commit = '', known = '', remote = '', branch = '', address = ''] = stdout.toString().split('\n');
  const { url } = remoteOf(address);
  return { url, remote, branch, commit, replaced: isForced ? known : null };
}
