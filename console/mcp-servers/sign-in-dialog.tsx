import { type ReactNode, useState } from 'react';
import { buttonClass } from '../ui/controls/button.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { safeLink } from '../ui/markdown/safe-link.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
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
      <Steps server={server} onClose={onClose} />
    </Dialog>
  );
}

function Steps({ server, onClose }: Omit<SignInDialogProps, 'open'>): ReactNode {
  const text = useServersText().signInSteps;
  const [actions, toast] = [useServerActions(), useToast()];
  const [address, setAddress] = useState<string>();
  if (address === undefined)
    return (
      <Form submitLabel={text.begin} onSubmit={async () => setAddress(await actions.beginSignIn(server.id))}>
        {null}
      </Form>
    );
  return (
    <Form
      submitLabel={text.finish}
      onSubmit={async ({ callback_url: callbackUrl = '' }) => {
        await actions.finishSignIn(server.id, callbackUrl);
        toast(text.done);
        onClose();
      }}
    >
      <p>
        <a className={buttonClass()} href={safeLink(address)?.href} target="_blank" rel="noopener noreferrer">
          {text.open}
        </a>
      </p>
      <Field label={text.callback} name="callback_url" hint={text.callbackHint} required autoComplete="off" />
    </Form>
  );
}
