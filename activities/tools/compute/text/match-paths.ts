import ignore from 'ignore';
import picomatch from 'picomatch';
import type { ComputeJob } from '../job.ts';

type GlobJob = Extract<ComputeJob, { kind: 'glob' }>;

/** Returns the indexes in `paths` of those that match the pattern and that no ignore file excludes. */
export function matchPaths({ pattern, paths, ignoreFiles }: GlobJob): number[] {
  const isMatch = picomatch(pattern, { dot: true });
  const filters = ignoreFiles.map(({ folder, rules }) => ({ prefix: prefixOf(folder), rules: ignore().add(rules) }));
  return paths.flatMap((path, index) => {
    if (!isMatch(path)) return [];
    const isIgnored = filters.some(
      ({ prefix, rules }) => path.startsWith(prefix) && rules.ignores(path.slice(prefix.length)),
    );
    return isIgnored ? [] : [index];
  });
}

function prefixOf(folder: string): string {
  return folder === '' ? '' : `${folder}/`;
}
