import { type ReactNode, useState } from 'react';
import { Loaded } from '../../ui/page/loaded.tsx';
import { type Provider, type ProviderSignIn, useCatalog, useTestProvider } from '../queries.ts';
import { AccountForm } from './account-form.tsx';
import { AddedAccount } from './added-account.tsx';
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
