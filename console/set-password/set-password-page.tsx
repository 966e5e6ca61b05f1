import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { EntryPage } from '../auth/entry-page.tsx';
import { answerOf } from '../core/http/api-client.ts';
import { useApi } from '../core/session/session-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useSetPasswordText } from './text.ts';

/** Where the link that an administrator makes leads: a new password for an account that an organization manages. */
export function SetPasswordPage() {
  const text = useSetPasswordText();
  const api = useApi();
  const [token] = useState(() => new URL(window.location.href).searchParams.get('token'));
  const [isDone, setIsDone] = useState(false);
  // Whoever sees the screen, or the history of the browser, is not to see the link.
  useEffect(() => window.history.replaceState(window.history.state, '', '/set-password'), []);
  if (token === null) return <EntryPage title={text.title}>{text.missing}</EntryPage>;
  if (isDone)
    return (
      <EntryPage title={text.title}>
        <p>{text.done}</p>
        <p>
          <Link to="/sign-in" className={buttonClass('primary')}>
            {text.signIn}
          </Link>
        </p>
      </EntryPage>
    );
  return (
    <EntryPage title={text.title} lead={text.lead}>
      <Form
        submitLabel={text.set}
        describe={({ status }) => (status === 404 ? text.gone : undefined)}
        onSubmit={async ({ password = '' }) => {
          await answerOf(api.POST('/api/auth/password', { body: { token, password } }));
          setIsDone(true);
        }}
      >
        <Field
          label={text.password}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={text.rule}
          isFirst
          required
        />
      </Form>
    </EntryPage>
  );
}
