import { useNavigate } from '@tanstack/react-router';
import type { OrgPath } from '../../core/routing/org-paths.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../overlays/toast.tsx';
import { useRecordDrafts } from './record-drafts.ts';

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
