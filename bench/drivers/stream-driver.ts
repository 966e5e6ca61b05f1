import { setTimeout as sleep } from 'node:timers/promises';
import { createChat } from '../../test/support/factories.ts';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import { registerUsers } from './bench-users.ts';
import { ChatClient, isTerminal, type SeenFrame } from './chat-client.ts';
import { report } from './serve-commands.ts';
import type { DriverCommand, DriverMessage } from './driver-protocol.ts';
import { quantile } from '../figures/statistics.ts';
import { TokenReader } from '../instance/token-clock.ts';

// The readers of many streams, as a process of its own: `node stream-driver.ts <url of the api> <url of the model>
// <streams>`.

/** A few at a time: what is measured is streaming, not the start of many turns at once. */
const BEGIN_EVERY_MS = 15;
const SETTLE_MS = 1_000;
const LIMIT_MS = 30_000;

type StreamCommand = Extract<DriverCommand, { readonly type: 'stream' }>;

const [apiUrl = '', modelUrl = '', count = '1'] = process.argv.slice(2);
const streams = Number(count);

/** The arrivals of all streams. */
class Arrivals {
  isMeasuring = false;
  latencies: number[] = [];
  chunks = 0;
  begun = 0;
  ended = 0;
  failed = 0;

  /** Takes what one stream says. */
  reader(): (chunk: string, at: number) => void {
    const tokens = new TokenReader();
    let hasBegun = false;
    return (chunk, at) => {
      if (!hasBegun) this.begun += 1;
      hasBegun = true;
      const written = tokens.read(chunk);
      if (!this.isMeasuring) return;
      this.chunks += 1;
      for (const writtenAt of written) this.latencies.push(at - writtenAt);
    };
  }
}

async function connectChats(): Promise<ChatClient[]> {
  const clients: ChatClient[] = [];
  for (const { user, agentId } of await registerUsers({ apiUrl, modelUrl }, streams)) {
    clients.push(await ChatClient.connect(apiUrl, await createChat(user.client, agentId), user.accessToken));
  }
  return clients;
}

async function beginChats(chats: readonly ChatClient[], arrivals: Arrivals): Promise<void> {
  for (const chat of chats) {
    const read = arrivals.reader();
    chat.listen((frame: SeenFrame) => {
      if (frame.type === 'chunk') read(frame.content ?? '', frame.at);
      if (!isTerminal(frame)) return;
      arrivals.ended += 1;
      if (frame.type === 'error') arrivals.failed += 1;
    });
    chat.send({ type: 'message', content: 'Tell me a long story.' });
    await sleep(BEGIN_EVERY_MS);
  }
}

/** Measures the floor: the same streams without the platform. */
async function beginDirect(arrivals: Arrivals): Promise<void> {
  for (let at = 0; at < streams; at += 1) {
    void readDirect(arrivals);
    await sleep(BEGIN_EVERY_MS / 3);
  }
}

async function readDirect(arrivals: Arrivals): Promise<void> {
  const read = arrivals.reader();
  const response = await fetch(`${modelUrl}/chat/completions`, { method: 'POST', body: '{}' });
  for await (const bytes of response.body ?? []) {
    const at = preciseNow();
    const contents = Buffer.from(bytes)
      .toString()
      .matchAll(/"content":"([^"]*)"/g);
    read([...contents].map(([, content]) => content).join(''), at);
  }
  arrivals.ended += 1;
}

async function stream(chats: readonly ChatClient[], { from, measureMs }: StreamCommand): Promise<DriverMessage> {
  const arrivals = new Arrivals();
  await (from === 'chats' ? beginChats(chats, arrivals) : beginDirect(arrivals));
  // A platform that is overwhelmed never comes so far; what it does with fewer is measured then.
  await until(() => arrivals.begun + arrivals.failed >= streams);
  await sleep(SETTLE_MS);
  const { begun } = arrivals;
  arrivals.isMeasuring = true;
  report({ type: 'window' });
  await sleep(measureMs);
  arrivals.isMeasuring = false;
  report({ type: 'window' });
  await until(async () => {
    // Those that begin late are ended as well.
    await fetch(new URL('/end', modelUrl), { method: 'POST' });
    return arrivals.ended >= streams;
  });
  const { latencies, chunks: frames, failed, ended } = arrivals;
  const of = (share: number): number => quantile(latencies, share);
  const figures = { p50: of(0.5), p95: of(0.95), max: of(1), tokens: latencies.length, frames };
  return { type: 'tokens', streams: begun, ...figures, failed: failed + streams - ended };
}

/** Waits until something is so, at most half a minute. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = preciseNow() + LIMIT_MS;
  while (!(await isSo()) && preciseNow() < deadline) await sleep(50);
}

const chats = await connectChats();
process.on('message', (command: StreamCommand) => void stream(chats, command).then(report));
// The parent process is gone.
process.once('disconnect', () => process.exit());
report({ type: 'ready', workflowIds: [] });
