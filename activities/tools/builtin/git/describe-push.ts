import { cut } from '../../../../domain/core/text.ts';
import type { ToolContext } from '../../context.ts';
import type { CallDescription } from '../../tool.ts';
import { NOTE } from './repository/notes.ts';
import { markOf } from './repository/remote-of.ts';
import { runGitScript } from './repository/run-git.ts';
import type { TrackedBranch } from './repository/tracked-branch.ts';

interface Push {
  readonly cwd: string | undefined;
  readonly branch: TrackedBranch;
  /** Whether another history may be replaced. */
  readonly isForced: boolean;
}

/** How many commits are shown of each list, and how much of each. */
const MAX_COMMITS = 20;
const MAX_LINE = 120;

/**
 * Prints what a push would push and what it would replace, as far as is known here: the commit, then each list as its
 * length and its first commits. `$1` is the mark of the call, `$2` the remote, `$3` the branch.
 */
const SCRIPT = `
mark=$1; remote=$2; branch=$3; ref=refs/heads/$branch; tracking=refs/remotes/$remote/$branch
${NOTE}
if test -f "$note"; then
  read -r commit before < "$note"
else
  commit=$(git rev-parse --verify --quiet "$ref") || { echo "there is no branch $branch here" >&2; exit 1; }
fi
known=$(git rev-parse --verify --quiet "$tracking")
list() {
  git rev-list --count "$@" && git log -n ${MAX_COMMITS} --no-decorate --abbrev=12 --format='%h %s' "$@"
}
echo "$commit"
echo "$known"
if test -n "$known"; then list "$commit" "^$known"; else list "$commit" --not --remotes="$remote"; fi || exit
echo
test -z "$known" || list "$known" "^$commit"
`;

/** Describes a push for the person who decides about it: where it goes, and which commits it brings or replaces. */
export async function describePush({ cwd, branch, isForced }: Push, context: ToolContext): Promise<CallDescription> {
  const { url, remote, branch: name } = branch;
  const args = [markOf(context.idempotencyKey), remote, name];
  const { stdout } = await runGitScript({ script: SCRIPT, args, cwd, isRead: true }, context);
  const [commit = '', known = '', ...lines] = stdout.toString().trimEnd().split('\n');
  const end = lines.indexOf('');
  const [brought, replaced] = end === -1 ? [lines, []] : [lines.slice(0, end), lines.slice(end + 1)];
  const details = [
    { label: 'Repository', value: url },
    { label: 'Branch', value: visible(name) },
    { label: 'Commits', value: shownList(brought) ?? `${commit}, which is there already` },
    ...(isForced ? [{ label: 'Commits that are replaced', value: shownList(replaced) ?? 'none' }] : []),
  ];
  return { details, basis: { url, branch: name, commit, replaced: isForced ? known : null } };
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
