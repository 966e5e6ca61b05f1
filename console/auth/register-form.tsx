import type { components } from '../openapi.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useSession } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';

interface RegisterFormProps {
  /** The invite that the account is made with. */
  readonly inviteToken?: string;
  readonly onDone: () => void;
}

/** Makes an account and signs it in. */
export function RegisterForm({ inviteToken, onDone }: RegisterFormProps) {
  const [text, api, session] = [useText().auth, useApi(), useSession()];
  return (
    <Form
      submitLabel={text.register}
      describe={({ status }) => (status === 409 ? text.addressTaken : undefined)}
      onSubmit={async ({ email = '', password = '', full_name: fullName = '' }) => {
        const body: components['schemas']['Registration'] = { email, password, full_name: fullName };
        const made = await answerOf(
          api.POST('/api/auth/register', {
            body: inviteToken === undefined ? body : { ...body, invite_token: inviteToken },
          }),
        );
        await session.signIn(email, password);
        // The registration has opened a session for programs, which nobody is going to use.
        await api.POST('/api/auth/logout', { headers: { Authorization: `Bearer ${made.access_token}` } });
        onDone();
      }}
    >
      <Field label={text.fullName} name="full_name" autoComplete="name" />
      <Field label={text.email} name="email" type="email" autoComplete="username" required />
      <Field
        label={text.password}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={text.passwordRule}
        minLength={8}
        required
      />
    </Form>
  );
}
