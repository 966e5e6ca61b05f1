import { afterEach } from '@jest/globals';
import { cleanup, configure } from '@testing-library/react';

// Far beyond what any page needs, so that only what never comes reaches it, however busy the machine is.
configure({ asyncUtilTimeout: 10_000 });

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
globalThis.matchMedia ??= (media) => ({
  media,
  matches: false,
  addEventListener() {},
  removeEventListener() {},
});

afterEach(cleanup);
