import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswer, useAnswerPages, useRecordActions, useSend } from '../core/http/use-answer.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { whileOpen } from '../runs/index.ts';

export type Workflow = components['schemas']['Workflow'];
export type WorkflowChanges = components['schemas']['WorkflowUpdate'];
export type WorkflowStep = components['schemas']['WorkflowStep'];
export type WorkflowRun = components['schemas']['WorkflowRun'];
export type Trigger = components['schemas']['WorkflowTriggerType'];
export type Overlap = components['schemas']['WorkflowOverlap'];
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

/** Returns what adds and changes workflows, and reads them again. A new one is inactive at first. */
export function useWorkflowRecords() {
  return useRecordActions('workflows', '/api/workflows', '/api/workflows/{workflow_id}');
}

/** Returns what can be done with a workflow. Each ends once what it has changed was read again. */
export function useWorkflowActions(id: string) {
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const records = useWorkflowRecords();
  const params = { path: { workflow_id: id } };
  return {
    activate: useSend(
      async (sent, isOn: boolean) =>
        sent.POST(`/api/workflows/{workflow_id}/${isOn ? 'activate' : 'deactivate'}`, { params }),
      { reads: [['workflows']], isAlways: true },
    ),
    trigger: useSend(
      async (sent, variables: Readonly<Record<string, unknown>>) =>
        sent.POST('/api/workflows/{workflow_id}/trigger', { params, body: { variables } }),
      { reads: [['workflows'], ['runs']], isAlways: true },
    ),
    /** Deletes it with its runs. */
    remove: async () => {
      await records.remove(id);
      await cache.invalidateQueries({ queryKey: [orgId, 'runs'] });
    },
    removeConversation: useSend(
      async (sent, chatId: string) =>
        sent.DELETE('/api/workflows/{workflow_id}/conversations/{chat_id}', {
          params: { path: { workflow_id: id, chat_id: chatId } },
        }),
      { reads: [['workflows']], isAlways: true },
    ),
    /** Restores a conversation, which only its owner may. */
    restoreConversation: useSend(
      async (sent, chatId: string) =>
        sent.PATCH('/api/chats/{chat_id}/restore', { params: { path: { chat_id: chatId } } }),
      { reads: [['workflows'], ['chats']], isAlways: true },
    ),
  };
}
