import { useNavigate, useSearch } from '@tanstack/react-router';
import { RefreshCw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '../core/text/numbers.ts';
import { fullTime, timeZone } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { AuditFilters } from './audit-filters.tsx';
import classes from './audit.module.css';
import { EntryDialog } from './entry-dialog.tsx';
import type { AuditSearch } from './filters.ts';
import { type AuditEntry, MOST_COUNTED, useAuditEntries } from './queries.ts';
import { wordsOfAction } from './record-types.ts';
import { type AuditText, useAuditText } from './text.ts';

const TONES = { success: 'good', denied: 'warn', failed: 'danger' } as const;

/** The audit log, narrowed by filters that are in the address. */
export function AuditPage() {
  const text = useAuditText();
  const search = useSearch({ from: '/o/$orgId/audit' });
  const navigate = useNavigate({ from: '/o/$orgId/audit' });
  const [until, setUntil] = useState(() => new Date().toISOString());
  const entries = useAuditEntries(search, until);
  const set = (changes: AuditSearch) => void navigate({ search: { ...search, ...changes }, replace: true });
  const opened = entries.data?.items.find(({ id }) => id === search.entry);
  const { entry: _entry, ...filters } = search;
  return (
    <Page
      title={text.title}
      lead={text.lead(timeZone())}
      actions={
        <Button onClick={() => setUntil(new Date().toISOString())}>
          <RefreshCw aria-hidden />
          {text.refresh}
        </Button>
      }
    >
      <AuditFilters search={search} entries={entries.data?.items ?? []} />
      <Loaded query={entries}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty icon={<ScrollText />} title={text.empty}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <Table
                label={text.title}
                columns={columnsOf(text, ({ id }) => set({ entry: id }))}
                rows={items}
                keyOf={({ id }) => id}
              />
              {total >= MOST_COUNTED && <p className={classes.note}>{text.tooMany(formatNumber(MOST_COUNTED))}</p>}
              {items.length < MOST_COUNTED && <Pager pages={entries} />}
            </>
          )
        }
      </Loaded>
      {opened !== undefined && (
        <EntryDialog
          entry={opened}
          onClose={() => void navigate({ search: filters, replace: true })}
          onNarrow={(filter) => void navigate({ search: { ...filters, ...filter } })}
        />
      )}
    </Page>
  );
}

function columnsOf(text: AuditText, open: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    {
      key: 'time',
      title: text.time,
      cell: (entry) => (
        <button type="button" className={classes.open} onClick={() => open(entry)}>
          {fullTime(entry.created_at)}
        </button>
      ),
    },
    { key: 'who', title: text.who, cell: ({ actor_email: email }) => showInvisible(email ?? text.gone) },
    { key: 'action', title: text.did, cell: ({ action }) => wordsOfAction(action, text) },
    { key: 'record', title: text.record, cell: (entry) => <RecordCell entry={entry} /> },
    {
      key: 'outcome',
      title: text.outcome,
      cell: ({ outcome, attempts }) => (
        <Badge tone={TONES[outcome]}>
          {text.outcomes[outcome]}
          {attempts > 1 && ` × ${formatNumber(attempts)}`}
        </Badge>
      ),
    },
  ];
}

/** Which record an entry is about: in words, by its name, or else by its id. Empty when it is about none. */
function RecordCell({ entry }: { readonly entry: AuditEntry }) {
  const [text, orgId] = [useAuditText(), useOrgId()];
  const { record_id: id, record_name: name, actor_id: actorId, related_ids: related } = entry;
  if (id === actorId) return text.ownAccount;
  if (id === orgId) return text.thisOrg;
  if (name !== null) return showInvisible(name);
  const [first] = related;
  const shown = id ?? (related.length === 1 ? first : undefined);
  if (shown !== undefined) return <code className={classes.record}>{shown}</code>;
  return related.length > 1 ? text.several(formatNumber(related.length)) : null;
}
