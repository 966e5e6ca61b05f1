import { Link, useSearch } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { type Agent, useAgents } from '../agents/queries.ts';
import { useDraft, useDraftText } from '../core/drafts.ts';
import { useCan } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { DropZone, UploadList } from '../ui/files/files.tsx';
import { useText } from '../core/text/text-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { Empty, Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chats.module.css';
import { Composer, LongPaste } from './composer/composer.tsx';
import { FirstMessages } from './first-messages.tsx';
import { useAttachFiles, useFirstAttachments } from './files/use-attachments.ts';
import { useBeginChat } from './use-begin-chat.ts';
import { type ChatsText, useChatsText } from './text.ts';

/** Where a chat begins: with an agent and the first message. */
export function NewChatPage(): ReactNode {
  const text = useChatsText();
  const agents = useAgents();
  const active = agents.data?.items.filter(({ is_active: isActive }) => isActive) ?? [];
  return (
    <Page title={text.newChat} lead={text.newLead}>
      {/* The agents may come while one writes already. */}
      {active.length > 0 || agents.isPending ? (
        <Begin agents={active} />
      ) : (
        <Loaded query={agents}>{() => <NoAgents />}</Loaded>
      )}
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
  const { agent: asked } = useSearch({ from: '/o/$orgId/chats/' });
  const [chosen, setChosen] = useState(asked);
  const agent = agents.find(({ id }) => id === chosen) ?? agents[0];
  const { draft, setDraft, attaching, attach, sending, send } = useFirstMessage(agent?.id);
  const [pasted, setPasted] = useState('');
  const hasFiles = attaching.list.length > 0;
  return (
    <DropZone onFiles={attach} className={classes.begin} label={text.newChat} hint={text.files.drop}>
      <div className={classes.agentField}>
        <SelectField
          label={text.agent}
          name="agent_id"
          value={agent?.id ?? null}
          options={agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
          onValueChange={setChosen}
        />
      </div>
      <Composer
        text={draft}
        onText={setDraft}
        onSend={() => send(draft)}
        isFirst
        placeholder={text.composer.placeholder(showInvisible(agent?.name ?? ''))}
        reason={sending === undefined ? undefined : text.composer.sending}
        hint={hasFiles ? hintOf(draft, text) : undefined}
        onFiles={attach}
        onLongText={setPasted}
        mentions={agents.map(({ id, name, description }) => ({
          name: showInvisible(name),
          label: showInvisible(description),
          run: () => setChosen(id),
        }))}
      >
        <LongPaste pasted={pasted} onPasted={setPasted} draft={draft} onDraft={setDraft} onFiles={attach} />
        <UploadList label={text.files.label} uploads={attaching.attachments} list={attaching.list} />
      </Composer>
      {agent !== undefined && draft === '' && !hasFiles && (
        <FirstMessages agent={agent} sending={sending} onChoose={send} />
      )}
    </DropZone>
  );
}

/** Returns the first message that is being written, and what begins the chat with it. */
function useFirstMessage(agentId: string | undefined) {
  const draft = useDraft(`chat.new.${useOrgId()}`);
  const attaching = useFirstAttachments();
  // What is attached meanwhile was not sent either.
  const sent = useRef<readonly string[]>([]);
  const begin = useBeginChat(({ content }) => {
    // What was typed meanwhile was not sent.
    if (draft.read().trim() === content) draft.write('');
    for (const key of sent.current) attaching.attachments?.remove(key);
  });

  const send = (content: string) => {
    if (agentId === undefined || begin.isPending) return;
    sent.current = attaching.attachments?.list().map(({ key }) => key) ?? [];
    begin.mutate({ agentId, content: content.trim(), files: attaching.attachments?.files() ?? [] });
  };
  const sending = begin.isPending ? begin.variables.content : undefined;
  return {
    draft: useDraftText(draft),
    setDraft: draft.write,
    attaching,
    attach: useAttachFiles(attaching),
    sending,
    send,
  };
}

function hintOf(draft: string, { composer: text }: ChatsText): string {
  return draft === '' ? text.wordsToo : text.filesFollow;
}
