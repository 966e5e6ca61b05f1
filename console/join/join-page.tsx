import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { EntryPage } from '../auth/entry-page.tsx';
import { RegisterForm } from '../auth/register-page.tsx';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { CURRENT_USER, useApi, useSessionState } from '../core/session/session-context.tsx';
import { dropInvite, takeInvite } from '../core/session/kept-invite.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Skeleton } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useJoinText } from './text.ts';

/** Where the link of an invite leads: who invites, and the way in with or without an account. */
export function JoinPage() {
  const text = useJoinText();
  const [token] = useState(takeInvite);
  // Whoever sees the screen, or the history of the browser, is not to see the invite.
  useEffect(() => window.history.replaceState(window.history.state, '', '/join'), []);
  return (
    <EntryPage title={text.title}>{token === undefined ? <p>{text.missing}</p> : <Invite token={token} />}</EntryPage>
  );
}

function Invite({ token }: { readonly token: string }) {
  const [text, api, state] = [useJoinText(), useApi(), useSessionState()];
  const navigate = useNavigate();
  const cache = useQueryClient();
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/orgs/invite/{token}', { params: { path: { token } }, signal })),
  });
  const isGone = isNotThere(invite.error);
  useEffect(() => {
    if (isGone) dropInvite();
  }, [isGone]);
  if (invite.error instanceof Problem) return <p>{isGone ? text.gone : invite.error.message}</p>;
  if (invite.data === undefined) return <Skeleton rows={2} />;
  const role = invite.data.role;
  const org = showInvisible(invite.data.org_name);
  const done = async (to: string) => {
    dropInvite();
    await cache.invalidateQueries({ queryKey: CURRENT_USER });
    await navigate({ href: to, replace: true });
  };
  if (state !== 'open')
    return (
      <div className="stack">
        <p>{text.invitedTo(org, role)}</p>
        <p>{text.managed(org)}</p>
        <RegisterForm inviteToken={token} onDone={() => void done('/')} />
        <p>
          <Link to="/sign-in" search={{ to: '/join' }} className={buttonClass()}>
            {text.signInInstead}
          </Link>
        </p>
      </div>
    );
  return (
    <div className="stack">
      <p>{text.invitedTo(org, role)}</p>
      <Form
        submitLabel={text.accept(org)}
        describe={({ status }) => (status === 403 ? text.managedRefused : status === 404 ? text.gone : undefined)}
        onSubmit={async () => {
          const joined = await answerOf(api.POST('/api/orgs/accept-invite', { body: { token } })).catch(dropIfGone);
          await done(`/o/${joined.id}`);
        }}
      >
        {null}
      </Form>
    </div>
  );
}

function isNotThere(error: unknown): boolean {
  return error instanceof Problem && error.status === 404;
}

function dropIfGone(error: unknown): never {
  if (isNotThere(error)) dropInvite();
  throw error;
}
