import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { unsubscribeFromPush } from '../core/browser/push.ts';
import { useServer, useSession } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { EntryPage } from './entry-page.tsx';

/** Where people sign in; they come back to where they wanted to go. */
export function SignInPage() {
  const text = useText().auth;
  const navigate = useNavigate();
  const { to } = useSearch({ from: '/sign-in' });
  const { data: server } = useServer();
  // The next user is not notified of what waits for the former one.
  useEffect(() => void unsubscribeFromPush().catch(() => undefined), []);
  // Nobody can sign in before there is an account.
  if (server?.has_accounts === false) return <Navigate to="/register" replace />;
  return (
    <EntryPage
      title={text.signIn}
      footer={
        <>
          <p>{text.forgotten}</p>
          {server?.registration === 'open' && (
            <p>
              {text.noAccount} <Link to="/register">{text.register}</Link>
            </p>
          )}
        </>
      }
    >
      <SignInForm onDone={() => void navigate({ href: to ?? '/', replace: true })} />
    </EntryPage>
  );
}

interface SignInFormProps {
  /** The address of who is asked, where it is known. */
  readonly email?: string | undefined;
  readonly onDone: () => void;
}

/** Asks for the address and the password, and signs in with them. */
export function SignInForm({ email = '', onDone }: SignInFormProps) {
  const [text, session] = [useText().auth, useSession()];
  return (
    <Form
      submitLabel={text.signIn}
      describe={({ status }) => (status === 401 ? text.wrongPair : undefined)}
      onSubmit={async ({ email: entered = '', password = '' }) => {
        await session.signIn(entered, password);
        onDone();
      }}
    >
      <Field
        label={text.email}
        name="email"
        type="email"
        autoComplete="username"
        defaultValue={email}
        isFirst
        required
      />
      <Field label={text.password} name="password" type="password" autoComplete="current-password" required />
    </Form>
  );
}
