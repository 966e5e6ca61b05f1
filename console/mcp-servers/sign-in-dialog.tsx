import { type ReactNode, useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { OpenAddress, Step, Steps, TimeLeft } from '../ui/steps/steps.tsx';
import { type McpServer, useServerActions } from './queries.ts';
import { useServersText } from './text.ts';

interface SignInDialogProps {
  readonly server: McpServer;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Signs in at the server of a server's authorization: opens its page, and takes the address that it leads back to. */
export function SignInDialog({ server, open, onClose }: SignInDialogProps): ReactNode {
  const text = useServersText().signInSteps;
  return (
    <Dialog open={open} onClose={onClose} title={text.title} description={text.lead}>
      <SignInSteps server={server} onClose={onClose} />
    </Dialog>
  );
}

/** How long the address of a sign-in is good for. */
const GOOD_MS = 600_000;

interface StartedSignIn {
  readonly address: string;
  readonly until: string;
}

function SignInSteps({ server, onClose }: Omit<SignInDialogProps, 'open'>): ReactNode {
  const text = useServersText().signInSteps;
  const [actions, toast] = [useServerActions(), useToast()];
  const [started, setStarted] = useState<StartedSignIn>();
  if (started === undefined)
    return (
      <Form
        submitLabel={text.begin}
        actions={<Button onClick={onClose}>{text.cancel}</Button>}
        onSubmit={async () => {
          const address = await actions.beginSignIn(server.id);
          setStarted({ address, until: new Date(Date.now() + GOOD_MS).toISOString() });
        }}
      >
        {null}
      </Form>
    );
  return (
    <Steps label={text.title}>
      <Step title={text.openStep}>
        <OpenAddress address={started.address} label={text.open} copyLabel={text.copyAddress}>
          <TimeLeft until={started.until} say={text.left} />
        </OpenAddress>
      </Step>
      <Step title={text.finishStep}>
        <Form
          submitLabel={text.finish}
          actions={<Button onClick={() => setStarted(undefined)}>{text.again}</Button>}
          onSubmit={async ({ callback_url: callbackUrl = '' }) => {
            await actions.finishSignIn(server.id, callbackUrl);
            toast(text.done);
            onClose();
          }}
        >
          <Field label={text.callback} name="callback_url" hint={text.callbackHint} required autoComplete="off" />
        </Form>
      </Step>
    </Steps>
  );
}
