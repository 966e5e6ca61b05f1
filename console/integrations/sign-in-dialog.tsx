import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { CopyButton } from '../ui/code/code-block.tsx';
import { CheckboxField } from '../ui/fields/fields.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { OpenAddress, Step, StepRow, Steps, TimeLeft } from '../ui/steps/steps.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './integrations.module.css';
import {
  type IntegrationKind,
  isRefusal,
  type StartedSignIn,
  useIntegrationActions,
  useSignInStatus,
} from './queries.ts';
import { type IntegrationsText, useIntegrationsText } from './text.ts';

interface SignInDialogProps {
  readonly integrationId: string;
  readonly oauth: NonNullable<IntegrationKind['oauth']>;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Signs in at the service of an integration, and tells how that went. */
export function SignInDialog({ integrationId, oauth, open, onClose }: SignInDialogProps): ReactNode {
  const text = useIntegrationsText();
  return (
    <Dialog open={open} onClose={onClose} title={text.signIn} description={text.signInLead}>
      <SignIn integrationId={integrationId} oauth={oauth} onClose={onClose} />
    </Dialog>
  );
}

function SignIn({ integrationId, oauth, onClose }: Omit<SignInDialogProps, 'open'>): ReactNode {
  const [started, setStarted] = useState<StartedSignIn>();
  if (started === undefined)
    return <Begin integrationId={integrationId} oauth={oauth} onStarted={setStarted} onClose={onClose} />;
  return (
    <UnderWay integrationId={integrationId} started={started} onAgain={() => setStarted(undefined)} onClose={onClose} />
  );
}

interface BeginProps extends Omit<SignInDialogProps, 'open'> {
  readonly onStarted: (started: StartedSignIn) => void;
}

function Begin({ integrationId, oauth, onStarted, onClose }: BeginProps): ReactNode {
  const text = useIntegrationsText();
  const actions = useIntegrationActions();
  const [scopes, setScopes] = useState(() =>
    oauth.scopes.filter(({ is_usual: isUsual }) => isUsual).map(({ name }) => name),
  );
  return (
    <Form
      submitLabel={text.begin}
      reason={scopes.length === 0 ? text.scopesNone : undefined}
      actions={<Button onClick={onClose}>{text.cancel}</Button>}
      onSubmit={async () => onStarted(await actions.beginSignIn(integrationId, scopes))}
    >
      <div className="stack small gap-1">
        <span>{text.redirect}</span>
        <StepRow>
          <span className={classes.address}>{oauth.redirect_url}</span>
          <CopyButton text={oauth.redirect_url} />
        </StepRow>
      </div>
      {oauth.scopes.length > 1 && (
        <fieldset className={`list bare ${classes.scopes}`}>
          <legend>{text.scopes}</legend>
          {oauth.scopes.map(({ name, description }) => (
            <CheckboxField
              key={name}
              label={description}
              hint={name}
              name={`scope.${name}`}
              value={scopes.includes(name)}
              onValueChange={(isChosen) =>
                setScopes((last) => (isChosen ? [...last, name] : last.filter((each) => each !== name)))
              }
            />
          ))}
        </fieldset>
      )}
    </Form>
  );
}

interface UnderWayProps {
  readonly integrationId: string;
  readonly started: StartedSignIn;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function UnderWay({ integrationId, started, onAgain, onClose }: UnderWayProps): ReactNode {
  const text = useIntegrationsText();
  const { data, error } = useSignInStatus(integrationId);
  const status = data?.status ?? 'waiting';
  const { read } = useIntegrationActions();
  useEffect(() => {
    if (status === 'done') void read();
    // The functions are made anew each time.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [status]);
  if (status === 'done')
    return (
      <Ending words={text.signInDone}>
        <Button variant="primary" onClick={onClose}>
          {text.close}
        </Button>
      </Ending>
    );
  const failure = failureOf(text, { data, error });
  if (failure !== undefined)
    return (
      <Ending isProblem words={failure}>
        <Button variant="primary" onClick={onAgain}>
          {text.again}
        </Button>
        <Button onClick={onClose}>{text.close}</Button>
      </Ending>
    );
  return (
    <div className="stack form">
      <Steps label={text.signIn}>
        <Step title={text.openStep}>
          <OpenAddress address={started.authorize_url} label={text.openPage} copyLabel={text.copyAddress} />
        </Step>
        <Step title={text.agreeStep} />
        <Step title={text.waitStep}>
          <output className="soft wrap-anywhere">{status === 'verifying' ? text.verifying : text.waiting}</output>
        </Step>
      </Steps>
      <StepRow>
        <Button onClick={onClose}>{text.cancel}</Button>
        <TimeLeft until={started.expires_at} say={text.left} />
      </StepRow>
    </div>
  );
}

/** Says why a sign-in has come to nothing; undefined where it has not. */
function failureOf(
  text: IntegrationsText,
  { data, error }: Pick<ReturnType<typeof useSignInStatus>, 'data' | 'error'>,
): string | undefined {
  if (data?.status === 'failed') return text.signInFailed(showInvisible(data.detail ?? ''));
  if (data?.status === 'expired') return text.expired;
  return isRefusal(error) ? error?.message : undefined;
}

interface EndingProps {
  readonly words: string;
  readonly isProblem?: boolean;
  readonly children: ReactNode;
}

function Ending({ words, isProblem = false, children }: EndingProps): ReactNode {
  return (
    <div className="stack form">
      <p role={isProblem ? 'alert' : 'status'} className={isProblem ? 'danger wrap-anywhere' : undefined}>
        {words}
      </p>
      <StepRow>{children}</StepRow>
    </div>
  );
}
