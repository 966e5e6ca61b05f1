import { Link } from '@tanstack/react-router';
import { BookOpen, Keyboard, Search } from 'lucide-react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { keyNames } from '../../core/shortcuts.ts';
import { useText } from '../../core/text/text-context.tsx';
import { AccountMenu } from './account-menu.tsx';
import { OrgSwitch } from './org-switch.tsx';
import type { NavigationEntry } from './entries.ts';
import { PendingCount } from './pending-count.tsx';
import classes from './sidebar.module.css';
import { useNavigation } from './use-navigation.ts';

interface SidebarProps {
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

/** The navigation beside the page, on screens that are wide enough. */
export function Sidebar({ onSearch, onHelp }: SidebarProps) {
  const text = useText();
  const groups = useNavigation();
  return (
    <aside className={classes.sidebar}>
      <OrgSwitch />
      <button type="button" className={classes.search} onClick={onSearch}>
        <Search aria-hidden />
        <span>{text.nav.jump}</span>
        <kbd>{keyNames('Mod+k')}</kbd>
      </button>
      <nav aria-label={text.nav.main} className={classes.nav}>
        {groups.map(({ key, label, entries }) => (
          <section key={key} className={classes.group} aria-labelledby={label && `nav-${key}`}>
            {label !== undefined && (
              <h2 id={`nav-${key}`} className={classes.heading}>
                {label(text)}
              </h2>
            )}
            {entries.map((entry) => (
              <PageLink key={entry.to} entry={entry} />
            ))}
          </section>
        ))}
      </nav>
      <div className={classes.foot}>
        <AccountMenu className={classes.link} />
        <a
          href="/docs"
          target="_blank"
          rel="noreferrer"
          className={`${classes.link} ${classes.icon}`}
          aria-label={text.nav.apiDocs}
          title={text.nav.apiDocs}
        >
          <BookOpen aria-hidden />
        </a>
        <button
          type="button"
          className={`${classes.link} ${classes.icon}`}
          aria-label={text.nav.shortcuts}
          title={text.nav.shortcuts}
          onClick={onHelp}
        >
          <Keyboard aria-hidden />
        </button>
      </div>
    </aside>
  );
}

function PageLink({ entry: { to, label, icon: Icon, counts } }: { readonly entry: NavigationEntry }) {
  const [text, orgId] = [useText(), useOrgId()];
  return (
    <Link
      to={to}
      params={{ orgId }}
      activeOptions={{ exact: to === '/o/$orgId' }}
      className={classes.link}
      activeProps={{ className: classes.active, 'aria-current': 'page' }}
    >
      <Icon aria-hidden />
      {label(text)}
      {counts === 'approvals' && <PendingCount />}
    </Link>
  );
}
