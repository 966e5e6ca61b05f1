import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Composer, EmbeddedChat, sendMessage } from '../chats/index.ts';
import { newId } from '../core/browser/browser.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { AgentRecord } from './queries.ts';
import { useAgentsText } from './text.ts';
import classes from './agents.module.css';

/** A chat with an agent beside its form. It is a chat like others, with the agent as it is stored. */
export function TryAgent({ agent, onClose }: { readonly agent: AgentRecord; readonly onClose: () => void }): ReactNode {
  const text = useAgentsText();
  const [id, orgId] = [useId(), useOrgId()];
  useFocusBack();
  const { chatId, draft, setDraft, isSending, send } = useTestChat(agent.id);
  const name = showInvisible(agent.name);
  return (
    <section aria-labelledby={id} className={classes.try}>
      <header className={`line gap-3 ${classes.head}`}>
        <h2 id={id}>{text.tryTitle(name)}</h2>
        {chatId !== undefined && (
          <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
            {text.toChat}
          </Link>
        )}
        <Button variant="quiet" aria-label={text.tryClose} onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <div className={`column flex-1 ${classes.chat}`}>
        {chatId === undefined ? (
          <p className="muted">{text.tryLead}</p>
        ) : (
          <EmbeddedChat chatId={chatId} agentName={name} />
        )}
      </div>
      <Composer
        text={draft}
        onText={setDraft}
        onSend={send}
        onEscape={onClose}
        isFirst
        placeholder={text.tryMessage(name)}
        reason={isSending ? text.trySending : undefined}
      />
    </section>
  );
}

/** Gives the focus back to what had it before, once this is closed. */
function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) opener.focus();
    },
    [opener],
  );
}

/** Returns the message that is being written to an agent that is tried, and what sends it to a chat of its own. */
function useTestChat(agentId: string) {
  const [api, toast] = [useApi(), useToast()];
  const [chatId, setChatId] = useState<string>();
  const [draft, setDraft] = useState('');
  const [isSending, setIsSending] = useState(false);
  // Nobody knows whether a message was stored whose answer was lost: it is the same one when it is sent again.
  const unsent = useRef<{ readonly content: string; readonly clientMessageId: string }>(undefined);
  const store = async (content: string) => {
    const id = chatId ?? (await answerOf(api.POST('/api/chats', { body: { agent_id: agentId } }))).id;
    setChatId(id);
    if (unsent.current?.content !== content) unsent.current = { content, clientMessageId: newId() };
    await sendMessage(api, { chatId: id, fileIds: [], ...unsent.current });
    unsent.current = undefined;
    // What was typed meanwhile was not sent.
    setDraft((typed) => (typed === draft ? '' : typed));
  };
  const send = () => {
    setIsSending(true);
    store(draft.trim())
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsSending(false));
  };
  return { chatId, draft, setDraft, isSending, send };
}
