import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { IssueStatus } from '../../domain/issues.ts';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswer, useAnswerPages, useRecordActions, useSend } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import type { IssuesSearch } from './routes.ts';

export type Issue = components['schemas']['Issue'];
export type Comment = components['schemas']['IssueComment'];
export type NewIssue = components['schemas']['IssueCreate'];
export type IssueChanges = components['schemas']['IssueUpdate'];

const LIVE_MS = 10_000;

/** Returns an issue. While it is worked on and no events tell of it, it is read again now and then. */
export function useIssue(issueId: string): UseQueryResult<Issue> {
  const isLive = useLive();
  return useAnswer(['issues', 'one', issueId], '/api/issues/{issue_id}', {
    params: { path: { issue_id: issueId } },
    refetchInterval: ({ state: { data } }) => !isLive && data?.status === 'in_progress' && LIVE_MS,
  });
}

const NEWEST = 100;

/** Returns the newest issues of all projects, for a choice by their titles; asks for nothing while it is off. */
export function useNewestIssues(enabled: boolean): UseQueryResult<Issue[]> {
  return useAnswer(['issues', 'newest'], '/api/issues', { params: { query: { limit: NEWEST } }, enabled });
}

/** What an issue is added with, and the status that it is given. */
interface NewIssueAt {
  readonly fields: NewIssue;
  readonly status?: IssueStatus | undefined;
}

/** An issue that was added. */
interface AddedIssue {
  readonly issue: Issue;
  /** Why it was not given its status: it stands in the backlog then. */
  readonly problem?: Problem;
}

/** Returns what adds an issue. It begins in the backlog; with another status it is moved there at once. */
export function useAddIssue() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ fields, status = 'backlog' }: NewIssueAt): Promise<AddedIssue> => {
      const issue = await answerOf(api.POST('/api/issues', { body: fields }));
      if (status === issue.status) return { issue };
      const params = { path: { issue_id: issue.id } };
      try {
        return { issue: await answerOf(api.PATCH('/api/issues/{issue_id}', { params, body: { status } })) };
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        // It is there: were it a failure, whoever tries again would add it twice.
        return { issue, problem };
      }
    },
    onSettled: async () => cache.invalidateQueries({ queryKey: [orgId, 'issues'] }),
  });
}

/** Returns what changes and deletes issues, and reads all that is shown of them again. */
export function useIssueActions() {
  return useRecordActions('issues', '/api/issues', '/api/issues/{issue_id}');
}

/** Returns the issues that match what the address says, the newest first. */
export function useIssues({ project, agent, ...rest }: IssuesSearch): Pages<Issue> {
  const filter = {
    ...rest,
    ...(project !== undefined && { project_id: project }),
    ...(agent !== undefined && { assigned_agent_id: agent }),
  };
  return useAnswerPages(['issues', 'list', filter], '/api/issues', { params: { query: filter } });
}

/** Returns what has the agent of an issue work on it, and answers the task. */
export function useStartIssue() {
  return useSend(
    async (api, id: string) => api.POST('/api/issues/{issue_id}/start', { params: { path: { issue_id: id } } }),
    { reads: [['issues'], ['tasks']], isAlways: true },
  );
}

/** Returns what was said about an issue, the oldest first; read again now and then: no events tell what agents say. */
export function useComments(issueId: string): Pages<Comment> {
  const path = { issue_id: issueId };
  return useAnswerPages(['issues', 'comments', issueId], '/api/issues/{issue_id}/comments', {
    params: { path },
    refetchInterval: LIVE_MS,
  });
}

/** Returns what says something about an issue. */
export function useAddComment(issueId: string) {
  const params = { path: { issue_id: issueId } };
  return useSend(
    async (api, content: string) => api.POST('/api/issues/{issue_id}/comments', { params, body: { content } }),
    { reads: [['issues', 'comments', issueId]] },
  );
}

/** Returns what changes the text of a comment. */
export function useChangeComment(issueId: string) {
  return useSend(
    async (api, { id, content }: Pick<Comment, 'id' | 'content'>) => {
      const params = { path: { issue_id: issueId, comment_id: id } };
      return api.PATCH('/api/issues/{issue_id}/comments/{comment_id}', { params, body: { content } });
    },
    { reads: [['issues', 'comments', issueId]] },
  );
}

/** Returns what deletes a comment for good. */
export function useDeleteComment(issueId: string) {
  return useSend(
    async (api, commentId: string) => {
      const params = { path: { issue_id: issueId, comment_id: commentId } };
      return api.DELETE('/api/issues/{issue_id}/comments/{comment_id}', { params });
    },
    { reads: [['issues', 'comments', issueId]] },
  );
}
