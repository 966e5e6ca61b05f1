import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../core/text/text-context.tsx';
import { CopyButton } from '../ui/code/code-block.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { OpenAddress, Step, StepCode, StepRow, Steps, TimeLeft } from '../ui/steps/steps.tsx';
import { showInvisible } from '../ui/visible.ts';
import { TestResult } from './account-status.tsx';
import { AccountForm } from './new-account-form.tsx';
import classes from './providers.module.css';
import {
  type Provider,
  type ProviderSignIn,
  useCatalog,
  useProviderActions,
  useProviders,
  useSignIn,
  useSignInActions,
  useTestProvider,
} from './queries.ts';
import { useProvidersText } from './text.ts';

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

interface SignInStepsProps {
  readonly begun: ProviderSignIn;
  /** Leads back to where the sign-in was begun. */
  readonly onAgain: () => void;
  readonly onDone: (added: Provider) => void;
}

/** Leads through a sign-in on a page of the provider, and adds the account when it has succeeded. */
function SignInSteps({ begun, onAgain, onDone }: SignInStepsProps): ReactNode {
  const [text, common] = [useProvidersText().signIn, useText().common];
  const { data: signIn = begun } = useSignIn(begun);
  const failure = useCompletion(signIn, onDone);
  const { status, detail } = signIn;
  if (status === 'failed' || status === 'expired' || failure !== undefined)
    return (
      <div className="stack">
        <div role="alert" className={classes.notice}>
          <p>{status === 'expired' ? text.expired : text.failed}</p>
          <p>{showInvisible(failure ?? detail ?? '')}</p>
        </div>
        <StepRow>
          <Button variant="primary" onClick={onAgain}>
            {text.again}
          </Button>
        </StepRow>
      </div>
    );
  return (
    <div className="stack">
      <p className={classes.notice}>{signIn.notice}</p>
      <Steps label={text.steps}>
        <OpenStep signIn={signIn} />
        {status === 'awaiting_code' && <CodeStep signIn={signIn} />}
        <Step title={text.finish}>
          <output className={classes.soft}>{status === 'pending' ? text.pending : text.states[status]}</output>
        </Step>
      </Steps>
      <StepRow>
        <Button onClick={onAgain}>{common.cancel}</Button>
        <TimeLeft until={signIn.expires_at} say={text.left} />
      </StepRow>
    </div>
  );
}

function OpenStep({ signIn: { auth_url: address, user_code: code } }: { readonly signIn: ProviderSignIn }): ReactNode {
  const text = useProvidersText().signIn;
  return (
    <Step title={text.open}>
      {address !== null && isWeb(address) ? (
        <OpenAddress address={address} label={text.link} copyLabel={text.copyAddress} />
      ) : (
        <output className={classes.soft}>{text.waiting}</output>
      )}
      {code !== null && (
        <StepRow>
          <span>{text.enter}</span>
          <StepCode>{showInvisible(code)}</StepCode>
          <CopyButton text={code} label={text.copyCode} />
        </StepRow>
      )}
    </Step>
  );
}

function CodeStep({ signIn }: { readonly signIn: ProviderSignIn }): ReactNode {
  const text = useProvidersText().signIn;
  const { sendCode } = useSignInActions();
  return (
    <Step title={text.paste}>
      {signIn.detail !== null && (
        <p role="alert" className={classes.failed}>
          {showInvisible(signIn.detail)}
        </p>
      )}
      <Form submitLabel={text.send} onSubmit={async ({ code = '' }) => sendCode(signIn, code)}>
        <Field label={text.code} name="code" hint={text.codeHint} autoComplete="off" required />
      </Form>
    </Step>
  );
}

/** Makes an account of a sign-in once it is ready. Returns why that has failed. */
function useCompletion(signIn: ProviderSignIn, onDone: (added: Provider) => void): string | undefined {
  const { complete } = useSignInActions();
  const [failure, setFailure] = useState<string>();
  const isAsked = useRef(false);
  const isReady = signIn.status === 'ready';
  useEffect(() => {
    if (!isReady || isAsked.current) return;
    isAsked.current = true;
    complete(signIn).then(onDone, (error: unknown) => setFailure(error instanceof Error ? error.message : ''));
  }, [isReady, complete, signIn, onDone]);
  return failure;
}

// The address comes from a program: only a page may be opened.
function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address);
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
    <div className="stack">
      <p>
        {hasAnswered ? text.tried.works(name) : text.tried.added(name)} {isOnly && text.tried.replaces}
      </p>
      {test.isPending ? <output>{text.tried.testing}</output> : <TestResult test={test} />}
      <div className="row">
        {hasFailed ? (
          <>
            <Button variant="primary" onClick={() => test.mutate(account.id)}>
              {text.test.again}
            </Button>
            <RemoveButton account={account} onRemoved={onRemoved} />
          </>
        ) : (
          <Button variant="primary" busy={test.isPending} onClick={onDone}>
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
