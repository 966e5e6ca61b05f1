import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { SERVER, useApi, useServer, useSession } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import type { components } from '../openapi.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { EntryPage } from './entry-page.tsx';
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

interface RegisterFormProps {
  /** The invite that the account is made with. */
  readonly inviteToken?: string;
  /** The token that the first account of a server is made with, as far as it is known: it is asked for. */
  readonly setupToken?: string;
  readonly onDone: () => void;
}

/** Makes an account and signs it in, or leads to the sign-in when that fails. */
export function RegisterForm({ inviteToken, setupToken, onDone }: RegisterFormProps) {
  const [text, api, session, toast] = [useText().auth, useApi(), useSession(), useToast()];
  const setup = useSetupText();
  const navigate = useNavigate();
  const cache = useQueryClient();
  return (
    <Form
      submitLabel={text.register}
      describe={({ status }) => (status === 409 ? text.addressTaken : undefined)}
      onSubmit={async ({ email = '', password = '', full_name: fullName = '', setup_token: enteredToken }) => {
        const body: components['schemas']['Registration'] = {
          email,
          password,
          ...(fullName.trim() !== '' && { full_name: fullName }),
          ...(inviteToken !== undefined && { invite_token: inviteToken }),
          ...(enteredToken !== undefined && { setup_token: enteredToken.trim() }),
        };
        const made = await answerOf(api.POST('/api/auth/register', { body }));
        // It said that nobody has an account, which would lead back here.
        cache.removeQueries({ queryKey: SERVER });
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
      {setupToken !== undefined && (
        <Field
          label={setup.token}
          name="setup_token"
          hint={
            <>
              {setup.whereToken} <code>{setup.logCommand}</code>
            </>
          }
          defaultValue={setupToken}
          autoComplete="off"
          spellCheck={false}
          isFirst={setupToken === ''}
          required
        />
      )}
      <Field label={text.fullName} name="full_name" autoComplete="name" isFirst={setupToken !== ''} />
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
