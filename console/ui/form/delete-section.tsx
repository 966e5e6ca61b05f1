import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { OrgPath } from '../../core/routing/search.ts';
import { DangerSection } from '../overlays/dialog.tsx';
import { showInvisible } from '../visible.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../overlays/toast.tsx';
import { useRecordDrafts } from './use-record.ts';

interface DeleteSectionProps {
  readonly text: {
    readonly removeTitle: string;
    readonly removeWhy: string;
    readonly remove: string;
    readonly removeAsk: (name: string) => string;
    readonly removed: (name: string) => string;
  };
  /** The name of the record. */
  readonly name: string;
  /** Whether its name has to be typed first. */
  readonly isTyped?: boolean;
  /** Why it cannot be deleted; undefined when it can. */
  readonly reason: string | undefined;
  readonly onRemove: () => Promise<void>;
  /** The list that is shown afterwards. */
  readonly list: OrgPath;
  /** The drafts of the record. */
  readonly draftKeys: readonly string[];
}

/** The part of a record's page that deletes the record, and leads back to the list. */
export function DeleteSection(props: DeleteSectionProps): ReactNode {
  const { text, name, isTyped = false, reason, onRemove, list, draftKeys } = props;
  const leave = useLeaveDeleted();
  return (
    <DangerSection
      title={text.removeTitle}
      why={text.removeWhy}
      action={text.remove}
      question={text.removeAsk(showInvisible(name))}
      reason={reason}
      typedName={isTyped ? name : undefined}
      onConfirm={async () => {
        await onRemove();
        await leave(text.removed(showInvisible(name)), list, ...draftKeys);
      }}
    />
  );
}

/**
 * Returns what leaves the page of a record that was deleted: it says so, drops what was changed there and not saved, by
 * the keys of the drafts, and shows the list.
 */
export function useLeaveDeleted() {
  const [navigate, orgId, toast, drafts] = [useNavigate(), useOrgId(), useToast(), useRecordDrafts()];
  return async (said: string, list: OrgPath, ...draftKeys: readonly string[]): Promise<void> => {
    toast(said);
    drafts.forget(...draftKeys);
    await navigate({ to: list, params: { orgId }, ignoreBlocker: true });
  };
}
