import { useContext, useMemo } from 'react';
import { type Drafts, useDrafts } from '../../core/drafts.ts';
import { OrgContext } from '../../core/session/session-context.tsx';

/** The drafts of record forms, by the keys that the forms have: what was typed in one organization stays in it. */
export interface RecordDrafts extends Pick<Drafts, 'read' | 'write'> {
  /** Removes the drafts of a record that is gone, with those of its parts (`key.part`), and what open forms hold. */
  forget(...draftKeys: readonly string[]): void;
  /** Calls back when a draft is to be forgotten; returns what ends that. */
  onForget(draftKey: string, listener: () => void): () => void;
}

interface Listener {
  readonly key: string;
  readonly run: () => void;
}

const listeners = new Set<Listener>();

/** Returns the drafts of the page's organization, or of none outside of organizations. */
export function useRecordDrafts(): RecordDrafts {
  const [drafts, orgId] = [useDrafts(), useContext(OrgContext)];
  return useMemo(() => {
    const keyOf = (draftKey: string) => (orgId === undefined ? draftKey : `${orgId}.${draftKey}`);
    return {
      read: (draftKey) => drafts.read(keyOf(draftKey)),
      write: (draftKey, text) => drafts.write(keyOf(draftKey), text),
      forget: (...draftKeys) => {
        for (const gone of draftKeys.map(keyOf)) {
          const isGone = (key: string) => key === gone || key.startsWith(`${gone}.`);
          for (const { key, run } of listeners) if (isGone(key)) run();
          for (const key of drafts.keys(gone).filter(isGone)) drafts.write(key, '');
        }
      },
      onForget: (draftKey, run) => {
        const listener = { key: keyOf(draftKey), run };
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }, [drafts, orgId]);
}
