import { isAtLeast } from '../../../domain/orgs/index.ts';
import { useOwnPermissions } from '../../core/permissions.ts';
import { OrgKeys } from './org-keys.tsx';
import { OwnKeys } from './own-keys.tsx';

/** One's own API keys; for administrators also those of everybody. */
export function KeysPage() {
  const { data: own } = useOwnPermissions();
  return (
    <>
      <OwnKeys />
      {own !== undefined && isAtLeast(own.role, 'admin') && <OrgKeys caller={own.role} />}
    </>
  );
}
