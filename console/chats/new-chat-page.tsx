import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Agent, useAgents } from '../agents/index.ts';
import { useDraft } from '../core/drafts.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chat-page.module.css';
import { Composer } from './composer/composer.tsx';
import { useBeginChat } from './use-begin-chat.ts';
import { useChatsText } from './text.ts';

/** Where a chat begins: with an agent and the first message. */
export function NewChatPage(): ReactNode {
  const text = useChatsText();
  const agents = useAgents();
  return (
    <Page title={text.newChat} lead={text.newLead}>
      <Loaded query={agents}>
        {({ items }) => {
          const active = items.filter(({ is_active: isActive }) => isActive);
          return active.length === 0 ? <Empty title={text.noAgents} /> : <Begin agents={active} />;
        }}
      </Loaded>
    </Page>
  );
}

function Begin({ agents }: { readonly agents: readonly Agent[] }): ReactNode {
  const text = useChatsText();
  const orgId = useOrgId();
  const { agent: asked } = useSearch({ from: '/o/$orgId/chats/' });
  const [chosen, setChosen] = useState(asked);
  const agent = agents.find(({ id }) => id === chosen) ?? agents[0];
  const [draft, setDraft] = useDraft(`chat.new.${orgId}`);
  const newest = useRef(draft);
  useEffect(() => {
    newest.current = draft;
  });
  const begin = useBeginChat(({ content }) => {
    // What was typed meanwhile was not sent.
    if (newest.current.trim() === content) setDraft('');
  });
  const send = () => {
    if (agent !== undefined && !begin.isPending) begin.mutate({ agentId: agent.id, content: draft.trim() });
  };
  return (
    <div className={classes.begin}>
      <label className={classes.label}>
        {text.agent}
        <select className={classes.select} value={agent?.id} onChange={({ target }) => setChosen(target.value)}>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {showInvisible(name)}
            </option>
          ))}
        </select>
      </label>
      <Composer
        text={draft}
        onText={setDraft}
        onSend={send}
        placeholder={text.composer.placeholder(showInvisible(agent?.name ?? ''))}
        reason={begin.isPending ? text.composer.sending : undefined}
      />
    </div>
  );
}
