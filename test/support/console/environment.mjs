import { BroadcastChannel } from 'node:worker_threads';
import { TestEnvironment } from 'jest-environment-jsdom';

/** What every browser has and jsdom lacks; Node's are the same by specification. */
const FROM_NODE = {
  fetch,
  Headers,
  Request,
  Response,
  FormData,
  ReadableStream,
  TransformStream,
  TextEncoder,
  TextDecoder,
  TextDecoderStream,
  TextEncoderStream,
  BroadcastChannel,
  structuredClone,
};

/** A document without a browser, in which pages of the console are tested. */
export default class ConsoleEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, FROM_NODE);
  }
}
