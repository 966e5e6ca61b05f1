import { type ReactNode, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import type { OrgPath } from '../../core/routing/search.ts';
import { Confirm, DangerSection } from '../overlays/dialog.tsx';
import { showInvisible } from '../visible.ts';
import { useLeaveDeleted } from './leave-page.ts';

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

interface ConfirmDeleteProps extends Pick<DeleteSectionProps, 'name' | 'list' | 'draftKeys'> {
  readonly text: {
    readonly deleteAsk: (name: string) => string;
    readonly deleteWhy: string;
    readonly delete: string;
    /** Says what becomes of those that name it. */
    readonly deleteForced: string;
    readonly deleteAnyway: string;
    readonly deleted: (name: string) => string;
  };
  readonly open: boolean;
  readonly onClose: () => void;
  /** Deletes the record; throws a 409 while others name it, unless that is to be so. */
  readonly onRemove: (isForced: boolean) => Promise<void>;
}

/** Asks before a record is deleted, once more while others name it, and leads back to the list. */
export function ConfirmDelete({ text, name, open, onClose, onRemove, list, draftKeys }: ConfirmDeleteProps): ReactNode {
  const [leave, [isForced, setIsForced]] = [useLeaveDeleted(), useState(false)];
  return (
    <Confirm
      open={open}
      onClose={() => {
        setIsForced(false);
        onClose();
      }}
      title={text.deleteAsk(showInvisible(name))}
      description={isForced ? text.deleteForced : text.deleteWhy}
      action={isForced ? text.deleteAnyway : text.delete}
      onConfirm={async () => {
        try {
          await onRemove(isForced);
        } catch (error) {
          if (error instanceof Problem && error.status === 409) setIsForced(true);
          throw error;
        }
        await leave(text.deleted(showInvisible(name)), list, ...draftKeys);
      }}
    />
  );
}
