import { z } from 'zod';
import { GIT_KINDS } from '../../../../domain/git-remotes.ts';
import { defineTool } from '../../define-tool.ts';
import { cwdParameter, findTrackedBranch, markOf, NOTES, revisionParameter, runGitScript } from './repository.ts';

/**
 * Fetches a branch, works out what the files are to become, notes it, changes them, and moves the branch last. So a
 * repeated call continues where the first one was ended, and may change what the first one could. `$1` is the mark of
 * the call, `$2` the mode, `$3` the address, `$4` the remote, `$5` the branch.
 */
const SCRIPT = `
mark=$1; mode=$2; url=$3; remote=$4; branch=$5
${NOTES}
head=$(git rev-parse --verify --quiet HEAD)
if ! test -f "$note"; then
  test ! -f "$folder/MERGE_HEAD" || {
    echo 'a merge has not ended: finish it with git_commit, or drop it with the mode abort' >&2; exit 1
  }
  git fetch --quiet "$url" "+refs/heads/$branch:refs/remotes/$remote/$branch" || exit
  theirs=$(git rev-parse --verify "refs/remotes/$remote/$branch") || exit
  if test -n "$head" && git merge-base --is-ancestor "$theirs" HEAD; then
    done_with "Nothing is new: $(git branch --show-current) has all commits of $remote/$branch."; exit
  fi
  commit=$theirs; tree=$theirs; merged=
  if test -n "$head" && ! git merge-base --is-ancestor HEAD "$theirs"; then
    if test "$mode" = ff_only; then
      echo "$remote/$branch has new commits, and so has the branch here: use the mode merge" >&2; exit 1
    fi
    made=$(git merge-tree --write-tree --no-messages HEAD "$theirs")
    case $? in 0) merged=yes;; 1) merged=no;; *) exit 1;; esac
    tree=\${made%%
*}
    if test $merged = yes; then
      name=$(git config user.name || echo 'Everturn agent')
      email=$(git config user.email || echo 'agent@everturn.invalid')
      commit=$(GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$email GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email \
        git commit-tree "$tree" -p "$head" -p "$theirs" -m "Merge $remote/$branch") || exit
    else
      printf '%s\\n' "$made" | sed '1d' > "$note.conflicts"
      commit=
    fi
  fi
  git update-index -q --refresh
  git read-tree -m -u --dry-run "\${head:-$(git hash-object -t tree /dev/null)}" "$tree" || {
    echo 'nothing was changed: commit these files first, or stash them' >&2; exit 1
  }
  write_note "\${head:--} $tree \${commit:--} $theirs" || exit
  how=-m
fi
read -r old tree commit theirs < "$note"
test "$old" != - || { old=$(git hash-object -t tree /dev/null); head=$old; }
if test "$(git rev-parse --verify --quiet HEAD)" != "$commit" && test ! -f "$folder/MERGE_HEAD"; then
  test "$head" = "$old" || { echo 'the branch was moved in the meantime' >&2; exit 1; }
  git read-tree "\${how:---reset}" -u "$old" "$tree" || exit
fi
if test "$commit" = -; then
  echo "Merge $remote/$branch" > "$folder/MERGE_MSG"
  echo "$theirs" > "$folder/MERGE_HEAD"
  none=$(printf '%s' "$tree" | tr '0-9a-f' 0)
  { cut -f2- "$note.conflicts" | sort -u | sed "s/^/0 $none\\t/"; cat "$note.conflicts"; } |
    git update-index --index-info || exit
  done_with "$remote/$branch was merged, with conflicts that are marked in these files:
$(cut -f2- "$note.conflicts" | sort -u)
Edit them, then git_commit with their paths; git_pull with the mode abort drops the merge."
  exit
fi
git update-ref -m "pull: $remote/$branch" HEAD "$commit" || exit
done_with "Pulled $remote/$branch: the branch is at $(git log -1 --format='%H: %s').
$(git diff --shortstat "$old" "$commit")
$(test "$(git cat-file -t "$old")" = tree || git log --oneline --no-decorate -n 20 "$old..$commit")"
`;

const ABORT = `
mark=$1
${NOTES}
test -f "$folder/MERGE_HEAD" || { echo 'There is no merge to drop.'; exit; }
write_note abort && git merge --abort && done_with 'The merge was dropped; the files are as in the last commit of the branch.'
`;

/** Brings a branch up to date with that of another server. */
export const gitPull = defineTool({
  key: 'git_pull',
  name: 'Git pull',
  description:
    'Fetches a branch of the server that a repository was cloned from, and brings the branch that is checked out up to date with it. Files that have changed and are not committed are never overwritten.',
  category: 'git',
  usesIntegration: GIT_KINDS,
  parameters: z.strictObject({
    remote: revisionParameter(
      'Name of the remote; the one that the branch follows, or origin, when left out.',
    ).optional(),
    branch: revisionParameter('Branch there; the one that the branch here follows when left out.').optional(),
    mode: z
      .enum(['ff_only', 'merge', 'abort'])
      .optional()
      .describe(
        'ff_only, the default: only when there are no own commits. merge: makes a merge commit then, or leaves conflicts to edit and commit. abort: fetches nothing and drops a merge with conflicts.',
      ),
    cwd: cwdParameter,
  }),
  effect: 'keyed',
  timeoutSeconds: 400,
  needs: 'sandbox',
  label: ({ branch = '', mode = '' }) => `git pull ${branch} ${mode}`.trimEnd(),
  run: async ({ remote: wanted, branch: named, mode = 'ff_only', cwd }, context) => {
    const mark = markOf(context.idempotencyKey);
    if (mode === 'abort') {
      const { stdout, isForeign } = await runGitScript({ script: ABORT, args: [mark], cwd, isRead: false }, context);
      return { value: stdout.toString().trimEnd(), isForeign };
    }
    const { url, remote, branch } = await findTrackedBranch({ cwd, remote: wanted, branch: named }, context);
    const args = [mark, mode, url, remote, branch];
    const pull = { script: SCRIPT, args, cwd, isRead: false, remote: { url } };
    const { stdout } = await runGitScript(pull, context);
    return { value: stdout.toString().trimEnd(), isForeign: true };
  },
});
