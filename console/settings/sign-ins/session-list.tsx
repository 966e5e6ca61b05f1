import { useState } from 'react';
import { fullTime, timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { type Column, Table } from '../../ui/page/table.tsx';
import classes from '../settings-page.module.css';
import { type SettingsText, useSettingsText } from '../text.ts';
import { type Session, useSessions, useSignInActions } from './queries.ts';

/** The sign-ins of the user. The one that is used now is ended by signing out. */
export function SessionList() {
  const [text, toast] = [useSettingsText(), useToast()];
  const { endSession } = useSignInActions();
  const [ended, setEnded] = useState<Session>();
  return (
    <Section title={text.sessions.title} lead={text.sessions.lead}>
      <Loaded query={useSessions()}>
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
        description={text.sessions.why}
        action={text.sessions.end}
        onConfirm={async () => {
          await endSession(ended?.id ?? '');
          toast(text.sessions.done);
        }}
      />
    </Section>
  );
}

function columnsOf(text: SettingsText, end: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      key: 'since',
      title: text.sessions.since,
      cell: ({ created_at: at, is_current: isCurrent }) => (
        <span className={classes.line}>
          {timeFromNow(at)}
          {isCurrent && <Badge tone="good">{text.sessions.current}</Badge>}
        </span>
      ),
    },
    { key: 'renewed', title: text.sessions.renewed, cell: ({ updated_at: at }) => timeFromNow(at) },
    { key: 'expires', title: text.expires, cell: ({ expires_at: at }) => timeFromNow(at) },
    {
      key: 'end',
      title: text.actions,
      isActions: true,
      cell: (session) => (
        <Button
          look="quiet"
          aria-label={text.sessions.endOne(fullTime(session.created_at))}
          reason={session.is_current ? text.sessions.endThis : undefined}
          onClick={() => end(session)}
        >
          {text.sessions.end}
        </Button>
      ),
    },
  ];
}
