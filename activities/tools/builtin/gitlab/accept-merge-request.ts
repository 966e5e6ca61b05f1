import { z } from 'zod';
import type { Service } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { pickFields } from '../services/pick-fields.ts';
import { MERGE_REQUEST, mergeRequestPath, type NamedMergeRequest } from './merge-request.ts';

interface Acceptance {
  /** The commit that the source branch has to be at. */
  readonly sha: string;
  readonly squash: boolean | undefined;
  readonly should_remove_source_branch: boolean | undefined;
}

/** Statuses with which GitLab refuses: it cannot be merged (any more), or its branch is at another commit. */
const REFUSALS = [405, 406, 409, 422];

/** Merges a merge request. One of this very commit that is merged already is a success, so a repetition is one too. */
export async function acceptMergeRequest(
  service: Service,
  named: NamedMergeRequest,
  json: Acceptance,
): Promise<unknown> {
  const path = mergeRequestPath(named);
  const request = { method: 'PUT', path: `${path}/merge`, json, accepts: REFUSALS } as const;
  const answer = await service.request({ ...request, effect: 'keyed' });
  if (!REFUSALS.includes(answer.status)) return pickFields(answer.json(), MERGE_REQUEST);
  const now = (await service.request({ path, effect: 'read' })).json();
  const merged = z.object({ state: z.literal('merged'), sha: z.literal(json.sha) });
  if (merged.safeParse(now).success) return pickFields(now, MERGE_REQUEST);
  const status = z.object({ detailed_merge_status: z.string().max(100) }).safeParse(now);
  const why = status.success ? `its merge status is ${status.data.detailed_merge_status}` : 'it says no reason';
  throw new ToolFailure('invalid_input', `GitLab does not merge it (status ${answer.status}): ${why}`, {
    isForeign: true,
  });
}
