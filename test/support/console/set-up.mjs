import { afterEach, jest } from '@jest/globals';
import { act, cleanup, configure, getConfig } from '@testing-library/react';
import { shortcuts } from '../../../console/core/shortcuts.ts';
import { resetDocument } from './document.mjs';
import { closeSessions } from './opened-sessions.tsx';

// By it the library knows that timers are faked, and moves them on.
globalThis.jest = jest;
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
// React keeps the timer that it waits by at first, which must not be one that a test has faked.
await act(async () => undefined);

const { getElementError } = getConfig();
configure({
  // Far beyond what any page needs, so that only what never comes reaches it, however busy the machine is.
  asyncUtilTimeout: 60_000,
  // The document is written down once, when the time is over, and not for each look before.
  getElementError(message, container) {
    if (!getConfig()._disableExpensiveErrorDiagnostics) return getElementError(message, container);
    return Object.assign(new Error(message), { name: 'TestingLibraryElementError' });
  },
});

// What jsdom does not lay out or move.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
// Events of pointers are those of mice with more to them, which no part reads.
globalThis.PointerEvent ??= MouseEvent;
globalThis.scrollTo = () => {};
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.getAnimations ??= () => [];
// Elements of MathML have no styles there.
if (!('style' in Element.prototype)) Object.defineProperty(Element.prototype, 'style', { get: () => ({}) });
globalThis.matchMedia ??= (media) => ({
  media,
  matches: false,
  addEventListener() {},
  removeEventListener() {},
});

/** Prepares the document for the tests of a file. */
export function beforeFile() {
  resetDocument();
  afterEach(() => {
    cleanup();
    closeSessions();
    // The page that was to show a field is gone.
    shortcuts.takeTyped();
  });
}
