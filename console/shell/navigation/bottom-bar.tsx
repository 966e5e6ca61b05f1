import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { useText } from '../../core/text/text-context.tsx';
import { AccountMenu } from './account-menu.tsx';
import classes from './bottom-bar.module.css';
import { PendingCount } from './pending-count.tsx';
import { useNavigation } from './use-navigation.ts';

const MOST_PAGES = 3;

/** The navigation of a phone. What has no place in it is found by searching. */
export function BottomBar({ onSearch }: { readonly onSearch: () => void }) {
  const text = useText();
  const [orgId, groups] = [useOrgId(), useNavigation()];
  const entries = groups.flatMap((group) => group.entries);
  return (
    <nav aria-label={text.nav.main} className={classes.bar}>
      {entries.slice(0, MOST_PAGES).map(({ to, label, icon: Icon, counts }) => (
        <Link
          key={to}
          to={to}
          params={{ orgId }}
          activeOptions={{ exact: to === '/o/$orgId' }}
          className={classes.item}
          activeProps={{ className: classes.active, 'aria-current': 'page' }}
        >
          <Icon aria-hidden />
          {label(text)}
          {counts === 'approvals' && <PendingCount />}
        </Link>
      ))}
      <button type="button" className={classes.item} onClick={onSearch}>
        <Search aria-hidden />
        {text.nav.jump}
      </button>
      <AccountMenu className={classes.item} />
    </nav>
  );
}
