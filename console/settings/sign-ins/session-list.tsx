import { useState } from 'react';
import { fullTime, timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../settings-page.module.css';
import { type SettingsText, useSettingsText } from '../text.ts';
import { clientName } from './client-name.ts';
import { type Session, useSessions, useSignInActions } from './queries.ts';

/** The sign-ins of the user. The one that is used now is ended by signing out. */
export function SessionList() {
  const [text, toast] = [useSettingsText(), useToast()];
  const sessions = useSessions();
  const { endSession } = useSignInActions();
  const [ended, setEnded] = useState<Session>();
  return (
    <Section
      title={text.sessions.title}
      lead={text.sessions.lead}
      actions={sessions.data !== undefined && <EndOthers sessions={sessions.data} />}
    >
      <Loaded query={sessions}>
        {(rows) => (
          <Table
            label={text.sessions.title}
            columns={columnsOf(text, setEnded)}
            rows={rows.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      <Confirm
        open={ended !== undefined}
        onClose={() => setEnded(undefined)}
        title={text.sessions.ask}
        description={text.sessions.why(clientName(ended?.user_agent ?? null, text.sessions))}
        action={text.sessions.end}
        onConfirm={async () => {
          await endSession(ended?.id ?? '');
          toast(text.sessions.done);
        }}
      />
    </Section>
  );
}

/** Ends all sign-ins but the one that is used now, after asking. */
function EndOthers({ sessions }: { readonly sessions: readonly Session[] }) {
  const [{ sessions: text }, toast] = [useSettingsText(), useToast()];
  const { endOthers } = useSignInActions();
  const [asks, setAsks] = useState(false);
  const hasOthers = sessions.some(({ is_current: isCurrent }) => !isCurrent);
  return (
    <>
      <Button reason={hasOthers ? undefined : text.noOthers} onClick={() => setAsks(true)}>
        {text.endOthers}
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={text.askOthers}
        description={text.whyOthers}
        action={text.endOthers}
        onConfirm={async () => {
          await endOthers();
          toast(text.doneOthers);
        }}
      />
    </>
  );
}

function columnsOf(text: SettingsText, end: (session: Session) => void): readonly Column<Session>[] {
  return [
    { key: 'client', title: text.sessions.what, cell: (session) => <Client session={session} /> },
    { key: 'used', title: text.lastUsed, cell: ({ updated_at: at }) => timeFromNow(at) },
    { key: 'since', title: text.sessions.since, cell: ({ created_at: at }) => timeFromNow(at) },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    {
      key: 'end',
      title: text.actions,
      isActions: true,
      cell: (session) => (
        <Button
          look="quiet"
          aria-label={text.sessions.endOne(clientName(session.user_agent, text.sessions), fullTime(session.created_at))}
          reason={session.is_current ? text.sessions.endThis : undefined}
          onClick={() => end(session)}
        >
          {text.sessions.end}
        </Button>
      ),
    },
  ];
}

/** What a sign-in was last used with, and from where. */
function Client({ session }: { readonly session: Session }) {
  const { sessions: text } = useSettingsText();
  const { user_agent: userAgent, ip_address: address, is_current: isCurrent } = session;
  return (
    <span className={classes.two}>
      <span className={classes.line}>
        <span className={classes.client} title={userAgent === null ? undefined : showInvisible(userAgent)}>
          {clientName(userAgent, text)}
        </span>
        {isCurrent && <Badge tone="good">{text.current}</Badge>}
      </span>
      <span className={classes.soft}>{address ?? text.notYet}</span>
    </span>
  );
}
