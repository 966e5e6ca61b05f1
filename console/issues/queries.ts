import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { IssueStatus } from '../../domain/issues/index.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Issue = components['schemas']['Issue'];
export type NewIssue = components['schemas']['IssueCreate'];
export type IssueChanges = components['schemas']['IssueUpdate'];

/** Returns an issue. */
export function useIssue(issueId: string): UseQueryResult<Issue> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'issues', 'one', issueId],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/issues/{issue_id}', { params: { path: { issue_id: issueId } }, signal })),
  });
}

/** Returns what adds an issue. It begins in the backlog; with another status it is moved there at once. */
export function useAddIssue() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ fields, status = 'backlog' }: { fields: NewIssue; status?: IssueStatus | undefined }) => {
      const issue = await answerOf(api.POST('/api/issues', { body: fields }));
      if (status === issue.status) return issue;
      const path = { issue_id: issue.id };
      return answerOf(api.PATCH('/api/issues/{issue_id}', { params: { path }, body: { status } }));
    },
    onSettled: async () => cache.invalidateQueries({ queryKey: [orgId, 'issues'] }),
  });
}

/** Returns what changes an issue; all that is shown of issues is read again then. */
export function useChangeIssue() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ id, changes }: { id: string; changes: IssueChanges }) =>
      answerOf(api.PATCH('/api/issues/{issue_id}', { params: { path: { issue_id: id } }, body: changes })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'issues'] }),
  });
}
