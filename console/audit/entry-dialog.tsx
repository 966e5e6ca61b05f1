import { Link } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber, fullTime } from '../core/text/formats.ts';
import { Button, buttonClass } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Facts } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './audit.module.css';
import type { AuditSearch } from './filters.ts';
import type { AuditEntry } from './queries.ts';
import { wordsOfAction } from './record-types.ts';
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
        <RecordLink entry={entry} />
        <Button onClick={() => onNarrow({ actor_id: actorId })}>{text.onlyActor}</Button>
        <Button onClick={() => onNarrow({ action })}>{text.onlyAction}</Button>
        {recordId !== null && <Button onClick={() => onNarrow({ record_id: recordId })}>{text.onlyRecord}</Button>}
      </div>
    </Dialog>
  );
}

/** Leads to the page of the record, for those that have one. */
function RecordLink({ entry: { record_type: type, record_id: id } }: { readonly entry: AuditEntry }) {
  const [text, orgId] = [useAuditText(), useOrgId()];
  if (id === null) return null;
  if (type === 'members')
    return (
      <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: id }} className={buttonClass('primary')}>
        {text.open}
      </Link>
    );
  if (type === 'permission_groups')
    return (
      <Link to="/o/$orgId/permissions/$groupId" params={{ orgId, groupId: id }} className={buttonClass('primary')}>
        {text.open}
      </Link>
    );
  if (type === 'chats')
    return (
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: id }} className={buttonClass('primary')}>
        {text.open}
      </Link>
    );
  return null;
}

function factsOf(entry: AuditEntry, text: AuditText) {
  const { session_id: session, api_key_id: key, record_id: recordId, related_ids: related, fields } = entry;
  const credential = [
    ...(session === null ? [] : [`${text.session} ${session}`]),
    ...(key === null ? [] : [`${text.apiKey} ${key}`]),
  ];
  return [
    { label: text.time, value: fullTime(entry.created_at) },
    { label: text.who, value: showInvisible(entry.actor_email ?? `${text.gone} (${entry.actor_id})`) },
    {
      label: text.did,
      value: (
        <>
          {wordsOfAction(entry.action, text)} <code>{entry.action}</code>
        </>
      ),
    },
    {
      label: text.record,
      value:
        recordId === null ? (
          text.none
        ) : (
          <>
            {entry.record_name !== null && showInvisible(entry.record_name)} <code>{recordId}</code>
          </>
        ),
    },
    ...(related.length === 0 ? [] : [{ label: text.related, value: <code>{related.join(' ')}</code> }]),
    { label: text.fields, value: fields.length === 0 ? text.none : <code>{fields.join(', ')}</code> },
    { label: text.outcome, value: text.outcomes[entry.outcome] },
    { label: text.status, value: String(entry.status) },
    ...(entry.attempts > 1 ? [{ label: text.attempts, value: formatNumber(entry.attempts) }] : []),
    { label: text.ip, value: entry.ip === 'agent' ? text.ofAgent : entry.ip },
    { label: text.credential, value: credential.length === 0 ? text.none : credential.join(', ') },
  ];
}
