import type { ReactNode } from 'react';
import { useCan, useIsAdvanced } from '../../core/permissions.ts';
import { dateAndTime, formatNumber } from '../../core/text/formats.ts';
import { useChains } from '../../provider-chains/queries.ts';
import { SelectField, SwitchField } from '../../ui/fields/fields.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Facts } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Message } from '../connection/merge-messages.ts';
import type { ChatConnection } from '../connection/chat-connection.ts';
import type { Chat } from '../phase.ts';
import { useChatChanges } from '../queries.ts';
import { contextUseOf } from '../room/context-bar.tsx';
import { useChatsText } from '../text.ts';
import { useChatView } from '../use-chat-connection.ts';
import classes from './panel.module.css';

interface DetailsTabProps {
  readonly chat: Chat;
  readonly agentName: string;
  readonly isOwner: boolean;
  readonly connection: ChatConnection;
}

/** Shows what is known of a chat as a whole. */
export function DetailsTab({ chat, agentName, isOwner, connection }: DetailsTabProps): ReactNode {
  const text = useChatsText().panel;
  const messages = useChatView(connection, (view) => view.messages);
  const olderCount = useChatView(connection, (view) => view.olderCount);
  const last = messages.findLast(({ role }) => role === 'assistant');
  const context = contextUseOf(messages);
  return (
    <>
      <Facts
        facts={[
          { label: text.agent, value: showInvisible(agentName) },
          { label: text.model, value: showInvisible(last?.metadata_.model ?? '–') },
          { label: text.account, value: showInvisible(last?.provider_used ?? '–') },
          { label: text.begun, value: dateAndTime(chat.created_at) },
          { label: text.messages, value: formatNumber(messages.length + olderCount) },
          { label: text.tokens, value: formatNumber(messages.reduce((sum, message) => sum + tokensOf(message), 0)) },
          ...(context === undefined ? [] : [{ label: text.context, value: text.contextOf(context) }]),
          ...(isOwner ? [] : [{ label: text.shared, value: chat.shared ? text.yes : text.no }]),
        ]}
      />
      {isOwner && <ChatSettings chat={chat} />}
    </>
  );
}

/** What the owner of a chat chooses for all of it. Each choice is stored at once. */
function ChatSettings({ chat }: { readonly chat: Chat }): ReactNode {
  const text = useChatsText().panel;
  const toast = useToast();
  const { share } = useChatChanges(chat.id);
  const [mayView, isAdvanced] = [useCan('providers.view'), useIsAdvanced()];
  return (
    <div className={classes.settings}>
      {mayView && isAdvanced && <ChainChoice chat={chat} />}
      <SwitchField
        label={text.shared}
        name="shared"
        hint={text.sharedWhy}
        value={share.isPending ? share.variables : chat.shared}
        reason={chat.project_id === null ? text.noProject : undefined}
        onValueChange={(shared) => share.mutate(shared, { onError: ({ message }) => toast(message, 'failed') })}
      />
    </div>
  );
}

function ChainChoice({ chat }: { readonly chat: Chat }): ReactNode {
  const text = useChatsText().panel;
  const toast = useToast();
  const { data: chains = [] } = useChains();
  const { chain } = useChatChanges(chat.id);
  const value = (chain.isPending ? chain.variables : chat.provider_chain_id) ?? '';
  return (
    <SelectField
      label={text.chain}
      name="provider_chain_id"
      hint={text.chainWhy}
      value={value}
      options={[
        { value: '', label: text.ofAgent },
        ...chains.map(({ id, name }) => ({ value: id, label: showInvisible(name) })),
      ]}
      onValueChange={(id) =>
        chain.mutate(id === '' ? null : id, { onError: ({ message }) => toast(message, 'failed') })
      }
    />
  );
}

function tokensOf({ metadata_: { usage } }: Message): number {
  return (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
}
