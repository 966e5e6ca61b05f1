import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type Provider, useProviderActions } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface RemoveAccountProps {
  readonly account: Provider;
  /** Why it cannot be deleted; undefined when it can. */
  readonly reason: string | undefined;
}

/** Deletes an account so that it can be restored, or for good once its name was typed. */
export function RemoveAccount({ account, reason }: RemoveAccountProps): ReactNode {
  const text = useProvidersText().account;
  const [toast, actions] = [useToast(), useProviderActions()];
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const name = showInvisible(account.name);
  const toList = async () => navigate({ to: '/o/$orgId/providers', params: { orgId } });
  const say = (error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed');
  const remove = async () => {
    await actions.remove(account.id);
    toast(text.removed(name), 'done', { label: text.undo, run: () => void actions.restore(account.id).catch(say) });
    await toList();
  };
  return (
    <Section
      title={text.removeTitle}
      lead={text.removeWhy}
      isDanger
      actions={
        <>
          <Button
            look="danger"
            reason={reason}
            busy={isBusy}
            onClick={() => {
              setIsBusy(true);
              remove()
                .catch(say)
                .finally(() => setIsBusy(false));
            }}
          >
            {text.remove}
          </Button>
          <Button look="danger" reason={reason} onClick={() => setIsAsking(true)}>
            {text.purge}
          </Button>
        </>
      }
    >
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.purgeAsk(name)}
        description={text.purgeWhy}
        action={text.purge}
        typedName={account.name}
        onConfirm={async () => {
          await actions.purge(account.id);
          toast(text.purged(name));
          await toList();
        }}
      />
    </Section>
  );
}
