import { cut } from '../../../../domain/core/text.ts';
import type { ToolContext } from '../../context.ts';
import type { CallDescription } from '../../tool.ts';
import type { PushBasis } from './push-basis.ts';
import { runGitScript } from './repository/run-git.ts';

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
const SCRIPT = `
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
export async function describePush({ cwd, basis }: Push, context: ToolContext): Promise<CallDescription> {
  const { url, branch, commit, replaced: lease } = basis;
  const args = [url, branch, commit];
  const { stdout } = await runGitScript({ script: SCRIPT, args, cwd, isRead: true, remote: { url } }, context);
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
