import { z } from 'zod';
import type { Service } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { pickFields } from '../services/pick-fields.ts';
import { type NamedPull, pullPath } from './pull.ts';

interface Merge extends NamedPull {
  /** The commit that the head has to be. */
  readonly sha: string;
  readonly method: 'merge' | 'squash' | 'rebase' | undefined;
}

/** Statuses with which GitHub refuses to merge: it cannot be merged (any more), or its head is another commit. */
const REFUSALS = [405, 409];

/** Merges a pull request. One of this very commit that is merged already is a success, so a repetition is one too. */
export async function mergePull(service: Service, { sha, method, ...named }: Merge): Promise<unknown> {
  const path = pullPath(named);
  const json = { sha, merge_method: method };
  const answer = await service.request({
    method: 'PUT',
    path: `${path}/merge`,
    json,
    effect: 'keyed',
    accepts: REFUSALS,
  });
  if (!REFUSALS.includes(answer.status)) return pickFields(answer.json(), ['merged', 'sha', 'message']);
  const pull = mergedSchema.safeParse((await service.request({ path, effect: 'read' })).json());
  if (pull.success && pull.data.head.sha === sha)
    return { merged: true, sha: pull.data.merge_commit_sha, message: 'It was merged before' };
  throw new ToolFailure(
    'invalid_input',
    `GitHub does not merge it (status ${answer.status}): ${wordsOf(answer.json())}`,
    {
      isForeign: true,
    },
  );
}

const mergedSchema = z.object({
  merged: z.literal(true),
  merge_commit_sha: z.string(),
  head: z.object({ sha: z.string() }),
});

function wordsOf(body: unknown): string {
  const said = z.object({ message: z.string().max(500) }).safeParse(body);
  return said.success ? said.data.message : 'it says no reason';
}
