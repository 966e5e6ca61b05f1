import { useState } from 'react';
import type { CurrentUser } from '../../core/session/session.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page/section.tsx';
import { useSettingsText } from '../text.ts';
import { useProfileActions } from './queries.ts';

/** Sets a new password. The fields are emptied once it has worked. */
export function PasswordSection({ user }: { readonly user: CurrentUser }) {
  const [text, toast] = [useSettingsText(), useToast()];
  const { setPassword } = useProfileActions();
  const [formsSent, setFormsSent] = useState(0);
  return (
    <Section title={text.password.title} lead={text.password.lead}>
      <Form
        key={formsSent}
        submitLabel={text.password.action}
        onSubmit={async ({ password = '', current_password: former = '' }) => {
          await setPassword(user, password, former);
          setFormsSent((n) => n + 1);
          toast(text.password.done);
        }}
      >
        <Field
          label={text.password.field}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={text.password.rule}
          required
        />
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
