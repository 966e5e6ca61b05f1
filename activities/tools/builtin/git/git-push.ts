import { z } from 'zod';
import { GIT_KINDS } from '../../../../domain/git-remotes/index.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cwdParameter, revisionParameter } from './cwd-parameter.ts';
import { describePush } from './describe-push.ts';
import { basisOfPush, PUSH_BASIS } from './push-basis.ts';
import { NOTE, NOTES } from './repository/notes.ts';
import { markOf } from './repository/remote-of.ts';
import { runGitScript } from './repository/run-git.ts';

/**
 * What both scripts begin with. `$1` is the mark of the call, `$2` the address, `$3` the remote, `$4` the branch, `$5`
 * whether another history may be replaced, `$6` whether the branch is to follow that of the server, `$7` the commit and
 * `$8` the one that it replaces, if any.
 */
const BEGIN = `
mark=$1; url=$2; remote=$3; branch=$4; force=$5; follow=$6; commit=$7; before=$8
ref=refs/heads/$branch; tracking=refs/remotes/$remote/$branch
at_server() {
  list=$(git ls-remote "$url" "$ref") || return
  now=$(printf '%s\\n' "$list" | while read -r commit name; do test "$name" != "$ref" || echo "$commit"; done)
}
pushed() {
  git update-ref "$tracking" "$commit"
  if test "$follow" = yes; then
    git config "branch.$branch.remote" "$remote" && git config "branch.$branch.merge" "$ref" || exit
  fi
  done_with "$remote/$branch is at $(git log -1 --format='%H: %s' "$commit")$1"
  exit
}
`;

/**
 * Notes what is pushed, and prints what the server has before after the word `push`. A call that is repeated finds out
 * whether the server has the commit: as the last one of the branch, or below others that somebody has pushed since.
 */
const PREPARE = `${BEGIN}${NOTES}
at_server || exit
again=yes
test -f "$note" || { again=no; write_note "$commit \${before:--}" || exit; }
test "$now" != "$commit" || pushed '; it was there already.'
fits() {
  if test "$force" = yes; then test "$now" = "$before"; else git merge-base --is-ancestor "$now" "$commit" 2> /dev/null; fi
}
if test -n "$now" && ! fits; then
  git fetch --quiet --no-tags "$url" "$ref" || exit
  if test "$force$again" != yesno && git merge-base --is-ancestor "$commit" FETCH_HEAD; then
    done_with "$remote/$branch has all commits of $branch, and others besides: bring them here with git_pull."; exit
  fi
  echo "$remote/$branch has commits that are not known here, and a push never replaces those: bring them in with git_pull" >&2
  exit 1
fi
echo "push \${now:--}"
`;

/**
 * Pushes the commit in the place of the other one, or of nothing, and asks the server what it has when that failed.
 * Nothing but this can be pushed meanwhile, whatever else runs.
 */
const PUSH = `${BEGIN}${NOTE}
if test "$force" = yes; then set -- "--force-with-lease=$ref:$before"; else set --; fi
git push --quiet "$@" "$url" "$commit:$ref" && pushed .
failed=$?
at_server && test "$now" = "$commit" && pushed .
exit $failed
`;

const PREPARED = /^push (?<from>[0-9a-f]{40,64}|-)$/;

/** Pushes a branch to another server. */
export const gitPush = defineTool({
  key: 'git_push',
  name: 'Git push',
  description:
    'Pushes a branch to the server that a repository was cloned from. Commits that others have pushed are never replaced unseen: bring them in with `git_pull` first.',
  category: 'git',
  usesIntegration: GIT_KINDS,
  parameters: z.strictObject({
    branch: revisionParameter('Branch to push, to one of the same name; the one checked out when left out.').optional(),
    remote: revisionParameter(
      'Name of the remote; the one that the branch follows, or origin, when left out.',
    ).optional(),
    set_upstream: z.boolean().optional().describe('Makes the branch follow the one it was pushed to.'),
    force_with_lease: z
      .boolean()
      .optional()
      .describe(
        'Replaces the history of the branch there, as long as it is the one that was fetched last. Only for a branch that nobody else works on.',
      ),
    cwd: cwdParameter,
  }),
  effect: 'keyed',
  approval: 'writes',
  timeoutSeconds: 400,
  needs: 'sandbox',
  label: ({ branch = '' }) => `git push ${branch}`.trimEnd(),
  describe: async ({ cwd, ...asked }, context) =>
    describePush({ cwd, basis: await basisOfPush({ cwd, ...asked }, context) }, context),
  run: async ({ cwd, ...options }, context, approvedBasis) => {
    const { force_with_lease: isForced = false, set_upstream: isFollowed = false } = options;
    // Whatever has become of the branch since, what was approved is pushed.
    const basis = PUSH_BASIS.parse(approvedBasis ?? (await basisOfPush({ cwd, ...options }, context)));
    const { url, remote, branch, commit, replaced } = basis;
    const flags = [isForced, isFollowed].map((flag) => (flag ? 'yes' : 'no'));
    const begin = [markOf(context.idempotencyKey), url, remote, branch, ...flags, commit];
    const prepare = { script: PREPARE, args: [...begin, replaced ?? ''], cwd, isRead: false, remote: { url } };
    const prepared = (await runGitScript(prepare, context)).stdout.toString().trimEnd();
    const { from } = PREPARED.exec(prepared)?.groups ?? {};
    if (from === undefined) return { value: prepared, isForeign: true };
    const update = { ref: `refs/heads/${branch}`, from: from === '-' ? undefined : from, to: commit };
    const push = { ...prepare, script: PUSH, args: [...begin, update.from ?? ''], remote: { url, update } };
    const { stdout } = await runGitScript(push, context).catch(rejectAsUncertain);
    return { value: stdout.toString().trimEnd(), isForeign: true };
  },
});

// The server may have taken what it could not confirm.
function rejectAsUncertain(error: unknown): never {
  if (!(error instanceof ToolFailure) || (error.kind !== 'timeout' && error.kind !== 'upstream')) throw error;
  const { kind, message, isForeign } = error;
  throw new ToolFailure(kind, message, { isUncertain: true, isForeign, cause: error });
}
