import { useNavigate } from '@tanstack/react-router';
import type { components } from '../openapi.ts';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useSession } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';

interface RegisterFormProps {
  /** The invite that the account is made with. */
  readonly inviteToken?: string;
  readonly onDone: () => void;
}

/** Makes an account and signs it in, or leads to the sign-in when that fails. */
export function RegisterForm({ inviteToken, onDone }: RegisterFormProps) {
  const [text, api, session, toast] = [useText().auth, useApi(), useSession(), useToast()];
  const navigate = useNavigate();
  return (
    <Form
      submitLabel={text.register}
      describe={({ status }) => (status === 409 ? text.addressTaken : undefined)}
      onSubmit={async ({ email = '', password = '', full_name: fullName = '' }) => {
        const body: components['schemas']['Registration'] = {
          email,
          password,
          ...(fullName.trim() !== '' && { full_name: fullName }),
          ...(inviteToken !== undefined && { invite_token: inviteToken }),
        };
        const made = await answerOf(api.POST('/api/auth/register', { body }));
        // The registration has opened a session for programs, which nobody is going to use.
        const headers = { Authorization: `Bearer ${made.access_token}` };
        await api.POST('/api/auth/logout', { headers }).catch(() => undefined);
        try {
          await session.signIn(email, password);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          // The account is there: to make it once more would fail.
          toast(text.registered);
          await navigate({ to: '/sign-in' });
          return;
        }
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
