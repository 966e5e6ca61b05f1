import { type ReactNode, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { TestResult } from '../test-button.tsx';
import classes from '../providers.module.css';
import { type Provider, useProviderActions, useProviders, type useTestProvider } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface AddedAccountProps {
  readonly account: Provider;
  /** Whether it has answered before it was added. */
  readonly hasAnswered: boolean;
  /** The test of an account that could not be tested before. */
  readonly test: ReturnType<typeof useTestProvider>;
  readonly onDone: () => void;
  readonly onRemoved: () => void;
}

/** Says that an account was added, and what that means; one that does not answer can be tested again or removed. */
export function AddedAccount({ account, hasAnswered, test, onDone, onRemoved }: AddedAccountProps): ReactNode {
  const text = useProvidersText();
  const isOnly = useProviders().data?.length === 1;
  const hasFailed = test.isError || test.data?.ok === false;
  const name = showInvisible(account.name);
  return (
    <div className={classes.fields}>
      <p>
        {hasAnswered ? text.tried.works(name) : text.tried.added(name)} {isOnly && text.tried.replaces}
      </p>
      {test.isPending ? <output>{text.tried.testing}</output> : <TestResult test={test} />}
      <div className={classes.row}>
        {hasFailed ? (
          <>
            <Button look="primary" onClick={() => test.mutate(account.id)}>
              {text.test.again}
            </Button>
            <RemoveButton account={account} onRemoved={onRemoved} />
          </>
        ) : (
          <Button look="primary" busy={test.isPending} onClick={onDone}>
            {text.tried.goOn}
          </Button>
        )}
      </div>
    </div>
  );
}

function RemoveButton({ account, onRemoved }: Pick<AddedAccountProps, 'account' | 'onRemoved'>): ReactNode {
  const text = useProvidersText().tried;
  const [{ remove }, toast, problem] = [useProviderActions(), useToast(), useText().problem.title];
  const [isBusy, setIsBusy] = useState(false);
  const run = () => {
    setIsBusy(true);
    remove(account.id).then(onRemoved, (error: unknown) => {
      setIsBusy(false);
      toast(error instanceof Error ? error.message : problem, 'failed');
    });
  };
  return (
    <Button busy={isBusy} onClick={run}>
      {text.remove}
    </Button>
  );
}
