import { useContext, useMemo } from 'react';
import { type Drafts, useDrafts } from '../../core/drafts.ts';
import { OrgContext } from '../../core/session/session-context.tsx';

/** The drafts of record forms, by the keys that the forms have: what was typed in one organization stays in it. */
export type RecordDrafts = Pick<Drafts, 'read' | 'write'>;

/** Returns the drafts of the page's organization, or of none outside of organizations. */
export function useRecordDrafts(): RecordDrafts {
  const [drafts, orgId] = [useDrafts(), useContext(OrgContext)];
  return useMemo(() => {
    const keyOf = (draftKey: string) => (orgId === undefined ? draftKey : `${orgId}.${draftKey}`);
    return {
      read: (draftKey) => drafts.read(keyOf(draftKey)),
      write: (draftKey, text) => drafts.write(keyOf(draftKey), text),
    };
  }, [drafts, orgId]);
}
