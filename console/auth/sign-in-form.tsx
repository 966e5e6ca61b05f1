import { useSession } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';

/** Asks for the address and the password, and signs in with them. */
export function SignInForm({ onDone }: { readonly onDone: () => void }) {
  const [text, session] = [useText().auth, useSession()];
  return (
    <Form
      submitLabel={text.signIn}
      describe={({ status }) => (status === 401 ? text.wrongPair : undefined)}
      onSubmit={async ({ email = '', password = '' }) => {
        await session.signIn(email, password);
        onDone();
      }}
    >
      <Field label={text.email} name="email" type="email" autoComplete="username" isFirst required />
      <Field label={text.password} name="password" type="password" autoComplete="current-password" required />
    </Form>
  );
}
