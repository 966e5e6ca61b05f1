import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import base from '../../ui/base.module.css';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { OpenAddress, Step, StepCode, StepRow, Steps, TimeLeft } from '../../ui/steps/steps.tsx';
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
  const [text, common] = [useProvidersText().signIn, useText().common];
  const { data: signIn = begun } = useSignIn(begun);
  const failure = useCompletion(signIn, onDone);
  const { status, detail } = signIn;
  if (status === 'failed' || status === 'expired' || failure !== undefined)
    return (
      <div className={base.stack}>
        <div role="alert" className={classes.notice}>
          <p>{status === 'expired' ? text.expired : text.failed}</p>
          <p>{showInvisible(failure ?? detail ?? '')}</p>
        </div>
        <StepRow>
          <Button look="primary" onClick={onAgain}>
            {text.again}
          </Button>
        </StepRow>
      </div>
    );
  return (
    <div className={base.stack}>
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
