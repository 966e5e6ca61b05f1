import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useOrgId, useSession } from '../session/session-context.tsx';
import type { OrgEvents } from './org-events.ts';

const listeners = new Set<() => void>();
let live = false;

/** Notes whether the events of the organization are heard. */
function setLive(isLive: boolean): void {
  if (live === isLive) return;
  live = isLive;
  for (const listener of listeners) listener();
}

/** Returns whether lists are kept up to date by the events of the organization: else they look by themselves. */
export function useLive(): boolean {
  return useSyncExternalStore(subscribe, () => live);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The page comes first. */
const AFTER_MS = 1_000;

/** What news take to arrive, and what is read of an organization before its page is shown. */
const MARGIN_MS = 2_000;

/** Keeps what is shown of the page's organization up to date, as long as the component is shown. */
export function useOrgEvents(): void {
  const [session, orgId, cache] = [useSession(), useOrgId(), useQueryClient()];
  useEffect(() => {
    let events: OrgEvents | undefined;
    let isOver = false;
    const since = performance.now();
    const wake = () => {
      if (!document.hidden) events?.wake();
    };
    const begin = async () => {
      const [{ OrgEvents }, { SessionEnded }] = await Promise.all([
        import('./org-events.ts'),
        import('../socket/lasting-socket.ts'),
      ]);
      if (isOver) return;
      events = new OrgEvents({
        orgId,
        cache,
        openSocket: (token) => new WebSocket(addressOf(orgId), ['everturn.v1', `bearer.${token}`]),
        takeToken: async (worn) => {
          const value = await session.accessToken(worn);
          if (value === undefined) throw new SessionEnded();
          return { value, expiresAt: session.expiresAt ?? Date.now() };
        },
        readForMs: () => Math.round(performance.now() - since) + MARGIN_MS,
        isHidden: () => document.hidden,
        onLive: setLive,
      });
    };
    // A part that cannot be loaded leaves lists to look by themselves.
    const timer = setTimeout(() => void begin().catch(() => undefined), AFTER_MS);
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    const unsubscribe = session.subscribe(() => {
      if (session.state === 'open') wake();
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      unsubscribe();
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
      events?.close();
    };
  }, [session, orgId, cache]);
}

function addressOf(orgId: string): string {
  return new URL(`/ws/events?org_id=${orgId}`, location.origin.replace(/^http/, 'ws')).href;
}
