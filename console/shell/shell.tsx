import { Outlet, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useOrgEvents } from '../core/events/live.ts';
import { rememberOrg } from '../core/session/current-user.ts';
import { OrgProvider, useSessionState } from '../core/session/session-context.tsx';
import { shortcuts, useShortcut } from '../core/shortcuts.ts';
import { useText } from '../core/text/text-context.tsx';
import { useTabCount } from '../core/browser/tab-title.ts';
import { BottomBar } from './navigation/bottom-bar.tsx';
import { ConnectionBanner } from './connection-banner.tsx';
import { JumpPalette } from './jump-palette.tsx';
import { usePendingCount } from './navigation/pending-count.tsx';
import { Sidebar } from './navigation/sidebar.tsx';
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
        {isHelpOpen && <HelpSheet open onClose={() => setIsHelpOpen(false)} />}
        {state === 'ended' && <EndedDialog />}
      </Suspense>
    </div>
  );
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
