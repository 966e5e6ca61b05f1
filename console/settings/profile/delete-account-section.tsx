import { useState } from 'react';
import type { CurrentUser } from '../../core/session/session.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { DangerSection } from '../../ui/overlays/danger-section.tsx';
import { useSettingsText } from '../text.ts';
import { useProfileActions } from './queries.ts';

/** Deletes the account, once its address and the password were typed. */
export function DeleteAccountSection({ user }: { readonly user: CurrentUser }) {
  const { account: text, managed } = useSettingsText();
  return (
    <DangerSection
      title={text.title}
      why={text.lead}
      action={text.action}
      question={text.ask}
      reason={user.is_managed ? managed : undefined}
      form={<DeleteForm email={user.email} />}
    />
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
