import { type ReactNode, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import base from '../../ui/base.module.css';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import {
  type Provider,
  type ProviderSignIn,
  useCatalog,
  useProviderActions,
  useProviders,
  useTestProvider,
} from '../queries.ts';
import { TestResult } from '../account-status.tsx';
import { useProvidersText } from '../text.ts';
import { AccountForm } from './account-form.tsx';
import { SignInSteps } from './sign-in-steps.tsx';

interface AddAccountProps {
  readonly onDone: () => void;
  /** Further buttons of the form. */
  readonly actions?: ReactNode;
  /** Stands beside them once an account has not answered; by default what adds it all the same. */
  readonly whenFailed?: ReactNode;
}

/** Adds an account by its key, once it has answered, or by a sign-in, and says whether it works before one goes on. */
export function AddAccount({ onDone, actions, whenFailed }: AddAccountProps): ReactNode {
  const [catalog, test] = [useCatalog(), useTestProvider()];
  const [signIn, setSignIn] = useState<ProviderSignIn>();
  const [added, setAdded] = useState<{ readonly account: Provider; readonly hasAnswered: boolean }>();
  const takeSignedIn = (account: Provider) => {
    setAdded({ account, hasAnswered: false });
    test.mutate(account.id);
  };
  const beginAgain = () => {
    setSignIn(undefined);
    setAdded(undefined);
  };
  return (
    <Loaded query={catalog}>
      {(entries) => {
        if (added !== undefined) return <AddedAccount {...added} test={test} onDone={onDone} onRemoved={beginAgain} />;
        if (signIn !== undefined) return <SignInSteps begun={signIn} onAgain={beginAgain} onDone={takeSignedIn} />;
        return (
          <AccountForm
            entries={entries.filter(({ stream_type: type }) => type !== 'demo')}
            actions={actions}
            whenFailed={whenFailed}
            onAdded={(account, hasAnswered) => setAdded({ account, hasAnswered })}
            onSignIn={setSignIn}
          />
        );
      }}
    </Loaded>
  );
}

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
function AddedAccount({ account, hasAnswered, test, onDone, onRemoved }: AddedAccountProps): ReactNode {
  const text = useProvidersText();
  const isOnly = useProviders().data?.length === 1;
  const hasFailed = test.isError || test.data?.ok === false;
  const name = showInvisible(account.name);
  return (
    <div className={base.stack}>
      <p>
        {hasAnswered ? text.tried.works(name) : text.tried.added(name)} {isOnly && text.tried.replaces}
      </p>
      {test.isPending ? <output>{text.tried.testing}</output> : <TestResult test={test} />}
      <div className={base.row}>
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
