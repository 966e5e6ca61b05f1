import { withDeadline } from './transport.ts';

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

interface ReadOptions {
  readonly signal: AbortSignal | undefined;
  /** How long nothing may come, comments included. */
  readonly idleMs: number;
}

/** Reads a body of server-sent events (WHATWG HTML) until it ends. An event that was cut off is left out. */
export async function* readEvents(
  { body, url }: Pick<Response, 'body' | 'url'>,
  { signal, idleMs }: ReadOptions,
): AsyncGenerator<ServerEvent> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withDeadline({ signal, ms: idleMs, what: url }, (combined) =>
        untilAborted(reader.read(), combined),
      );
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      yield* blocks.map(parseEvent).filter((event) => event.data !== '');
    }
  } finally {
    // Closes the connection; of one that is lost it never resolves.
    reader.cancel().catch(() => undefined);
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = block.split(/\r?\n/).map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
  });
  const last = (name: string) => fields.findLast(([field]) => field === name)?.[1];
  const data = fields.flatMap(([field, value]) => (field === 'data' ? [value] : [])).join('\n');
  return { event: last('event') ?? 'message', id: last('id'), data };
}
