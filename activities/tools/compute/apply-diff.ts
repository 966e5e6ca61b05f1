import { applyPatch, parsePatch } from 'diff';
import type { ComputeJob } from './job.ts';

type PatchJob = Extract<ComputeJob, { kind: 'patch' }>;

/**
 * Applies a unified diff of one file; returns the content and the number of hunks. Throws when the diff does not apply.
 */
export function applyDiff({ content, patch }: PatchJob): { content: string; hunks: number } {
  const [only, ...others] = parse(patch);
  if (only === undefined || others.length > 0 || only.hunks.length === 0) {
    throw new Error('The patch must be a unified diff of one file, with at least one hunk');
  }
  const changed = applyPatch(content, only);
  if (changed === false) throw new Error('The patch does not apply to the file; read the file and make a new diff');
  return { content: changed, hunks: only.hunks.length };
}

function parse(patch: string) {
  try {
    return parsePatch(patch);
  } catch (error) {
    throw new Error('The patch is not a unified diff', { cause: error });
  }
}
