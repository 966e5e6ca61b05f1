import { type ReactNode, useState } from 'react';
import { buttonClass } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { safeLink } from '../ui/markdown/safe-link.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useIntegrationActions } from './queries.ts';
import { useIntegrationsText } from './text.ts';

interface SignInDialogProps {
  readonly integrationId: string;
  /** What the OAuth client has to name as its redirect address. */
  readonly redirectUrl: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Signs in at the service of an integration; the page that the service leads back to ends it. */
export function SignInDialog({ integrationId, redirectUrl, open, onClose }: SignInDialogProps): ReactNode {
  const text = useIntegrationsText();
  return (
    <Dialog open={open} onClose={onClose} title={text.signIn} description={text.signInLead(redirectUrl)}>
      <Steps integrationId={integrationId} />
    </Dialog>
  );
}

function Steps({ integrationId }: Pick<SignInDialogProps, 'integrationId'>): ReactNode {
  const text = useIntegrationsText();
  const actions = useIntegrationActions();
  const [address, setAddress] = useState<string>();
  if (address === undefined)
    return (
      <Form submitLabel={text.begin} onSubmit={async () => setAddress(await actions.beginSignIn(integrationId))}>
        {null}
      </Form>
    );
  return (
    <p>
      <a className={buttonClass('primary')} href={safeLink(address)?.href} target="_blank" rel="noopener noreferrer">
        {text.openPage}
      </a>
    </p>
  );
}
