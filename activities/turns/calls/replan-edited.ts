import { type BegunCall, replanCall } from '../../../db/turns/index.ts';
import type { Database } from '../../../db/core/index.ts';
import type { ToolsetFor } from '../../tools/index.ts';
import { findTool } from './find-tool.ts';

/**
 * Returns a call that begins with effect and label of the arguments with which it was approved: what was planned is
 * that of the model's, and a call edited from reading to writing must be neither repeated nor allowed as one that
 * reads. Both are stored before anything runs. Without a tool that can plan it, it counts as one that must not happen
 * twice.
 */
export async function replanEdited(
  { database, toolsetFor }: { readonly database: Database; readonly toolsetFor: ToolsetFor },
  orgId: string,
  call: BegunCall,
): Promise<BegunCall> {
  if (call.decision?.status !== 'approved' || !call.decision.isEdited) return call;
  const tool = await findTool(toolsetFor, orgId, call);
  const [plan] = tool === undefined ? [] : await tool.plan([call.arguments]);
  if (plan === undefined || 'error' in plan) return { ...call, effect: 'once' };
  const replanned = { ...call, effect: plan.effect, label: plan.label };
  await replanCall(database, orgId, replanned);
  return replanned;
}
