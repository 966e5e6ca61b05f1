import { useOrgId } from '../core/session/session-context.tsx';
import { formatNumber } from '../core/text/numbers.ts';
import { showInvisible } from '../ui/visible.ts';
import classes from './audit.module.css';
import type { AuditEntry } from './queries.ts';
import { useAuditText } from './text.ts';

/** Which record an entry is about: in words, by its name, or else by its id. Empty when it is about none. */
export function RecordCell({ entry }: { readonly entry: AuditEntry }) {
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
