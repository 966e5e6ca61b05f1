import { type Query, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useTabCount } from '../core/browser/browser.ts';
import { useOrgEvents } from '../core/events/live.ts';
import { Problem } from '../core/http/problem.ts';
import { OrgProvider, rememberOrg, useOrgId, useSessionState } from '../core/session/session-context.tsx';
import { shortcuts, useShortcut } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { BottomBar, Sidebar, usePendingCount } from './navigation/navigation.tsx';
import { type NavigationEntry, useNavigation } from './navigation/entries.ts';
import classes from './shell.module.css';

// Rarely shown, so they are loaded when they are.
const HelpSheet = lazy(async () => ({ default: (await import('./help-sheet.tsx')).HelpSheet }));
const EndedDialog = lazy(async () => ({ default: (await import('./ended-dialog.tsx')).EndedDialog }));

/** What stands around all pages of an organization. */
export function Shell() {
  const { orgId } = useParams({ from: '/o/$orgId' });
  useEffect(() => rememberOrg(orgId), [orgId]);
  return (
    <OrgProvider key={orgId} orgId={orgId}>
      <Frame />
    </OrgProvider>
  );
}

function Frame() {
  const text = useText();
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const state = useSessionState();
  useOrgEvents();
  useTypingAhead();
  useTabCount(usePendingCount());
  useShortcut('Mod+k', text.nav.palette, () => setIsPaletteOpen(true));
  useShortcut('?', text.nav.shortcuts, () => setIsHelpOpen(true));
  useEffect(() => {
    window.addEventListener('keydown', shortcuts.press);
    return () => window.removeEventListener('keydown', shortcuts.press);
  }, []);
  const openPalette = () => setIsPaletteOpen(true);
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {text.common.skipToContent}
      </a>
      <Sidebar onSearch={openPalette} onHelp={() => setIsHelpOpen(true)} />
      <div className={classes.main}>
        <ConnectionBanner />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <BottomBar onSearch={openPalette} />
      <JumpPalette open={isPaletteOpen} onClose={() => setIsPaletteOpen(false)} onHelp={() => setIsHelpOpen(true)} />
      <Suspense>
        {isHelpOpen && <HelpSheet onClose={() => setIsHelpOpen(false)} />}
        {state === 'ended' && <EndedDialog />}
      </Suspense>
    </div>
  );
}

const OpenedPalette = lazy(async () => ({ default: (await import('./opened-palette.tsx')).OpenedPalette }));

interface JumpPaletteProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Leads to any page and does what the page and the shell can do. Pages have keys as well. */
function JumpPalette({ open, onClose, onHelp }: JumpPaletteProps) {
  const text = useText().nav;
  const navigate = useNavigate();
  const orgId = useOrgId();
  const entries = useNavigation().flatMap((group) => group.entries);
  const lead = (to: '/o/$orgId/chats' | '/o/$orgId/search') => () => void navigate({ to, params: { orgId } });
  useShortcut('c', text.newChat, lead('/o/$orgId/chats'), { isGeneral: true });
  useShortcut('/', text.search, lead('/o/$orgId/search'), { isGeneral: true });
  return (
    <>
      {entries.map(
        ({ to, label, keys }) => keys !== undefined && <PageKeys key={to} to={to} label={label} keys={keys} />,
      )}
      {open && (
        <Suspense>
          <OpenedPalette onClose={onClose} onHelp={onHelp} />
        </Suspense>
      )}
    </>
  );
}

interface PageKeysProps extends Pick<NavigationEntry, 'to' | 'label'> {
  readonly keys: string;
}

function PageKeys({ to, label, keys }: PageKeysProps) {
  const text = useText();
  const navigate = useNavigate();
  const orgId = useOrgId();
  useShortcut(keys, text.nav.go(label(text)), () => void navigate({ to, params: { orgId } }), { isGeneral: true });
  return null;
}

/** How often it is tried again what was given up. */
const AGAIN_MS = 5_000;

/** Says once, above the page, that the server cannot be reached, and asks again for what the page shows meanwhile. */
export function ConnectionBanner() {
  const text = useText();
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const isAway = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.getAll().some(isMissed),
  );
  useEffect(() => {
    if (!isAway) return undefined;
    // What still waits for its next try of its own is left to that.
    const again = setInterval(() => void client.refetchQueries({ fetchStatus: 'idle', predicate: isMissed }), AGAIN_MS);
    return () => clearInterval(again);
  }, [isAway, client]);
  return <output className={classes.banner}>{isAway ? text.problem.offline : ''}</output>;
}

/** Returns whether the page shows what could not be read; what other pages have asked for counts no more. */
function isMissed(query: Query): boolean {
  return query.getObserversCount() > 0 && isUnreached(query.state.fetchFailureReason ?? query.state.error);
}

function isUnreached(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 503);
}

/** The pages that begin with a field in which one types at once: chats, and the search. */
const BEGINS_WITH_FIELD = /^\/o\/[^/]+\/(?:chats(?:\/[^/]+)?|search)\/?$/;

/** Keeps what is typed on the way to a page that begins with a field for that field. */
function useTypingAhead(): void {
  const router = useRouter();
  useEffect(() => {
    if (BEGINS_WITH_FIELD.test(router.state.location.pathname)) shortcuts.expectField();
    return router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
      if (!pathChanged) return;
      if (BEGINS_WITH_FIELD.test(toLocation.pathname)) shortcuts.expectField();
      else shortcuts.takeTyped();
    });
  }, [router]);
}
