import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useServer } from '../core/session/server.ts';
import { useText } from '../core/text/text-context.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { EntryPage } from './entry-page.tsx';
import { RegisterForm } from './register-form.tsx';
import { useSetupText } from './text.ts';

/** Where people make an account of their own, on a server that lets them, and where the first account is made. */
export function RegisterPage() {
  const [text, setup] = [useText().auth, useSetupText()];
  const navigate = useNavigate();
  const server = useServer();
  const [setupToken] = useState(() => new URL(window.location.href).searchParams.get('setup_token') ?? '');
  // Whoever sees the screen, or the history of the browser, is not to see the token.
  useEffect(() => window.history.replaceState(window.history.state, '', '/register'), []);
  const goOn = () => void navigate({ to: '/welcome', replace: true });
  const needsToken = server.data?.needs_setup_token === true;
  return (
    <EntryPage
      title={needsToken ? setup.title : text.register}
      lead={needsToken ? setup.lead : server.data?.has_accounts === false ? text.first : undefined}
      footer={
        server.data?.has_accounts === false ? undefined : (
          <p>
            {text.haveAccount} <Link to="/sign-in">{text.signIn}</Link>
          </p>
        )
      }
    >
      <Loaded query={server}>
        {({ registration }) => {
          if (needsToken) return <RegisterForm setupToken={setupToken} onDone={goOn} />;
          if (registration === 'closed') return <p>{text.closed}</p>;
          if (registration === 'invite') return <p>{text.inviteOnly}</p>;
          return <RegisterForm onDone={goOn} />;
        }}
      </Loaded>
    </EntryPage>
  );
}
