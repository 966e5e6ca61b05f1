import { Link, useNavigate } from '@tanstack/react-router';
import { BookOpen, ChevronsUpDown, CircleUser, Keyboard, LogOut, Search, Settings } from 'lucide-react';
import { useCan } from '../../core/permissions.ts';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { keyNames } from '../../core/shortcuts.ts';
import { PRODUCT, useText } from '../../core/text/text-context.tsx';
import { chooseTheme, THEMES, useTheme } from '../../core/theme.ts';
import { usePendingApprovals } from '../../inbox/index.ts';
import base from '../../ui/base.module.css';
import { type MenuItem, Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSignOut } from '../use-leaving.ts';
import { type NavigationEntry, useNavigation } from './entries.ts';
import classes from './navigation.module.css';

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

/** The user's own menu: appearance, the settings, and the way out. */
function AccountMenu({ className }: { readonly className?: string | undefined }) {
  const text = useText();
  const [leave, navigate, orgId] = [useSignOut(), useNavigate(), useOrgId()];
  const theme = useTheme();
  const { data: user } = useCurrentUser();
  const themes = THEMES.map((key, at): MenuItem => ({
    key,
    label: text.nav.themes[key],
    isChosen: key === theme,
    ...(at === 0 && { heading: text.nav.theme }),
    run: () => chooseTheme(key),
  }));
  const settings: MenuItem = {
    key: 'settings',
    label: text.nav.settings,
    icon: <Settings aria-hidden />,
    heading: user?.email ?? text.nav.account,
    run: () => void navigate({ to: '/o/$orgId/settings', params: { orgId } }),
  };
  const signOut: MenuItem = {
    key: 'sign-out',
    label: text.auth.signOut,
    icon: <LogOut aria-hidden />,
    run: leave,
  };
  return (
    <Menu
      label={text.nav.account}
      className={className}
      trigger={
        <>
          <CircleUser aria-hidden />
          <span>{text.nav.account}</span>
        </>
      }
      items={[...themes, settings, signOut]}
    />
  );
}

/** Shows which organization the pages are about, and leads to the others. */
function OrgSwitch() {
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

const MOST_SHOWN = 99;

/** The number of decisions that are waited for; nothing when there are none. */
function PendingCount() {
  const [text, pending] = [useText().nav, usePendingCount()];
  if (pending === 0) return null;
  return (
    <span className={classes.count}>
      {pending > MOST_SHOWN ? `${MOST_SHOWN}+` : pending}
      <span className={base.hidden}> {text.waiting}</span>
    </span>
  );
}

/** Returns how many decisions the user could make are waited for. */
export function usePendingCount(): number {
  return usePendingApprovals(useCan('approvals.view')).data?.total ?? 0;
}

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
          activeProps={{ className: classes.activeTab, 'aria-current': 'page' }}
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
