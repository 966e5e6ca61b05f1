import { useState } from 'react';
import type { CurrentUser } from '../../core/session/session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Section } from '../../ui/page/section.tsx';
import { useSettingsText } from '../text.ts';
import { useProfileActions } from './queries.ts';

/** Deletes the account, once its address and the password were typed. */
export function DeleteAccountSection({ user }: { readonly user: CurrentUser }) {
  const text = useSettingsText();
  const [isAsking, setIsAsking] = useState(false);
  const reason = user.is_managed ? text.managed : undefined;
  return (
    <Section
      title={text.account.title}
      lead={text.account.lead}
      isDanger
      actions={
        <Button look="danger" reason={reason} onClick={() => setIsAsking(true)}>
          {text.account.action}
        </Button>
      }
    >
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.account.ask}
        description={text.account.lead}
      >
        <DeleteForm email={user.email} />
      </Dialog>
    </Section>
  );
}

function DeleteForm({ email }: { readonly email: string }) {
  const { account: text, currentPassword } = useSettingsText();
  const { deleteAccount } = useProfileActions();
  const [typed, setTyped] = useState('');
  return (
    <Form
      submitLabel={text.action}
      look="danger"
      reason={typed.trim() === email ? undefined : text.typeFirst}
      onSubmit={async ({ current_password: password = '' }) => deleteAccount(password)}
    >
      <Field label={text.typed(email)} name="typed" autoComplete="off" value={typed} onValueChange={setTyped} />
      <Field label={currentPassword} name="current_password" type="password" autoComplete="current-password" required />
    </Form>
  );
}
