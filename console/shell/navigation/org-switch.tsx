import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { PRODUCT, useText } from '../../core/text/text-context.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from './org-switch.module.css';

/** Shows which organization the pages are about, and leads to the others. */
export function OrgSwitch() {
  const text = useText();
  const navigate = useNavigate();
  const orgId = useOrgId();
  const { data: user } = useCurrentUser();
  const orgs = user?.orgs ?? [];
  const name = showInvisible(orgs.find(({ id }) => id === orgId)?.name ?? PRODUCT);
  return (
    <Menu
      label={`${text.nav.switchOrg}: ${name}`}
      className={classes.trigger}
      trigger={
        <>
          <span className={classes.mark} data-initial={name.slice(0, 1).toUpperCase()} />
          <span className={classes.name}>{name}</span>
          <ChevronsUpDown aria-hidden />
        </>
      }
      items={orgs.map((org, at) => ({
        key: org.id,
        label: showInvisible(org.name),
        isChosen: org.id === orgId,
        ...(at === 0 && { heading: text.nav.switchOrg }),
        run: () => void navigate({ to: '/o/$orgId', params: { orgId: org.id } }),
      }))}
    />
  );
}
