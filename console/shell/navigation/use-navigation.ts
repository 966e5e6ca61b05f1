import { useOwnPermissions } from '../../core/permissions.ts';
import { NAVIGATION, type NavigationEntry } from './entries.ts';

/** Returns the pages that the user may see. Until that is known, those that everybody may. */
export function useNavigation(): readonly NavigationEntry[] {
  const { data } = useOwnPermissions();
  return NAVIGATION.filter(({ needs }) => needs === undefined || data?.permissions.includes(needs) === true);
}
