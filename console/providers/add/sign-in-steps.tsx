import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNow } from '../../core/clock.ts';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../providers.module.css';
import { type Provider, type ProviderSignIn, useSignIn, useSignInActions } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface SignInStepsProps {
  readonly begun: ProviderSignIn;
  /** Leads back to where the sign-in was begun. */
  readonly onAgain: () => void;
  readonly onDone: (added: Provider) => void;
}

/** Leads through a sign-in on a page of the provider, and adds the account when it has succeeded. */
export function SignInSteps({ begun, onAgain, onDone }: SignInStepsProps): ReactNode {
  const text = useProvidersText().signIn;
  const { data: signIn = begun } = useSignIn(begun);
  const failure = useCompletion(signIn, onDone);
  const { status, detail } = signIn;
  if (status === 'failed' || status === 'expired' || failure !== undefined)
    return (
      <div className={classes.fields}>
        <div role="alert" className={classes.notice}>
          <p>{status === 'expired' ? text.expired : text.failed}</p>
          <p>{showInvisible(failure ?? detail ?? '')}</p>
        </div>
        <div className={classes.row}>
          <Button look="primary" onClick={onAgain}>
            {text.again}
          </Button>
        </div>
      </div>
    );
  return (
    <div className={classes.fields}>
      <p className={classes.notice}>{signIn.notice}</p>
      <ol className={classes.steps} aria-label={text.steps}>
        <OpenStep signIn={signIn} />
        {status === 'awaiting_code' && <CodeStep signIn={signIn} />}
        <li>
          <p>{text.finish}</p>
          <output>{status === 'verifying' ? text.verifying : showInvisible(detail ?? '')}</output>
        </li>
      </ol>
      <TimeLeft until={signIn.expires_at} />
    </div>
  );
}

function OpenStep({ signIn: { auth_url: address, user_code: code } }: { readonly signIn: ProviderSignIn }): ReactNode {
  const text = useProvidersText().signIn;
  return (
    <li>
      <p>{text.open}</p>
      {address !== null && isWeb(address) ? (
        <a className={buttonClass('primary')} href={address} target="_blank" rel="noopener noreferrer">
          {text.link}
        </a>
      ) : (
        <output>{text.waiting}</output>
      )}
      {code !== null && (
        <p>
          {text.enter} <span className={classes.code}>{showInvisible(code)}</span>
        </p>
      )}
    </li>
  );
}

function CodeStep({ signIn }: { readonly signIn: ProviderSignIn }): ReactNode {
  const text = useProvidersText().signIn;
  const { sendCode } = useSignInActions();
  return (
    <li>
      <p>{text.paste}</p>
      <Form submitLabel={text.send} onSubmit={async ({ code = '' }) => sendCode(signIn, code)}>
        <Field label={text.code} name="code" hint={text.codeHint} autoComplete="off" required />
      </Form>
    </li>
  );
}

function TimeLeft({ until }: { readonly until: string }): ReactNode {
  const text = useProvidersText().signIn;
  const seconds = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1_000));
  return (
    <p role="timer" className={classes.soft}>
      {text.left(seconds)}
    </p>
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
