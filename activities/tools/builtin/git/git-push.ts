import { z } from 'zod';
import { cut } from '../../../../domain/core/text.ts';
import { GIT_KINDS } from '../../../../domain/git-remotes.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { CallDescription } from '../../tool.ts';
import {
  cwdParameter,
  markOf,
  NOTE,
  NOTES,
  remoteOf,
  revisionParameter,
  runGitScript,
  TRACKED_BRANCH,
} from './repository.ts';

/**
 * The beginning of both scripts. `$1` is the mark of the call, `$2` the address, `$3` the remote, `$4` the branch, `$5`
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
 * Records what is pushed, and prints, after the word `push`, what the server had before. A call that is repeated finds
 * out whether the server has the commit: as the last one of the branch, or below others that somebody has pushed since.
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
 * Pushes the commit in place of the other one, or of nothing, and reads what the server has when that failed. Nothing
 * but this can be pushed, whatever else runs.
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

interface Push {
  readonly cwd: string | undefined;
  readonly basis: PushBasis;
}

/** How many commits are shown of each list, and how much of each. */
const MAX_COMMITS = 20;
const MAX_LINE = 120;
const UNKNOWN = 'Not known: the branch there has commits that were not fetched';
const CUT = '\nand all before them that are not in this repository, which was cloned without its older commits';

/**
 * Prints what a push would push and what it would replace, by what the server has: how far that is known here, then
 * each list as its length and its first commits. What is not replaced is left out of both. `$1` is the address, `$2`
 * the branch, `$3` the commit.
 */
const PUSHED_SCRIPT = `
url=$1; ref=refs/heads/$2; commit=$3
heads=$(git ls-remote --heads "$url") || exit
now=$(printf '%s\\n' "$heads" | while read -r id name; do test "$name" != "$ref" || echo "$id"; done)
known=$(printf '%s\\n' "\${now:-$heads}" | cut -f1 | git cat-file --batch-check='%(objectname) %(objecttype)' | sed -n 's/ commit$//p')
list() { printf '%s\\n' "$revisions" | git "$@" --stdin; }
both() { list rev-list --count && list log -n ${MAX_COMMITS} --no-decorate --abbrev=12 --format='%h %s'; }
revisions="$commit
$(printf '%s' "$known" | sed 's/^/^/')"
if test -n "$now" && test -z "$known"; then echo unknown
elif list rev-list | grep -qxFf "$GIT_DIR/shallow" 2> /dev/null; then echo cut
else echo whole; fi
both || exit
echo
test -n "$now" && test -n "$known" || exit 0
revisions="$now
^$commit"
both
`;

/** Describes a push for the person who decides about it: where it goes, and which commits it brings or replaces. */
async function describePush({ cwd, basis }: Push, context: ToolContext): Promise<CallDescription> {
  const { url, branch, commit, replaced: lease } = basis;
  const args = [url, branch, commit];
  const { stdout } = await runGitScript({ script: PUSHED_SCRIPT, args, cwd, isRead: true, remote: { url } }, context);
  const [extent = '', ...lines] = stdout.toString().trimEnd().split('\n');
  const end = lines.indexOf('');
  const [brought, replaced] = end === -1 ? [lines, []] : [lines.slice(0, end), lines.slice(end + 1)];
  const commits = shownList(brought) ?? `${commit}, which is there already`;
  const isUnknown = extent === 'unknown';
  const details = [
    { label: 'Repository', value: url },
    { label: 'Branch', value: visible(branch) },
    { label: 'Commits', value: isUnknown ? UNKNOWN : `${commits}${extent === 'cut' ? CUT : ''}` },
    ...(lease === null
      ? []
      : [{ label: 'Commits that are replaced', value: isUnknown ? UNKNOWN : (shownList(replaced) ?? 'none') }]),
  ];
  return { details, basis };
}

function shownList([count = '0', ...commits]: readonly string[]): string | undefined {
  const left = Number(count) - commits.length;
  const lines = commits.map((line) => cut(visible(line), MAX_LINE));
  return lines.length === 0 ? undefined : [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}

// Characters that are not seen, or that turn the direction of others, would show something else than there is.
function visible(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}

/** The effect of a push: it is shown to the person who decides about it, and nothing else is pushed. */
const PUSH_BASIS = z.strictObject({
  url: z.string(),
  remote: z.string(),
  branch: z.string(),
  commit: z.string(),
  /** The commit whose history may be replaced, as it was fetched last; empty for none, null when none may be. */
  replaced: z.string().nullable(),
});

type PushBasis = z.output<typeof PUSH_BASIS>;

interface AskedPush {
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly remote?: string | undefined;
  readonly force_with_lease?: boolean | undefined;
}

/**
 * Prints the last commit of a branch and the one that was fetched last, or what an earlier attempt at the call has
 * noted, and where the branch goes. `$4` is the mark of the call; the address is last, as it may contain line breaks.
 */
const BASIS_SCRIPT = `${TRACKED_BRANCH}
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
async function basisOfPush(asked: AskedPush, context: ToolContext): Promise<PushBasis> {
  const { cwd, force_with_lease: isForced = false } = asked;
  const args = [asked.remote ?? '', asked.branch ?? '', 'push', markOf(context.idempotencyKey)];
  const { stdout } = await runGitScript({ script: BASIS_SCRIPT, args, cwd, isRead: true }, context);
  const [commit = '', known = '', remote = '', branch = '', address = ''] = stdout.toString().split('\n');
  const { url } = remoteOf(address);
  return { url, remote, branch, commit, replaced: isForced ? known : null };
}
