import { formatNumber, fullTime } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Facts } from '../ui/page/page.tsx';
import classes from './audit.module.css';
import type { AuditSearch } from './filters.ts';
import type { AuditEntry } from './queries.ts';
import { Actor, Deed } from './said-entry.tsx';
import { type AuditText, useAuditText } from './text.ts';

interface EntryDialogProps {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
  /** Narrows the log to what the entry has in common with others. */
  readonly onNarrow: (filter: AuditSearch) => void;
}

/** All that an entry of the log holds: names and ids, never values. */
export function EntryDialog({ entry, onClose, onNarrow }: EntryDialogProps) {
  const text = useAuditText();
  const { actor_id: actorId, action, record_id: recordId } = entry;
  return (
    <Dialog open onClose={onClose} title={text.details}>
      <Facts facts={factsOf(entry, text)} />
      <div className={`wrap ${classes.actions}`}>
        <Button onClick={() => onNarrow({ actor_id: actorId })}>{text.onlyActor}</Button>
        <Button onClick={() => onNarrow({ action })}>{text.onlyAction}</Button>
        {recordId !== null && <Button onClick={() => onNarrow({ record_id: recordId })}>{text.onlyRecord}</Button>}
      </div>
    </Dialog>
  );
}

function factsOf(entry: AuditEntry, text: AuditText) {
  const { session_id: session, api_key_id: key, record_id: recordId, related_ids: related, fields } = entry;
  const credential = [
    ...(session === null ? [] : [`${text.session} ${session}`]),
    ...(key === null ? [] : [`${text.apiKey} ${key}`]),
  ];
  return [
    { label: text.time, value: fullTime(entry.created_at) },
    { label: text.who, value: <Actor entry={entry} /> },
    {
      label: text.did,
      value: (
        <>
          <Deed entry={entry} /> <code className="faint">{entry.action}</code>
        </>
      ),
    },
    ...(recordId === null ? [] : [{ label: text.record, value: <code className="faint">{recordId}</code> }]),
    ...(related.length === 0
      ? []
      : [{ label: text.related, value: <code className="faint">{related.join(' ')}</code> }]),
    { label: text.fields, value: fields.length === 0 ? text.none : <code>{fields.join(', ')}</code> },
    { label: text.outcome, value: text.outcomes[entry.outcome] },
    { label: text.status, value: String(entry.status) },
    ...(entry.attempts > 1 ? [{ label: text.attempts, value: formatNumber(entry.attempts) }] : []),
    { label: text.ip, value: entry.ip === 'agent' ? text.ofAgent : entry.ip },
    { label: text.credential, value: credential.length === 0 ? text.none : credential.join(', ') },
  ];
}
