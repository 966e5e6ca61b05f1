import { type PermissionKey, useOwnPermissions } from '../../core/permissions.ts';
import { NAVIGATION, type NavigationEntry, type NavigationGroup } from './entries.ts';

/** Returns the pages that the user may see, by group. Until that is known, those that everybody may. */
export function useNavigation(): readonly NavigationGroup[] {
  const { data } = useOwnPermissions();
  const has = (key: PermissionKey) => data?.permissions.includes(key) === true;
  const isShown = ({ needs, isAdvanced = false }: NavigationEntry) =>
    (needs?.some(has) ?? true) && (!isAdvanced || has('ui.advanced_mode'));
  const groups = NAVIGATION.map((group) => ({ ...group, entries: group.entries.filter(isShown) }));
  return groups.filter(({ entries }) => entries.length > 0);
}
