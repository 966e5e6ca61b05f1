import { BroadcastChannel } from 'node:worker_threads';
import { TestEnvironment } from 'jest-environment-jsdom';

/** What every browser has and jsdom lacks; Node's are the same by specification. */
const FROM_NODE = {
  fetch,
  Headers,
  Request,
  Response,
  AbortController,
  AbortSignal,
  ReadableStream,
  TransformStream,
  TextEncoder,
  TextDecoder,
  TextDecoderStream,
  TextEncoderStream,
  BroadcastChannel,
  structuredClone,
};

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
function giveBytes({ Blob, FileReader }) {
  Blob.prototype.arrayBuffer ??= function arrayBuffer() {
    return new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.addEventListener('load', () => resolve(reader.result));
      reader.addEventListener('error', () => reject(reader.error));
      reader.readAsArrayBuffer(this);
    });
  };
}

/** A document without a browser, in which pages of the console are tested. */
export default class ConsoleEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, FROM_NODE);
    // Pages ask the server that they came from; a test says which one that is.
    this.global.setAddress = (url) => this.dom.reconfigure({ url });
    giveBytes(this.global);
    Object.defineProperty(this.global.navigator, 'locks', { value: createLocks(), configurable: true });
  }
}
