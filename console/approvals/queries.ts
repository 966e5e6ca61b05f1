import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useAnswer } from '../core/http/use-answer.ts';
import { type Api, answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useOwnPermissions, useRefusal } from '../core/permissions.ts';
import { useApi, useCurrentUser, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { useApprovalsText } from './text.ts';

export type Approval = components['schemas']['Approval'];
type EditableApproval = components['schemas']['EditableApproval'];
export type Question = components['schemas']['Question'];
export type ApprovalStatus = components['schemas']['ApprovalStatus'];
export type Decision = components['schemas']['ApprovalDecision'];

/** Returns one approval. */
export function useApproval(id: string): UseQueryResult<EditableApproval> {
  return useAnswer(['approvals', 'one', id], '/api/approvals/{approval_id}', { params: { path: { approval_id: id } } });
}

/** What became of a decision. `approval` is how it stands now; undefined when it is gone. */
export type Outcome =
  | { readonly kind: 'decided'; readonly approval: Approval }
  | { readonly kind: 'elsewhere'; readonly approval: Approval | undefined; readonly problem: Problem }
  | { readonly kind: 'failed'; readonly id: string; readonly problem: Problem };

/** Returns what decides about several approvals, one after the other, and says what became of each. */
export function useDecide() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ ids, decision }: { readonly ids: readonly string[]; readonly decision: Decision }) => {
      const outcomes: Outcome[] = [];
      for (const id of ids) outcomes.push(await decide(api, id, decision));
      return outcomes;
    },
    onSettled: async () => cache.invalidateQueries({ queryKey: [orgId, 'approvals'] }),
  });
}

async function decide(api: Api, id: string, body: Decision): Promise<Outcome> {
  const params = { path: { approval_id: id } };
  try {
    const approval = await answerOf(api.POST('/api/approvals/{approval_id}/decision', { params, body }));
    return { kind: 'decided', approval };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status !== 409 && problem.status !== 404) return { kind: 'failed', id, problem };
    // Somebody else was faster, or it waits no longer: how it stands says which.
    const approval = await answerOf(api.GET('/api/approvals/{approval_id}', { params })).catch(() => undefined);
    return { kind: 'elsewhere', approval, problem };
  }
}

/** Returns why the signed-in user cannot approve one of these: undefined when they can. */
export function useApproveRefusal(approvals: readonly Approval[]): string | undefined {
  const [text, refusal, { data: user }] = [useApprovalsText(), useRefusal('approvals.manage'), useCurrentUser()];
  const isOwn = approvals.some((each) => each.other_person && each.user_id === user?.id);
  const isVoted = approvals.some(({ votes }) => votes.some(({ user_id: voter }) => voter === user?.id));
  return refusal ?? (isOwn ? text.otherPerson : isVoted ? text.hasApproved : undefined);
}

/**
 * Returns whether the user may change the arguments: the work is done with the rights of the one it runs for. Where
 * others must approve, nobody approves what they have written.
 */
export function useMayEdit(approval: Approval): boolean {
  const { data: user } = useCurrentUser();
  const { data: permissions } = useOwnPermissions();
  if (approval.tool === 'agent_spawn' || approval.other_person || approval.quorum > 1) return false;
  return approval.user_id === user?.id || permissions?.role === 'owner' || permissions?.role === 'admin';
}
