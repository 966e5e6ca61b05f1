import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '../core/http/api-client.ts';
import { useDrafts } from '../core/drafts.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type FirstMessage, handOver } from './composer/unsent.ts';

interface Beginning extends FirstMessage {
  readonly agentId: string;
}

/**
 * Returns what makes a chat with an agent and leads to its page, which sends the first message. A refusal is shown and
 * loses nothing. `onBegun` is called once the message is in the hands of that page.
 */
export function useBeginChat(onBegun?: (message: Beginning) => void) {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const [navigate, drafts, toast] = [useNavigate(), useDrafts(), useToast()];
  return useMutation({
    mutationFn: async ({ agentId }: Beginning) => answerOf(api.POST('/api/chats', { body: { agent_id: agentId } })),
    onSuccess: async ({ id: chatId }, message) => {
      if (message.content !== '') handOver({ cache, drafts }, chatId, message);
      onBegun?.(message);
      void cache.invalidateQueries({ queryKey: [orgId, 'chats'] });
      await navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId } });
    },
    onError: ({ message }) => toast(message, 'failed'),
  });
}
