import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { EmbeddedChat, sendMessage } from '../chats/index.ts';
import { newId } from '../core/browser/insecure-pages.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import base from '../ui/base.module.css';
import { Form } from '../ui/controls/form.tsx';
import { TextAreaField } from '../ui/fields/text-fields.tsx';
import { SideSheet } from '../ui/overlays/side-sheet.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { AgentRecord } from './queries.ts';
import { useAgentsText } from './text.ts';
import classes from './try-agent.module.css';

interface TryAgentProps {
  readonly agent: AgentRecord;
  readonly onClose: () => void;
}

/** A chat with an agent beside its editor. It is a chat like others, with the agent as it is stored. */
export function TryAgent({ agent, onClose }: TryAgentProps): ReactNode {
  const text = useAgentsText();
  const [api, orgId] = [useApi(), useOrgId()];
  const [chatId, setChatId] = useState<string>();
  const [sent, setSent] = useState(0);
  // Nobody knows whether a message was stored whose answer was lost: it is the same one when it is sent again.
  const unsent = useRef<{ readonly content: string; readonly clientMessageId: string }>(undefined);
  const name = showInvisible(agent.name);
  const send = async (content: string) => {
    const id = chatId ?? (await answerOf(api.POST('/api/chats', { body: { agent_id: agent.id } }))).id;
    setChatId(id);
    if (unsent.current?.content !== content) unsent.current = { content, clientMessageId: newId() };
    await sendMessage(api, { chatId: id, fileIds: [], ...unsent.current });
    unsent.current = undefined;
    setSent((n) => n + 1);
  };
  return (
    <SideSheet open onClose={onClose} title={text.tryTitle(name)}>
      <div className={classes.try}>
        <p className={base.muted}>{text.tryLead}</p>
        {chatId !== undefined && (
          <>
            <div className={classes.chat}>
              <EmbeddedChat chatId={chatId} agentName={name} />
            </div>
            <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
              {text.toChat}
            </Link>
          </>
        )}
        <Form key={sent} submitLabel={text.trySend} onSubmit={async ({ content = '' }) => send(content)}>
          <TextAreaField label={text.tryMessage} name="content" isFirst required />
        </Form>
      </div>
    </SideSheet>
  );
}
