/**
 * The keys of a repository's settings that name no program and no other repository: what git writes by itself, and
 * common preferences. `core.hooksPath` is among them because it is always overridden.
 */
const HARMLESS = [
  'core.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|hookspath)',
  'core.(abbrev|autocrlf|eol|quotepath|safecrlf|whitespace)',
  'extensions.(objectformat|refstorage)',
  'user.(name|email)',
  'remote.pushdefault',
  'remote..+.(url|pushurl|fetch|prune|tagopt)',
  'branch..+.(remote|merge|rebase|pushremote|description)',
  'advice.[a-z]+',
  'color.ui',
  'diff.(algorithm|renames)',
  'fetch.prune',
  'init.defaultbranch',
  'merge.(conflictstyle|ff|renames)',
  'pull.(ff|rebase)',
  'push.(autosetupremote|default|followtags)',
].map((key) => key.replaceAll(/\.(?!\+)/g, String.raw`\.`));

/**
 * Refuses repositories that lead to another one or have a setting that is not harmless. Git reads the settings as those
 * of any file: it follows nothing in them.
 */
const CHECK = `
refuse() { echo "the repository \${folder#/work/} cannot be used: $1" >&2; exit 1; }
for found; do
  folder=\${found%/.git}
  if test -L "$found" || ! test -d "$found"; then refuse 'its .git leads elsewhere, as in submodules and linked worktrees'; fi
  for name in commondir modules objects/info/alternates; do
    if test -e "$found/$name"; then refuse "its .git/$name leads to another repository"; fi
  done
  test -e "$found/config" || continue
  keys=$(git -C / config --file "$found/config" --no-includes --name-only --list) || refuse 'its settings cannot be read'
  key=$(printf '%s\\n' "$keys" | LC_ALL=C grep -avxEm 1 '${HARMLESS.join('|')}')
  test -z "$key" || refuse "the setting $key may start a program; remove it from .git/config"
done
`;

/**
 * Defines `open_repository`, which has git work in the repository of the current folder, and in no other. Git itself
 * would take any folder that has the files of a repository for one. Repositories within it are checked, too: git starts
 * itself in those that are recorded as submodules.
 */
export const OPEN_REPOSITORY = `
open_repository() {
  top=$(pwd -P)
  until test -e "$top/.git" || test -L "$top/.git"; do
    if test "$top" = /work || test "$top" = /; then echo 'this is not a git repository' >&2; exit 1; fi
    top=$(dirname -- "$top")
  done
  find "$top" -name .git -prune -exec /bin/sh -c '${CHECK.replaceAll("'", String.raw`'\''`)}' sh {} + || exit
  export GIT_DIR="$top/.git" GIT_WORK_TREE="$top"
}
`;
