import { type RefObject, createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { browserStorage } from './browser/browser.ts';

/** Something that a key does on this page. */
interface Shortcut {
  /** Keys in the order in which they are pressed, with blanks between: `g a`, `?`, `Mod+k`. */
  readonly keys: string;
  /** What it does, for the sheet of shortcuts. */
  readonly label: string;
  readonly run: () => void;
  /** Whether it goes everywhere, unless the page gives its keys something of its own to do. */
  readonly isGeneral?: boolean;
  /** Returns the dialog that it belongs to, if it belongs to one. */
  readonly dialog?: () => Element | null;
}

/** The dialog around, whose single keys do something while the focus is in it. */
export const ShortcutDialog = createContext<RefObject<Element | null> | undefined>(undefined);

const SEQUENCE_MS = 1_000;

/** How long what is typed is kept for a field that is on its way. */
const AHEAD_MS = 5_000;
const SWITCH = 'everturn.single-keys';

/**
 * All shortcuts of the page that is shown. Keys without Ctrl or ⌘ do nothing in fields, lists and menus that take
 * letters, in a dialog only what it has brought itself, and can be switched off (WCAG 2.1.4).
 */
export class Shortcuts {
  readonly #shortcuts = new Map<symbol, Shortcut>();
  readonly #listeners = new Set<() => void>();
  #snapshot: readonly Shortcut[] = [];
  #pressed: string[] = [];
  #pressedAt = 0;
  // What was typed for a field that is not there yet, and until when that goes on; undefined while none is expected.
  #ahead: { typed: string; readonly until: number } | undefined;

  /** Adds a shortcut; returns what removes it. */
  add(shortcut: Shortcut): () => void {
    const id = Symbol(shortcut.keys);
    this.#shortcuts.set(id, shortcut);
    this.#changed();
    return () => {
      this.#shortcuts.delete(id);
      this.#changed();
    };
  }

  /** The shortcuts of the page, one for each keys. */
  readonly all = (): readonly Shortcut[] => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Keeps what is typed from now on for the field that a page on its way begins with: it runs no shortcut. */
  expectField(): void {
    this.#ahead = { typed: '', until: Date.now() + AHEAD_MS };
  }

  /** Returns what was typed for a field that is there now, or no longer expected. */
  takeTyped(): string {
    const typed = this.#ahead?.typed ?? '';
    this.#ahead = undefined;
    return typed;
  }

  /** Runs what the key completes, if anything: what the page has added, the last first, then what goes everywhere. */
  readonly press = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = nameOf(event);
    const isChord = key.startsWith('Mod+');
    const target = event.composedPath()[0];
    if (!isChord && (takesLetters(target) || !areSingleKeysOn() || event.altKey)) return;
    if (this.#isAhead(event, key)) return;
    const dialog = isChord ? null : dialogAround(target);
    if (event.timeStamp - this.#pressedAt > SEQUENCE_MS) this.#pressed = [];
    this.#pressedAt = event.timeStamp;
    this.#pressed = isChord ? [key] : [...this.#pressed, key].slice(-2);
    const found = [this.#pressed.join(' '), key].flatMap((keys) => this.#find(keys, dialog) ?? [])[0];
    if (found === undefined) return;
    this.#pressed = [];
    event.preventDefault();
    found.run();
  };

  /** Returns whether a key was kept for the field that is expected. Escape and the like give it up. */
  #isAhead(event: KeyboardEvent, key: string): boolean {
    const ahead = this.#ahead;
    if (ahead === undefined || key === 'Shift') return false;
    const isTyped = key.length === 1 && Date.now() < ahead.until;
    if (isTyped) {
      event.preventDefault();
      ahead.typed += key;
    } else this.#ahead = undefined;
    return isTyped;
  }

  #find(keys: string, dialog: Element | null): Shortcut | undefined {
    const isHeard = (shortcut: Shortcut) => dialog === null || shortcut.dialog?.() === dialog;
    const found = [...this.#shortcuts.values()].filter((shortcut) => shortcut.keys === keys && isHeard(shortcut));
    return found.findLast(({ isGeneral = false }) => !isGeneral) ?? found.at(-1);
  }

  #changed(): void {
    const keys = new Set([...this.#shortcuts.values()].map((shortcut) => shortcut.keys));
    this.#snapshot = [...keys].flatMap((each) => this.#find(each, null) ?? []);
    for (const listener of this.#listeners) listener();
  }
}

/** The shortcuts of this tab. */
export const shortcuts = new Shortcuts();

/** Gives a key something to do as long as the component is shown. */
export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  { isGeneral = false }: Pick<Shortcut, 'isGeneral'> = {},
): void {
  const latest = useRef(run);
  const dialog = useContext(ShortcutDialog);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(
    () => shortcuts.add({ keys, label, isGeneral, run: () => latest.current(), dialog: () => dialog?.current ?? null }),
    [keys, label, isGeneral, dialog],
  );
}

/** Returns the shortcuts of the page that is shown. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(shortcuts.subscribe, shortcuts.all);
}

/** Returns whether keys without Ctrl or ⌘ do something. */
export function areSingleKeysOn(): boolean {
  return browserStorage.read(SWITCH) !== 'off';
}

/** Switches keys without Ctrl or ⌘ on or off, for this browser. */
export function switchSingleKeys(on: boolean): void {
  browserStorage.write(SWITCH, on ? 'on' : 'off');
}

function nameOf({ key, ctrlKey, metaKey }: KeyboardEvent): string {
  return ctrlKey || metaKey ? `Mod+${key.toLowerCase()}` : key;
}

const TAKE_LETTERS =
  'input, textarea, select, [role=combobox], [role=listbox], [role=option], [role=menu], [role^=menuitem]';

const DIALOG = '[role=dialog], [role=alertdialog]';

// The target of an event from within a shadow root is its host for those outside: the path begins with the true one.
function takesLetters(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TAKE_LETTERS));
}

function dialogAround(target: EventTarget | undefined): Element | null {
  return target instanceof Element ? target.closest(DIALOG) : null;
}

/** Returns the keys of a shortcut as this machine's keyboard names them, in order: `Mod+k` is "Ctrl K" or "⌘ K". */
export function keyNames(keys: string): readonly string[] {
  return keys.split(' ').map((key) => (key.startsWith('Mod+') ? `${modifier()} ${key.slice(4).toUpperCase()}` : key));
}

function modifier(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
