import { useNavigate } from '@tanstack/react-router';
import type { OrgPath, RecordPath } from '../../core/routing/search.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useToast } from '../overlays/toast.tsx';
import { showInvisible } from '../visible.ts';
import { useRecordDrafts } from './use-record.ts';

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

/** Returns what shows a record that was added on its own page, and says so by `added`. */
export function useShowAdded(page: RecordPath, added?: (name: string) => string) {
  const [navigate, orgId, toast] = [useNavigate(), useOrgId(), useToast()];
  // Of several pages the router wants the parameters of all.
  const to: string = page;
  const idName = page.slice(page.lastIndexOf('$') + 1);
  return async ({ id, name }: { readonly id: string; readonly name: string }): Promise<void> => {
    if (added !== undefined) toast(added(showInvisible(name)));
    await navigate({ to, params: { orgId, [idName]: id } });
  };
}
