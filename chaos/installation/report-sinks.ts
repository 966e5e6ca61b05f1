import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { lastDigitsOf } from './sinks.ts';

/** A report of a run that has arrived in a mailbox or a channel. */
export interface ReportArrival {
  readonly kind: 'email' | 'slack';
  readonly runId: string;
  /** The `Message-ID` of a mail; null in Slack, which has none. */
  readonly messageId: string | null;
  /** Whether it is in the mailbox or the channel now, though its sender may not have learnt of it. */
  readonly isTaken: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Of a hundred reports, how many are refused, answered late, and cut off without an answer, when they come first. One
 * that has to come again delays those behind it, since their order is kept.
 */
const REFUSED = 2;
const LATE = 6;
const UNANSWERED = 2;
const LATE_MS = 1_500;

/** How a report is answered. */
type Answer = 'at once' | 'late' | 'refused' | 'not';

/** A mail server and a chat service: they refuse some reports at first, and leave others without an answer. */
export class ReportSinks {
  readonly arrivals: ReportArrival[] = [];
  readonly #seen = new Set<string>();
  readonly #mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { remotePort }, done) => void this.#receiveMail(stream, { remotePort, done }).catch(done),
  });
  /** The connections to the mail server, by their senders' ports. */
  readonly #sockets = new Map<number | undefined, Socket>();
  readonly #slack = createServer((request, response) => {
    void this.#receivePost(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<ReportSinks> {
    const sinks = new ReportSinks();
    sinks.#mail.server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      sinks.#sockets.set(remotePort, socket);
      socket.once('close', () => sinks.#sockets.delete(remotePort));
    });
    await Promise.all([
      once(sinks.#mail.listen(0, '127.0.0.1'), 'listening'),
      once(sinks.#slack.listen(0, '127.0.0.1'), 'listening'),
    ]);
    return sinks;
  }

  get mailPort(): number {
    return (this.#mail.server.address() as AddressInfo).port;
  }

  get slackPort(): number {
    return (this.#slack.address() as AddressInfo).port;
  }

  async #receiveMail(
    stream: NodeJS.ReadableStream,
    { remotePort, done }: { readonly remotePort: number | undefined; readonly done: (error: Error | null) => void },
  ): Promise<void> {
    const { messageId = null, text: body = '' } = await PostalMime.parse(await text(stream));
    const answer = await this.#note('email', body, messageId);
    if (answer === 'refused') done(Object.assign(new Error('try again later'), { responseCode: 451 }));
    else if (answer === 'not') this.#sockets.get(remotePort)?.destroy();
    else done(null);
  }

  async #receivePost(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { text: body } = JSON.parse(await text(request)) as { readonly text: string };
    const answer = await this.#note('slack', body, null);
    if (answer === 'refused') return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (answer === 'not') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, channel: 'C024BE91L', ts: `${this.arrivals.length}.0` }));
  }

  async #note(kind: ReportArrival['kind'], body: string, messageId: string | null): Promise<Answer> {
    const runId = RUN.exec(body)?.[1] ?? '';
    const answer = this.#answerTo(kind, runId);
    this.arrivals.push({ kind, runId, messageId, isTaken: answer !== 'refused', at: Date.now() });
    if (answer === 'late') await sleep(LATE_MS);
    return answer;
  }

  #answerTo(kind: ReportArrival['kind'], runId: string): Answer {
    const key = `${kind} ${runId}`;
    if (this.#seen.has(key)) return 'at once';
    this.#seen.add(key);
    // Both get other runs wrong.
    const dice = (lastDigitsOf(runId) + (kind === 'email' ? 0 : 50)) % 100;
    if (dice < REFUSED) return 'refused';
    if (dice < REFUSED + LATE) return 'late';
    return dice < REFUSED + LATE + UNANSWERED ? 'not' : 'at once';
  }
}

/** The link of a report to its run in the console. */
const RUN = /\/runs\?id=([0-9a-f-]{36})/;
