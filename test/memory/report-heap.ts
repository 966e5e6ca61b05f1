import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

// Loaded before everything else into each thread of a process of the platform, with `--import` and `--expose-gc`: when
// the process is sent `heap`, each thread collects its garbage, and the process answers with what is left.

/** The answer of a process: the bytes that each of its threads holds after a garbage collection. */
export interface HeapReport {
  readonly type: 'heap';
  readonly bytesOfThreads: readonly number[];
}

type ThreadMessage =
  | { readonly type: 'started' }
  | { readonly type: 'collect' }
  | { readonly type: 'used'; readonly bytes: number };

/** What a finalizer lets go of is garbage of the next collection. */
const COLLECTIONS = 4;

const threads = new BroadcastChannel('everturn-heap');
if (isMainThread) reportOnRequest();
else joinReports();

function reportOnRequest(): void {
  let others = 0;
  let heard: (bytes: number) => void = () => undefined;
  listen((message) => {
    if (message.type === 'started') others += 1;
    if (message.type === 'used') heard(message.bytes);
  });
  const report = async (): Promise<void> => {
    const bytesOfThreads: number[] = [];
    const all = Promise.withResolvers<void>();
    heard = (bytes) => {
      bytesOfThreads.push(bytes);
      if (bytesOfThreads.length > others) all.resolve();
    };
    send({ type: 'collect' });
    heard(await collect());
    await all.promise;
    process.send?.({ type: 'heap', bytesOfThreads } satisfies HeapReport);
  };
  process.on('message', (message) => {
    if (message === 'heap') void report();
  });
}

function joinReports(): void {
  listen((message) => {
    if (message.type === 'collect') void collect().then((bytes) => send({ type: 'used', bytes }));
  });
  send({ type: 'started' });
}

function listen(receive: (message: ThreadMessage) => void): void {
  // Only threads of this process, which load this file, speak on the channel.
  threads.addEventListener('message', (event) => receive((event as MessageEvent).data as ThreadMessage));
  // It must not keep its thread alive.
  threads.unref();
}

function send(message: ThreadMessage): void {
  threads.postMessage(message);
}

async function collect(): Promise<number> {
  for (let count = 0; count < COLLECTIONS; count += 1) {
    globalThis.gc?.();
    await turnOfTheLoop();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
