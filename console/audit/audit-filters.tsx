import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { fullTime } from '../core/text/times.ts';
import { nameOf, useMembers } from '../members/index.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { FilterChips } from '../ui/page/filter-chips.tsx';
import { showInvisible } from '../ui/visible.ts';
import { FilterForm } from './filter-form.tsx';
import { type AuditSearch, type FilterName, FILTERS, OUTCOMES } from './filters.ts';
import type { AuditEntry } from './queries.ts';
import { RECORD_TYPES, wordsOfAction } from './record-types.ts';
import { type AuditText, useAuditText } from './text.ts';

interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** The entries that are shown: their actions are suggested. */
  readonly entries: readonly AuditEntry[];
}

/** The filters of the log as chips, and the window in which one is set. */
export function AuditFilters({ search, entries }: AuditFiltersProps) {
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

function wordsOf(name: FilterName, value: string, names: ReadonlyMap<string, string>, text: AuditText): string {
  if (name === 'actor_id') return showInvisible(names.get(value) ?? value);
  if (name === 'from' || name === 'to') return Number.isNaN(Date.parse(value)) ? value : fullTime(value);
  if (name === 'action') return showInvisible(wordsOfAction(value, text));
  if (name === 'record_type') return RECORD_TYPES.find((type) => type.value === value)?.label ?? showInvisible(value);
  const outcome = OUTCOMES.find((each) => each === value);
  return name === 'outcome' && outcome !== undefined ? text.outcomes[outcome] : showInvisible(value);
}
