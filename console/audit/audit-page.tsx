import { useNavigate, useSearch } from '@tanstack/react-router';
import { RefreshCw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { formatNumber, fullTime, timeZone } from '../core/text/formats.ts';
import { type Member, nameOf, useMembers } from '../members/queries.ts';
import { Button } from '../ui/controls/button.tsx';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SuggestField } from '../ui/fields/fields.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Empty, Loaded, Page, Pager, Table } from '../ui/page/page.tsx';
import { FilterChips } from '../ui/page/filter-chips.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './audit.module.css';
import { EntryDialog } from './entry-dialog.tsx';
import { type AuditSearch, type FilterName, FILTERS, OUTCOMES } from './filters.ts';
import { type AuditEntry, MOST_COUNTED, useAuditEntries } from './queries.ts';
import { actionOf, RECORD_TYPES, wordsOfAction } from './record-types.ts';
import { Actor, Deed } from './said-entry.tsx';
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
        <Button icon={RefreshCw} onClick={() => setUntil(new Date().toISOString())}>
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

interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** The entries that are shown: their actions are suggested. */
  readonly entries: readonly AuditEntry[];
}

/** The filters of the log as chips, and the window in which one is set. */
function AuditFilters({ search, entries }: AuditFiltersProps) {
  const text = useAuditText();
  const navigate = useNavigate({ from: '/o/$orgId/audit' });
  const { data: members = [] } = useMembers();
  const [edited, setEdited] = useState<FilterName>();
  const names = new Map(members.map((member) => [member.user_id, nameOf(member)]));
  const set = (name: FilterName, value: string | undefined) => {
    const { entry: _entry, [name]: _former, ...others } = search;
    void navigate({ search: value === undefined ? others : { ...others, [name]: value }, replace: true });
  };
  const active = FILTERS.flatMap((name) => {
    const value = search[name];
    if (value === undefined) return [];
    const label = text.chip(text.filters[name], wordsOf(name, value, names, text));
    return [{ key: name, label, onRemove: () => set(name, undefined) }];
  });
  return (
    <>
      <FilterChips
        active={active}
        more={FILTERS.map((name) => ({ key: name, label: text.filters[name], run: () => setEdited(name) }))}
        onClear={() => void navigate({ search: {}, replace: true })}
      />
      <Dialog
        open={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited === undefined ? '' : text.filterBy(text.filters[edited])}
      >
        {edited !== undefined && (
          <FilterForm
            name={edited}
            value={search[edited]}
            members={members}
            actions={[...new Set(entries.map(({ action }) => action))]}
            onSet={(value) => {
              setEdited(undefined);
              set(edited, value);
            }}
          />
        )}
      </Dialog>
    </>
  );
}

interface FilterFormProps {
  readonly name: FilterName;
  readonly value: string | undefined;
  readonly members: readonly Member[];
  /** Actions to suggest. */
  readonly actions: readonly string[];
  readonly onSet: (value: string | undefined) => void;
}

/** Sets one filter: by a choice where the values are known, else by what is typed. */
function FilterForm(props: FilterFormProps) {
  const text = useAuditText();
  const { name, onSet } = props;
  const [isTime, isAction] = [name === 'from' || name === 'to', name === 'action'];
  const given = isAction && props.value !== undefined ? wordsOfAction(props.value, text) : props.value;
  const [value, setValue] = useState<string | null>(given ?? null);
  const send = () => {
    if (value === null || value === '') return onSet(undefined);
    if (isAction) return onSet(actionOf(value, text));
    onSet(isTime ? new Date(value).toISOString() : value.trim());
  };
  return (
    <Form submitLabel={text.apply} onSubmit={async () => Promise.resolve(send())}>
      {isTime ? (
        <Field
          label={text.filters[name]}
          name={name}
          type="datetime-local"
          hint={text.timeHint}
          value={localTime(value)}
          onValueChange={setValue}
        />
      ) : (
        <Value {...props} value={value} onValueChange={setValue} />
      )}
    </Form>
  );
}

interface ValueProps extends Omit<FilterFormProps, 'value' | 'onSet'> {
  readonly value: string | null;
  readonly onValueChange: (value: string | null) => void;
}

function Value({ name, value, members, actions, onValueChange }: ValueProps) {
  const text = useAuditText();
  const field = { label: text.filters[name], name };
  if (name === 'record_id')
    return <Field {...field} hint={text.recordHint} value={value ?? ''} onValueChange={onValueChange} />;
  if (name === 'action')
    return (
      <SuggestField
        {...field}
        hint={text.actionHint}
        suggestions={actions.map((action) => wordsOfAction(action, text))}
        value={value ?? ''}
        onValueChange={onValueChange}
      />
    );
  const choices = {
    actor_id: members.map((member) => ({
      value: member.user_id,
      label: showInvisible(member.full_name === '' ? nameOf(member) : `${member.full_name} (${member.email})`),
    })),
    outcome: OUTCOMES.map((outcome) => ({ value: outcome, label: text.outcomes[outcome] })),
    record_type: RECORD_TYPES,
    from: [],
    to: [],
  }[name];
  return <ChoiceField {...field} choices={choices} value={value} onValueChange={onValueChange} />;
}

/** Returns a time as fields of the browser take it, in the zone of the browser; '' for none. */
function localTime(value: string | null): string {
  if (value === null || value === '' || !value.endsWith('Z')) return value ?? '';
  const time = new Date(value);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function wordsOf(name: FilterName, value: string, names: ReadonlyMap<string, string>, text: AuditText): string {
  if (name === 'actor_id') return showInvisible(names.get(value) ?? value);
  if (name === 'from' || name === 'to') return Number.isNaN(Date.parse(value)) ? value : fullTime(value);
  if (name === 'action') return showInvisible(wordsOfAction(value, text));
  if (name === 'record_type') return RECORD_TYPES.find((type) => type.value === value)?.label ?? showInvisible(value);
  const outcome = OUTCOMES.find((each) => each === value);
  return name === 'outcome' && outcome !== undefined ? text.outcomes[outcome] : showInvisible(value);
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
    { key: 'who', title: text.who, cell: (entry) => <Actor entry={entry} /> },
    { key: 'action', title: text.did, cell: (entry) => <Deed entry={entry} /> },
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
