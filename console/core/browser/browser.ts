import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { PRODUCT } from '../text/text-context.tsx';

/** What a browser keeps of the console, by key. One that keeps nothing, or has no room left, throws nothing. */
export interface Storage {
  read(key: string): string | undefined;
  write(key: string, value: string): void;
  remove(key: string): void;
  keys(): readonly string[];
}

/** What all tabs of this browser share, and keep. */
export const browserStorage = storageOf(() => localStorage);

/** What this tab keeps until it is closed. */
export const tabStorage = storageOf(() => sessionStorage);

// Even naming the storage throws where a browser does not allow it.
function storageOf(of: () => globalThis.Storage): Storage {
  return {
    read: (key) => attempt(() => of().getItem(key)) ?? undefined,
    write: (key, value) => attempt(() => of().setItem(key, value)),
    remove: (key) => attempt(() => of().removeItem(key)),
    keys: () => attempt(() => Object.keys(of())) ?? [],
  };
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

const KEPT_MS = 60_000;

/** Has the browser save content under a name, in the folder of its downloads. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** The width up to which a screen is narrow, as in the styles. */
export const NARROW = '(max-width: 45rem)';

/** Whether the screen is touched, as in the styles. */
export const TOUCH = '(pointer: coarse)';

/** Returns whether the window meets a media query, and renders anew when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

let page = PRODUCT;
let part: string | undefined;
let waiting = 0;

/** Names the tab after the page that it shows; how much waits for the user stands before it. */
export function nameTab(title: string): void {
  page = `${title} · ${PRODUCT}`;
  show();
}

/** Names the tab after a part of the page, such as the record beside a list, as long as the component is shown. */
export function useTabPart(title: string): void {
  useEffect(() => {
    part = `${title} · ${PRODUCT}`;
    show();
    return () => {
      part = undefined;
      show();
    };
  }, [title]);
}

/** Shows in the name of the tab how much waits for the user, as long as the component is shown. */
export function useTabCount(count: number): void {
  useEffect(() => {
    waiting = count;
    show();
    return () => {
      waiting = 0;
      show();
    };
  }, [count]);
}

function show(): void {
  const name = part ?? page;
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
}

/** Returns the clipboard; undefined on pages over plain HTTP, which have none. */
export function clipboard(): Clipboard | undefined {
  return navigator.clipboard;
}

/** Returns a new UUID of random bits. Unlike `crypto.randomUUID` it exists on pages over plain HTTP as well. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // The version (4) and the variant, as RFC 9562 lays them out.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const last = new Map<string, Promise<unknown>>();

/**
 * Does work of one name after other work of that name is done, in all tabs of this browser. Pages over plain HTTP have
 * no locks: there the turns are taken within the tab only.
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks !== undefined) return locks.request(name, work);
  const done = (last.get(name) ?? Promise.resolve()).then(work);
  last.set(
    name,
    done.catch(() => undefined),
  );
  return done;
}
