import { computeStylesLazily } from './computed-style.mjs';
import { registerModuleHooks } from './module-hooks.mjs';

// Loaded before everything else in a process that tests pages of the console: gives it the globals of a browser.

/** What Node has as well, and pages need as jsdom has it, since it takes no other. */
const FROM_JSDOM = [
  'Blob',
  'CloseEvent',
  'CustomEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'File',
  'FormData',
  'MessageEvent',
  'WebSocket',
  'crypto',
  'navigator',
];
/** What tests replace on the global object: the document's window has the same. */
const SHARED = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'matchMedia',
  'scrollTo',
  'ResizeObserver',
  'PointerEvent',
  'AbortController',
  'AbortSignal',
];
const ADDRESS = 'http://localhost/';

registerModuleHooks();
// After the hooks, which also choose what it builds on.
const { JSDOM } = await import('jsdom');
const dom = new JSDOM('<!DOCTYPE html>', { url: ADDRESS, pretendToBeVisual: true });
const { window } = dom;
// With these, React's development build reports every render to the browser's devtools, with copies of changed props.
Object.assign(console, { timeStamp: undefined, createTask: undefined });
computeStylesLazily(window);
shareGlobals();
giveBytes();
Object.defineProperty(navigator, 'locks', { value: createLocks(), configurable: true });
// What a listener throws fails the test.
window.addEventListener('error', ({ error }) => {
  if (error != null) process.emit('uncaughtException', error);
});

/** Leaves nothing of a file's tests in the document. */
export function resetDocument() {
  document.head.replaceChildren();
  document.body.replaceChildren();
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
  localStorage.clear();
  sessionStorage.clear();
  dom.cookieJar.removeAllCookiesSync();
  setAddress(ADDRESS);
}

function setAddress(url) {
  dom.reconfigure({ url });
  // jsdom goes on resolving addresses against the one of before, until a base is added or removed.
  const base = document.createElement('base');
  document.head.append(base);
  base.remove();
}

function shareGlobals() {
  // Node loads its own first, which are made of the global `Event` of the time, and which its fetch goes on using.
  void [globalThis.MessageEvent, globalThis.WebSocket];
  for (let object = window; object !== Object.prototype; object = Object.getPrototypeOf(object)) {
    for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (key.startsWith('_') || key === 'constructor' || (key in globalThis && !FROM_JSDOM.includes(key))) continue;
      Object.defineProperty(globalThis, key, boundToWindow(descriptor));
    }
  }
  Object.defineProperties(globalThis, {
    window: { value: globalThis },
    // As in a browser, it can be replaced.
    self: { value: globalThis, writable: true },
    // Pages ask the server that they came from; a test says which one that is.
    setAddress: { value: setAddress },
  });
  for (const key of SHARED) Object.defineProperty(window, key, { get: () => globalThis[key], configurable: true });
}

/** Methods and accessors of a window work on no other object. */
function boundToWindow({ value, writable, get, set, enumerable }) {
  const isMethod = typeof value === 'function' && !/^[A-Z]/.test(value.name);
  const bound = isMethod ? value.bind(window) : value;
  if (get === undefined) return { value: bound, writable: writable ?? true, enumerable, configurable: true };
  return { get: get.bind(window), set: set?.bind(window), enumerable, configurable: true };
}

/** Web Locks of one document: work of one name is done one after the other. */
function createLocks() {
  const last = new Map();
  const request = (name, work) => {
    const done = (last.get(name) ?? Promise.resolve()).then(work);
    last.set(
      name,
      done.catch(() => undefined),
    );
    return done;
  };
  return { request };
}

/** Gives files the method that reads them whole, by the reader that jsdom has. */
function giveBytes() {
  Blob.prototype.arrayBuffer ??= function arrayBuffer() {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener('load', () => resolve(reader.result));
      reader.addEventListener('error', () => reject(reader.error));
      reader.readAsArrayBuffer(this);
    });
  };
}
