import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { Confirm } from '../ui/overlays/confirm.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Conversation, useConversations, useWorkflowActions } from './queries.ts';
import { type WorkflowsText, useWorkflowsText } from './text.ts';
import classes from './workflows.module.css';

/** The conversations of a workflow's runs that one may read. */
export function ConversationList({ id }: { readonly id: string }) {
  const text = useWorkflowsText();
  const conversations = useConversations(id);
  return (
    <Loaded query={conversations}>
      {({ items }) =>
        items.length === 0 ? (
          <p className={classes.soft}>{text.noConversations}</p>
        ) : (
          <>
            <Table label={text.conversations} columns={columnsOf(text, id)} rows={items} keyOf={(chat) => chat.id} />
            <Pager pages={conversations} />
          </>
        )
      }
    </Loaded>
  );
}

function columnsOf(text: WorkflowsText, workflowId: string): readonly Column<Conversation>[] {
  return [
    { key: 'title', title: text.conversation, cell: (chat) => <ChatLink chat={chat} /> },
    { key: 'changed', title: text.changed, cell: ({ updated_at: at }) => timeFromNow(at) },
    {
      key: 'remove',
      title: text.action,
      isActions: true,
      cell: (chat) => <RemoveButton chat={chat} workflowId={workflowId} />,
    },
  ];
}

function titleOf({ title }: Conversation, text: WorkflowsText): string {
  return title === '' ? text.untitled : showInvisible(title);
}

function ChatLink({ chat }: { readonly chat: Conversation }) {
  const [text, orgId] = [useWorkflowsText(), useOrgId()];
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: chat.id }} className={classes.link}>
      {titleOf(chat, text)}
    </Link>
  );
}

function RemoveButton({ chat, workflowId }: { readonly chat: Conversation; readonly workflowId: string }) {
  const text = useWorkflowsText();
  const { removeConversation } = useWorkflowActions(workflowId);
  const [toast, refusal] = [useToast(), useRefusal('schedules.manage')];
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button reason={refusal} onClick={() => setIsAsked(true)}>
        {text.removeConversation}
      </Button>
      <Confirm
        open={isAsked}
        onClose={() => setIsAsked(false)}
        title={text.removeConversationTitle(titleOf(chat, text))}
        description={text.removeConversationWhy}
        action={text.removeConversation}
        onConfirm={async () => {
          await removeConversation.mutateAsync(chat.id);
          toast(text.conversationRemoved);
        }}
      />
    </>
  );
}
