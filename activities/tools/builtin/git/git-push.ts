import { z } from 'zod';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { cwdParameter, revisionParameter } from './cwd-parameter.ts';
import { describePush } from './describe-push.ts';
import { NOTE, NOTES } from './repository/notes.ts';
import { markOf } from './repository/remote-of.ts';
import { runGitScript } from './repository/run-git.ts';
import { findTrackedBranch } from './repository/tracked-branch.ts';

/**
 * What both scripts begin with. `$1` is the mark of the call, `$2` the address, `$3` the remote, `$4` the branch, `$5`
 * whether another history may be replaced, `$6` whether the branch is to follow that of the server.
 */
const BEGIN = `
mark=$1; url=$2; remote=$3; branch=$4; force=$5; follow=$6; ref=refs/heads/$branch; tracking=refs/remotes/$remote/$branch
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
 * Notes what is pushed and what the server has to have before, and prints both after the word `push`. A call that is
 * repeated pushes what the first one has noted, and finds out whether the server has it: as the last commit of the
 * branch, or below others that somebody has pushed since.
 */
const PREPARE = `${BEGIN}${NOTES}
at_server || exit
again=yes
if ! test -f "$note"; then
  again=no
  commit=$(git rev-parse --verify --quiet "$ref") || { echo "there is no branch $branch here" >&2; exit 1; }
  before=$now
  if test "$force" = yes && test -n "$now"; then
    before=$(git rev-parse --verify --quiet "$tracking") || {
      echo "it is not known here what $remote/$branch has: look with git_pull first" >&2; exit 1
    }
  fi
  write_note "$commit \${before:--}" || exit
fi
read -r commit before < "$note"
test "$before" != - || before=
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
test "$force" = yes || before=$now
echo "push $commit \${before:--}"
`;

/**
 * Pushes the commit `$7` in the place of `$8`, or of nothing, and asks the server what it has when that failed. Nothing
 * but this can be pushed meanwhile, whatever else runs.
 */
const PUSH = `${BEGIN}${NOTE}
commit=$7; before=$8
if test "$force" = yes; then set -- "--force-with-lease=$ref:$before"; else set --; fi
git push --quiet "$@" "$url" "$commit:$ref" && pushed .
failed=$?
at_server && test "$now" = "$commit" && pushed .
exit $failed
`;

const PREPARED = /^push (?<to>[0-9a-f]{40,64}) (?<from>[0-9a-f]{40,64}|-)$/;

/** Pushes a branch to another server. */
export const gitPush = defineTool({
  key: 'git_push',
  name: 'Git push',
  description:
    'Pushes a branch to the server that a repository was cloned from. Commits that others have pushed are never replaced unseen: bring them in with `git_pull` first.',
  category: 'git',
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
  describe: async ({ branch, remote, cwd, force_with_lease: isForced = false }, context) => {
    const pushed = await findTrackedBranch({ cwd, remote, branch, access: 'push' }, context);
    return describePush({ cwd, branch: pushed, isForced }, context);
  },
  run: async ({ branch: named, remote: wanted, cwd, ...options }, context) => {
    const { force_with_lease: isForced = false, set_upstream: isFollowed = false } = options;
    const { url, remote, branch } = await findTrackedBranch(
      { cwd, remote: wanted, branch: named, access: 'push' },
      context,
    );
    const flags = [isForced, isFollowed].map((flag) => (flag ? 'yes' : 'no'));
    const call = { args: [markOf(context.idempotencyKey), url, remote, branch, ...flags], cwd, isRead: false };
    const prepared = await runGitScript({ ...call, script: PREPARE, remote: { url } }, context);
    const { from = '', to } = PREPARED.exec(prepared.stdout.toString().trimEnd())?.groups ?? {};
    if (to === undefined) return { value: prepared.stdout.toString().trimEnd(), isForeign: true };
    const update = { ref: `refs/heads/${branch}`, from: from === '-' ? undefined : from, to };
    const args = [...call.args, to, update.from ?? ''];
    const push = { ...call, script: PUSH, args, remote: { url, update } };
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
