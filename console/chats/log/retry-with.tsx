import type { ReactNode } from 'react';
import { type Chain, useChains } from '../../provider-chains/queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useChatChanges } from '../queries.ts';
import { useChatsText } from '../text.ts';
import classes from './log.module.css';

interface RetryWithProps {
  readonly chatId: string;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** Asks by which chain of providers a question is answered again. The chat keeps the chain. */
export function RetryWith({ chatId, onRetry, onClose }: RetryWithProps): ReactNode {
  const text = useChatsText();
  const toast = useToast();
  const chains = useChains();
  const { chain } = useChatChanges(chatId);
  const retry = (id: string | null) =>
    chain.mutate(id, {
      onError: ({ message }) => toast(message, 'failed'),
      onSuccess: () => {
        onClose();
        onRetry();
      },
    });
  return (
    <Dialog open onClose={onClose} title={text.retryWith} description={text.retryWithWhy}>
      <Loaded query={chains}>
        {(listed) => (
          <ul className={classes.chains}>
            <li>
              <Button busy={chain.isPending} onClick={() => retry(null)}>
                {text.panel.ofAgent}
              </Button>
            </li>
            {listed.map((each) => (
              <li key={each.id}>
                <Button busy={chain.isPending} onClick={() => retry(each.id)}>
                  {showInvisible(each.name)}
                  <span className="soft">{modelsOf(each)}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Dialog>
  );
}

function modelsOf({ steps }: Chain): string {
  return showInvisible(steps.map(({ provider_type: type, model_name: model }) => model ?? type).join(', '));
}
