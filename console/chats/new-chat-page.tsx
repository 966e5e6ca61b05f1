import { Link, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Agent, useAgents } from '../agents/index.ts';
import { useDraft } from '../core/drafts.ts';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
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
          return active.length === 0 ? <NoAgents /> : <Begin agents={active} />;
        }}
      </Loaded>
    </Page>
  );
}

function NoAgents(): ReactNode {
  const [text, nav] = [useChatsText(), useText().nav];
  const mayAdd = useCan('agents.manage');
  return (
    <Empty
      icon={<Bot />}
      title={text.noAgents}
      action={
        mayAdd && (
          <Link to="/welcome" className={buttonClass('primary')}>
            {nav.getStarted}
          </Link>
        )
      }
    >
      {mayAdd ? text.noAgentsWhy : text.noAgentsAsk}
    </Empty>
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
