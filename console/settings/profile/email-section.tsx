import { useState } from 'react';
import type { CurrentUser } from '../../core/session/session.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSettingsText } from '../text.ts';
import { useProfileActions } from './queries.ts';

/** The address that the user signs in with. */
export function EmailSection({ user }: { readonly user: CurrentUser }) {
  const [text, toast] = [useSettingsText(), useToast()];
  const { setEmail } = useProfileActions();
  const [formsSent, setFormsSent] = useState(0);
  const lead = `${showInvisible(user.email)}. ${text.email.lead}`;
  if (user.is_managed) return <Section title={text.email.title} lead={`${lead} ${text.managed}`} />;
  return (
    <Section title={text.email.title} lead={lead}>
      <Form
        key={formsSent}
        submitLabel={text.email.action}
        describe={({ status }) => (status === 409 ? text.email.taken : undefined)}
        onSubmit={async ({ email = '', current_password: password = '' }) => {
          await setEmail(email, password);
          setFormsSent((n) => n + 1);
          toast(text.saved);
        }}
      >
        <Field label={text.email.field} name="email" type="email" autoComplete="email" required />
        <Field
          label={text.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
    </Section>
  );
}
