import { Link, useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  ChevronDown,
  ChevronsUpDown,
  CircleUser,
  Ellipsis,
  Keyboard,
  LogOut,
  Search,
  Settings,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { browserStorage } from '../../core/browser/browser.ts';
import { useCan } from '../../core/permissions.ts';
import { useCurrentUser, useOrgId } from '../../core/session/session-context.tsx';
import { keyNames } from '../../core/shortcuts.ts';
import { PRODUCT, useText } from '../../core/text/text-context.tsx';
import { chooseTheme, THEMES, useTheme } from '../../core/theme.ts';
import { usePendingApprovals } from '../../inbox/index.ts';
import { type MenuItem, Menu } from '../../ui/overlays/menu.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useSignOut } from '../use-leaving.ts';
import { type NavigationEntry, type NavigationGroup, useNavigation } from './entries.ts';
import classes from './navigation.module.css';

/** The navigation beside the page, on screens that are wide enough. */
export function Sidebar({ onSearch, onHelp }: { readonly onSearch: () => void; readonly onHelp: () => void }) {
  const text = useText();
  const groups = useNavigation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (groups.length > 0) nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [groups.length]);
  return (
    <aside className={`stack gap-3 ${classes.sidebar}`}>
      <OrgSwitch />
      <button type="button" className={classes.search} onClick={onSearch}>
        <Search aria-hidden />
        <span>{text.nav.jump}</span>
        <kbd>{keyNames('Mod+k')}</kbd>
      </button>
      <nav ref={nav} aria-label={text.nav.main} className={classes.nav}>
        {groups.map((group) => (
          <Group key={group.key} group={group} />
        ))}
      </nav>
      <div className={classes.foot}>
        <AccountMenu className={classes.link} isNamed />
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

const CLOSED = 'everturn.nav.closed';

/** Pages that belong together. They fold into their heading, but for the one that is shown. */
function Group({ group: { key, label, entries } }: { readonly group: NavigationGroup }) {
  const text = useText();
  const [isClosed, setIsClosed] = useState(() => closedGroups().has(key));
  const toggle = () => {
    const closed = closedGroups();
    if (isClosed) closed.delete(key);
    else closed.add(key);
    browserStorage.write(CLOSED, [...closed].join(' '));
    setIsClosed(!isClosed);
  };
  return (
    <section
      className={classes.group}
      data-closed={(isClosed && label !== undefined) || undefined}
      aria-labelledby={label && `nav-${key}`}
    >
      {label !== undefined && (
        <h2 id={`nav-${key}`}>
          <button
            type="button"
            className={`faint justify-between ${classes.heading}`}
            aria-expanded={!isClosed}
            onClick={toggle}
          >
            {label(text)}
            <ChevronDown aria-hidden />
          </button>
        </h2>
      )}
      {entries.map((entry) => (
        <PageLink key={entry.to} entry={entry} />
      ))}
    </section>
  );
}

function closedGroups(): Set<string> {
  return new Set(browserStorage.read(CLOSED)?.split(' '));
}

interface AccountMenuProps {
  readonly className?: string | undefined;
  /** Whether its button shows whose account it is. */
  readonly isNamed?: boolean;
}

/** The user's own menu: appearance, the settings, and the way out. */
function AccountMenu({ className, isNamed = false }: AccountMenuProps) {
  const text = useText();
  const [leave, navigate, orgId] = [useSignOut(), useNavigate(), useOrgId()];
  const theme = useTheme();
  const { data: user } = useCurrentUser();
  const name = isNamed ? showInvisible(user?.full_name || user?.email || '') : '';
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
      label={name === '' ? text.nav.account : `${text.nav.account}: ${name}`}
      className={className}
      trigger={
        <>
          <CircleUser aria-hidden />
          <span className="truncate">{name === '' ? text.nav.account : name}</span>
        </>
      }
      items={[...themes, settings, signOut]}
    />
  );
}

/** Shows which organization the pages are about, and leads to the others. */
function OrgSwitch() {
  const text = useText();
  const items = useOrgItems();
  const name = items.find(({ isChosen }) => isChosen)?.label ?? PRODUCT;
  return (
    <Menu
      label={`${text.nav.switchOrg}: ${name}`}
      className={classes.trigger}
      trigger={
        <>
          <span className={classes.mark} data-initial={name.slice(0, 1).toUpperCase()} />
          <span className={`truncate flex-1 ${classes.name}`}>{name}</span>
          <ChevronsUpDown aria-hidden />
        </>
      }
      items={items}
    />
  );
}

/** Returns what leads to the organizations of the user, that of the page included. */
function useOrgItems(): readonly MenuItem[] {
  const [text, navigate, orgId] = [useText(), useNavigate(), useOrgId()];
  const { data: user } = useCurrentUser();
  return (user?.orgs ?? []).map((org, at) => ({
    key: org.id,
    label: showInvisible(org.name),
    isChosen: org.id === orgId,
    ...(at === 0 && { heading: text.nav.switchOrg }),
    run: () => void navigate({ to: '/o/$orgId', params: { orgId: org.id } }),
  }));
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
      <span className="hidden"> {text.waiting}</span>
    </span>
  );
}

/** Returns how many decisions the user could make are waited for. */
export function usePendingCount(): number {
  return usePendingApprovals(useCan('approvals.view')).data?.total ?? 0;
}

const MOST_PAGES = 3;

/** The navigation of a phone: the pages that are used most, and a menu of all others. */
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
      <MoreMenu groups={groups} onSearch={onSearch} />
      <AccountMenu className={classes.item} />
    </nav>
  );
}

interface MoreMenuProps {
  readonly groups: ReturnType<typeof useNavigation>;
  readonly onSearch: () => void;
}

function MoreMenu({ groups, onSearch }: MoreMenuProps) {
  const [text, navigate, orgId, orgs] = [useText(), useNavigate(), useOrgId(), useOrgItems()];
  const pages = groups.flatMap(({ label, entries }, group) =>
    entries.slice(group === 0 ? MOST_PAGES : 0).map((entry, at): MenuItem => ({
      key: entry.to,
      label: entry.label(text),
      icon: <entry.icon aria-hidden />,
      ...(at === 0 && label !== undefined && { heading: label(text) }),
      run: () => void navigate({ to: entry.to, params: { orgId } }),
    })),
  );
  return (
    <Menu
      label={text.nav.more}
      className={classes.item}
      trigger={
        <>
          <Ellipsis aria-hidden />
          {text.nav.more}
        </>
      }
      items={[
        { key: 'jump', label: text.nav.jump, icon: <Search aria-hidden />, run: onSearch },
        ...pages,
        ...(orgs.length > 1 ? orgs : []),
      ]}
    />
  );
}
