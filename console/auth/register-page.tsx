import { Link, useNavigate } from '@tanstack/react-router';
import { useServer } from '../core/session/server.ts';
import { useText } from '../core/text/text-context.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { EntryPage } from './entry-page.tsx';
import { RegisterForm } from './register-form.tsx';

/** Where people make an account of their own, on a server that lets them. */
export function RegisterPage() {
  const text = useText().auth;
  const navigate = useNavigate();
  const server = useServer();
  return (
    <EntryPage
      title={text.register}
      lead={server.data?.has_accounts === false ? text.first : undefined}
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
          if (registration === 'closed') return <p>{text.closed}</p>;
          if (registration === 'invite') return <p>{text.inviteOnly}</p>;
          return <RegisterForm onDone={() => void navigate({ to: '/welcome', replace: true })} />;
        }}
      </Loaded>
    </EntryPage>
  );
}
