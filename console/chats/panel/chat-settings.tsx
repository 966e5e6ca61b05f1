import type { ReactNode } from 'react';
import { useCan, useIsAdvanced } from '../../core/permissions.ts';
import { useChains } from '../../provider-chains/index.ts';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { SwitchField } from '../../ui/fields/toggle-fields.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useChatChanges } from '../queries.ts';
import type { Chat } from '../phase/phase.ts';
import { useChatsText } from '../text.ts';
import classes from './panel.module.css';

/** What the owner of a chat chooses for all of it. Each choice is stored at once. */
export function ChatSettings({ chat }: { readonly chat: Chat }): ReactNode {
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
