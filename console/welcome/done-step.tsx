import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import type { NewAgent } from './agent-step.tsx';
import { useWelcomeText } from './text.ts';

/** Opens a chat with the new agent. */
export function DoneStep({ agent }: { readonly agent: NewAgent | undefined }) {
  const text = useWelcomeText();
  const [api, orgId, toast] = [useApi(), useOrgId(), useToast()];
  const navigate = useNavigate();
  const opening = useMutation({
    mutationFn: async (agentId: string) => answerOf(api.POST('/api/chats', { body: { agent_id: agentId } })),
    onError: (error) => toast(error.message, 'failed'),
  });
  if (agent === undefined) return null;
  const show = (chatId: string) => void navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId } });
  const open = () => opening.mutate(agent.id, { onSuccess: ({ id }) => show(id) });
  return (
    <Button look="primary" busy={opening.isPending} onClick={open}>
      {text.startChat}
    </Button>
  );
}
