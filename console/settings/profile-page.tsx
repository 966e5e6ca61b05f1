import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { answerOf } from '../core/http/api-client.ts';
import { CURRENT_USER, useApi, useCurrentUser, useOrgId, useSession } from '../core/session/session-context.tsx';
import type { CurrentUser } from '../core/session/session.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { CheckboxField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { DangerSection } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { BrowsersSection } from './browsers-section.tsx';
import { useSettingsText } from './text.ts';

/** One's own name, address and password, and the end of the account. */
export function ProfilePage() {
  return (
    <Loaded query={useCurrentUser()}>
      {(user) => (
        <>
          <NameSection user={user} />
          <EmailSection user={user} />
          <NotificationsSection user={user} />
          <BrowsersSection />
          <PasswordSection user={user} />
          <DeleteAccountSection user={user} />
        </>
      )}
    </Loaded>
  );
}

/** Deletes the account, once its address and the password were typed. */
function DeleteAccountSection({ user }: { readonly user: CurrentUser }) {
  const { account: text, managed } = useSettingsText();
  return (
    <DangerSection
      title={text.title}
      why={text.lead}
      action={text.action}
      question={text.ask}
      reason={user.is_managed ? managed : undefined}
      form={<DeleteForm email={user.email} />}
    />
  );
}

function DeleteForm({ email }: { readonly email: string }) {
  const { account: text, currentPassword } = useSettingsText();
  const { deleteAccount } = useProfileActions();
  const [typed, setTyped] = useState('');
  return (
    <Form
      submitLabel={text.action}
      variant="danger"
      reason={typed.trim() === email ? undefined : text.typeFirst}
      onSubmit={async ({ current_password: password = '' }) => deleteAccount(password)}
    >
      <Field label={text.typed(email)} name="typed" autoComplete="off" value={typed} onValueChange={setTyped} />
      <Field label={currentPassword} name="current_password" type="password" autoComplete="current-password" required />
    </Form>
  );
}

/** What people change about their own account. Passwords are kept in no cache. */
interface ProfileActions {
  readonly setName: (name: string) => Promise<void>;
  readonly setNotifications: (wanted: Pick<CurrentUser, 'mail_notifications' | 'slack_notifications'>) => Promise<void>;
  readonly setEmail: (email: string, password: string) => Promise<void>;
  /** Sets a new password. It ends all sign-ins, so this browser signs in again with it. */
  readonly setPassword: (user: CurrentUser, password: string, former: string) => Promise<void>;
  /** Deletes the account, and leaves the console. */
  readonly deleteAccount: (password: string) => Promise<void>;
}

/** Returns what changes the account of the signed-in user. */
function useProfileActions(): ProfileActions {
  const [api, session, cache, orgId] = [useApi(), useSession(), useQueryClient(), useOrgId()];
  const read = async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: CURRENT_USER }),
      cache.invalidateQueries({ queryKey: [orgId, 'members'] }),
    ]);
  };
  return {
    setName: async (name) => {
      await answerOf(api.PATCH('/api/users/me', { body: { full_name: name } }));
      await read();
    },
    setNotifications: async (wanted) => {
      await answerOf(api.PATCH('/api/users/me', { body: wanted }));
      await read();
    },
    setEmail: async (email, password) => {
      await answerOf(api.PUT('/api/users/me/email', { body: { email, current_password: password } }));
      await read();
    },
    setPassword: async ({ email }, password, former) => {
      await answerOf(api.PATCH('/api/users/me', { body: { password, current_password: former } }));
      await session.signIn(email, password);
    },
    deleteAccount: async (password) => {
      await answerOf(api.POST('/api/users/me/delete', { body: { current_password: password } }));
      // The session is gone with the account; this has all tabs leave.
      await session.signOut();
    },
  };
}

/** Sets a new password. The fields are emptied once it has worked. */
function PasswordSection({ user }: { readonly user: CurrentUser }) {
  const [text, toast] = [useSettingsText(), useToast()];
  const { setPassword } = useProfileActions();
  const [formsSent, setFormsSent] = useState(0);
  return (
    <Section title={text.password.title} lead={text.password.lead}>
      <Form
        key={formsSent}
        submitLabel={text.password.action}
        onSubmit={async ({ password = '', current_password: former = '' }) => {
          await setPassword(user, password, former);
          setFormsSent((n) => n + 1);
          toast(text.password.done);
        }}
      >
        <Field
          label={text.password.field}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={text.password.rule}
          required
        />
        <Field
          label={text.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
    </Section>
  );
}

/** Where the user is told what waits for them. */
function NotificationsSection({ user }: { readonly user: CurrentUser }) {
  const { notifications: text, saved } = useSettingsText();
  const { setNotifications } = useProfileActions();
  const { mail_notifications, mail_notifications_problem: problem, slack_notifications } = user;
  const mailHint = problem === null ? text.mailHint : `${text.mailHint} ${showInvisible(problem)}`;
  const stored = useMemo(
    () => ({ mail_notifications, slack_notifications }),
    [mail_notifications, slack_notifications],
  );
  return (
    <Section title={text.title} lead={text.lead}>
      <RecordForm
        draftKey="notifications"
        stored={stored}
        done={saved}
        onSubmit={async ({ values }) => setNotifications(values)}
      >
        {({ field }) => (
          <>
            <CheckboxField label={text.mail} hint={mailHint} {...field('mail_notifications')} />
            <CheckboxField label={text.slack} hint={text.slackHint} {...field('slack_notifications')} />
          </>
        )}
      </RecordForm>
    </Section>
  );
}

/** The address that the user signs in with. */
function EmailSection({ user }: { readonly user: CurrentUser }) {
  const [text, toast] = [useSettingsText(), useToast()];
  const { setEmail } = useProfileActions();
  const [formsSent, setFormsSent] = useState(0);
  const lead = `${showInvisible(user.email)}. ${text.email.lead}`;
  if (user.is_managed) return <Section title={text.email.title} lead={`${lead} ${text.managed}`} />;
  return (
    <Section title={text.email.title} lead={lead}>
      <Form
        key={formsSent}
        submitLabel={text.email.action}
        describe={({ status }) => (status === 409 ? text.email.taken : undefined)}
        onSubmit={async ({ email = '', current_password: password = '' }) => {
          await setEmail(email, password);
          setFormsSent((n) => n + 1);
          toast(text.saved);
        }}
      >
        <Field label={text.email.field} name="email" type="email" autoComplete="email" required />
        <Field
          label={text.currentPassword}
          name="current_password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
    </Section>
  );
}

/** The name by which others see the user. */
function NameSection({ user: { full_name: name } }: { readonly user: CurrentUser }) {
  const text = useSettingsText();
  const stored = useMemo(() => ({ full_name: name }), [name]);
  const { setName } = useProfileActions();
  return (
    <Section title={text.name.title} lead={text.name.lead}>
      <RecordForm
        draftKey="profile"
        stored={stored}
        done={text.saved}
        onSubmit={async ({ values }) => setName(values.full_name)}
      >
        {({ field }) => <Field label={text.name.field} autoComplete="name" required {...field('full_name')} />}
      </RecordForm>
    </Section>
  );
}
