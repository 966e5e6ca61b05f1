import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswer, useAnswerPages } from '../core/http/use-answer.ts';
import { answerOf, ifMatch } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { whileOpen } from '../runs/index.ts';

export type Workflow = components['schemas']['Workflow'];
export type WorkflowChanges = components['schemas']['WorkflowUpdate'];
export type WorkflowStep = components['schemas']['WorkflowStep'];
export type WorkflowRun = components['schemas']['WorkflowRun'];
export type Trigger = components['schemas']['WorkflowTriggerType'];
export type Overlap = components['schemas']['WorkflowOverlap'];
type NewWorkflow = components['schemas']['WorkflowCreate'];
export type Conversation = components['schemas']['Chat'];

const PAGE = 1_000;

/** Returns the workflows of the organization page by page. */
export function useWorkflows(): Pages<Workflow> {
  return useAnswerPages(['workflows'], '/api/workflows', { pageSize: PAGE });
}

/** Returns a workflow. */
export function useWorkflow(id: string): UseQueryResult<Workflow> {
  return useAnswer(['workflows', id], '/api/workflows/{workflow_id}', { params: { path: { workflow_id: id } } });
}

/** Returns the runs of a workflow, newest first and page by page. */
export function useWorkflowRuns(id: string): Pages<WorkflowRun> {
  const isLive = useLive();
  return useAnswerPages(['workflows', id, 'runs'], '/api/workflows/{workflow_id}/runs', {
    params: { path: { workflow_id: id } },
    refetchInterval: isLive ? false : whileOpen,
  });
}

/** Returns the conversations of a workflow's runs that one may read, page by page. */
export function useConversations(id: string): Pages<Conversation> {
  return useAnswerPages(['workflows', id, 'conversations'], '/api/workflows/{workflow_id}/conversations', {
    params: { path: { workflow_id: id } },
  });
}

/** Returns what adds a workflow, which is inactive at first. */
export function useAddWorkflow() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (body: NewWorkflow) => answerOf(api.POST('/api/workflows', { body })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'workflows'] }),
  });
}

/** Returns what can be done with a workflow. Each ends once what it has changed was read again. */
export function useWorkflowActions(id: string) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const params = { path: { workflow_id: id } };
  const onSettled = async () => cache.invalidateQueries({ queryKey: [orgId, 'workflows'] });
  const readRuns = async () => cache.invalidateQueries({ queryKey: [orgId, 'runs'] });
  return {
    /** Changes fields; with the version that was seen, only if nobody has changed it since. */
    change: useMutation({
      mutationFn: async ({ changes: body, version }: { changes: WorkflowChanges; version?: string | undefined }) => {
        const header = ifMatch(version);
        return answerOf(api.PATCH('/api/workflows/{workflow_id}', { params: { ...params, header }, body }));
      },
      onSuccess: onSettled,
    }),
    activate: useMutation({
      mutationFn: async (isOn: boolean) =>
        answerOf(api.POST(`/api/workflows/{workflow_id}/${isOn ? 'activate' : 'deactivate'}`, { params })),
      onSettled,
    }),
    trigger: useMutation({
      mutationFn: async (variables: Readonly<Record<string, unknown>>) =>
        answerOf(api.POST('/api/workflows/{workflow_id}/trigger', { params, body: { variables } })),
      onSettled: async () => Promise.all([onSettled(), readRuns()]),
    }),
    /** Deletes it with its runs. */
    remove: useMutation({
      mutationFn: async () => answerOf(api.DELETE('/api/workflows/{workflow_id}', { params })),
      onSuccess: async () =>
        Promise.all([cache.invalidateQueries({ queryKey: [orgId, 'workflows'], exact: true }), readRuns()]),
    }),
    removeConversation: useMutation({
      mutationFn: async (chatId: string) =>
        answerOf(
          api.DELETE('/api/workflows/{workflow_id}/conversations/{chat_id}', {
            params: { path: { workflow_id: id, chat_id: chatId } },
          }),
        ),
      onSettled,
    }),
    /** Restores a conversation, which only its owner may. */
    restoreConversation: useMutation({
      mutationFn: async (chatId: string) =>
        answerOf(api.PATCH('/api/chats/{chat_id}/restore', { params: { path: { chat_id: chatId } } })),
      onSettled: async () => Promise.all([onSettled(), cache.invalidateQueries({ queryKey: [orgId, 'chats'] })]),
    }),
  };
}
