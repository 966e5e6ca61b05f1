import { type ReactNode, useState } from 'react';
import { Loaded } from '../../ui/page/loaded.tsx';
import { type Provider, type ProviderSignIn, useCatalog, useTestProvider } from '../queries.ts';
import { AccountForm } from './account-form.tsx';
import { SignInSteps } from './sign-in-steps.tsx';
import { TriedAccount } from './tried-account.tsx';

interface AddAccountProps {
  readonly onDone: () => void;
  /** Further buttons of the form. */
  readonly actions?: ReactNode;
}

/** Adds an account by its key or by a sign-in, and shows whether it works before one goes on. */
export function AddAccount({ onDone, actions }: AddAccountProps): ReactNode {
  const [catalog, test] = [useCatalog(), useTestProvider()];
  const [signIn, setSignIn] = useState<ProviderSignIn>();
  const [added, setAdded] = useState<Provider>();
  const take = (account: Provider) => {
    setAdded(account);
    test.mutate(account.id);
  };
  return (
    <Loaded query={catalog}>
      {(entries) => {
        const entry = entries.find(({ key }) => key === added?.provider_type);
        if (added !== undefined) return <TriedAccount account={added} entry={entry} test={test} onDone={onDone} />;
        if (signIn !== undefined)
          return <SignInSteps begun={signIn} onAgain={() => setSignIn(undefined)} onDone={take} />;
        return (
          <AccountForm
            entries={entries.filter(({ stream_type: type }) => type !== 'demo')}
            actions={actions}
            onAdded={take}
            onSignIn={setSignIn}
          />
        );
      }}
    </Loaded>
  );
}
