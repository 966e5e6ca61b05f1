import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useServer } from '../core/session/server.ts';
import { useText } from '../core/text/text-context.tsx';
import { EntryPage } from './entry-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Where people sign in; they come back to where they wanted to go. */
export function SignInPage() {
  const text = useText().auth;
  const navigate = useNavigate();
  const { to } = useSearch({ from: '/sign-in' });
  const { data: server } = useServer();
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
