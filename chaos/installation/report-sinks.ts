import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { FakeSlack, type PostedMessage, tooManyRequests } from '../../test/support/fake-slack.ts';
import { LOCAL_ADDRESS } from '../../test/support/local-address.ts';
import type { SeenRequest } from '../../test/support/outside-server.ts';
import { lastDigitsOf } from './sinks.ts';

/** A mail or a message in Slack that has arrived. */
interface Arrival {
  readonly kind: 'email' | 'slack';
  /** The `Message-ID` of a mail; null in Slack, which has none. */
  readonly messageId: string | null;
  /** Whether it is in the mailbox or the channel now, though its sender may not have learnt of it. */
  readonly isTaken: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A report of a run that has arrived. */
export interface ReportArrival extends Arrival {
  readonly runId: string;
}

/** What asks somebody to decide, as it has arrived. */
export interface AskArrival extends Arrival {
  /** What the plan calls the question. */
  readonly name: string;
  /** Whether the sender was answered. It cannot change a message of Slack of which it does not know. */
  readonly isAnswered: boolean;
  /** The address of a mail, or the direct conversation in Slack. */
  readonly to: string;
  /** What the link of a mail decides with. */
  readonly token: string | undefined;
  /** The message in Slack, when it was taken. */
  readonly message: PostedMessage | undefined;
}

/**
 * How a report or a question is answered that is not answered at once: `cut` takes it and closes the connection, and
 * `never` takes nothing and keeps the connection open, so that its sender has to give up waiting.
 */
const ANSWERS = ['refused', 'late', 'cut', 'twice', 'never'] as const;
type Answer = (typeof ANSWERS)[number] | 'at once';

/**
 * Of a hundred reports, how many are answered in each of these ways when they come first. One that has to come again
 * delays those behind it, since their order is kept.
 */
const REPORTS = { refused: 2, late: 6, cut: 2, twice: 6, never: 1 };
/** The same of what asks people, which waits for nothing else. */
const ASKS = { refused: 15, late: 15, cut: 15, twice: 10, never: 2 };
const LATE_MS = 1_500;

/** What a mail or a message is about: a report of a run, or a question. */
type Subject = { readonly runId: string } | { readonly name: string };

/**
 * A mail server and a chat service: they refuse some of what comes first, leave some without an answer, and answer some
 * twice.
 */
export class ReportSinks {
  readonly reports: ReportArrival[] = [];
  readonly asks: AskArrival[] = [];
  readonly #seen = new Set<string>();
  readonly #mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { remotePort }, done) => void this.#receiveMail(stream, { remotePort, done }).catch(done),
  });
  /** The connections to the mail server, by their senders' ports. */
  readonly #sockets = new Map<number | undefined, Socket>();
  readonly #slack: FakeSlack;

  private constructor(slack: FakeSlack) {
    this.#slack = slack;
    slack.server.reply = (response, request) => {
      void this.#receivePost(response, request).catch(() => response.destroy());
    };
  }

  static async start(): Promise<ReportSinks> {
    const sinks = new ReportSinks(await FakeSlack.start());
    sinks.#mail.server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      sinks.#sockets.set(remotePort, socket);
      socket.once('close', () => sinks.#sockets.delete(remotePort));
    });
    await once(sinks.#mail.listen(0, LOCAL_ADDRESS), 'listening');
    return sinks;
  }

  get mailPort(): number {
    return (this.#mail.server.address() as AddressInfo).port;
  }

  get slackPort(): number {
    return this.#slack.port;
  }

  async #receiveMail(
    stream: NodeJS.ReadableStream,
    { remotePort, done }: { readonly remotePort: number | undefined; readonly done: (error: Error | null) => void },
  ): Promise<void> {
    const { messageId = null, text: body = '', to = [] } = await PostalMime.parse(await text(stream));
    const token = LINK.exec(body)?.[1];
    const subject = subjectOf(body, token !== undefined);
    const answer = this.#answerTo('email', subject);
    const arrival = { kind: 'email', messageId, isTaken: isTakenWith(answer), at: Date.now() } as const;
    const isAnswered = answer !== 'cut';
    this.#note(subject, arrival, { isAnswered, to: to[0]?.address ?? '', token, message: undefined });
    if (answer === 'late') await sleep(LATE_MS);
    if (answer === 'refused') done(Object.assign(new Error('try again later'), { responseCode: 451 }));
    else endTaking(answer, this.#sockets.get(remotePort), { first: () => done(null), again: '250 OK: once more\r\n' });
  }

  async #receivePost(response: ServerResponse, request: SeenRequest): Promise<void> {
    const isPost = request.url.endsWith('/chat.postMessage');
    const subject = isPost ? subjectOf(request.body, request.body.includes('"blocks"')) : undefined;
    const answer = this.#answerTo('slack', subject);
    const isTaken = isTakenWith(answer);
    const reply = isTaken ? this.#slack.take(request) : tooManyRequests;
    const message = isTaken ? this.#slack.messages.at(-1) : undefined;
    const arrival = { kind: 'slack', messageId: null, isTaken, at: Date.now() } as const;
    const isAnswered = answer !== 'cut';
    this.#note(subject, arrival, { isAnswered, to: message?.channel ?? '', token: undefined, message });
    if (answer === 'late') await sleep(LATE_MS);
    endTaking(answer, response.socket, {
      first: () => reply(response, request),
      again: 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"ok":true}',
    });
  }

  #note(subject: Subject | undefined, arrival: Arrival, asking: Omit<AskArrival, 'name' | keyof Arrival>): void {
    if (subject === undefined) return;
    if ('runId' in subject) this.reports.push({ ...arrival, ...subject });
    else this.asks.push({ ...arrival, ...subject, ...asking });
  }

  #answerTo(kind: Arrival['kind'], subject: Subject | undefined): Answer {
    if (subject === undefined) return 'at once';
    const key = `${kind} ${'runId' in subject ? subject.runId : subject.name}`;
    if (this.#seen.has(key)) return 'at once';
    this.#seen.add(key);
    const [digits, shares] =
      'runId' in subject ? [lastDigitsOf(subject.runId), REPORTS] : [Number(subject.name.slice(1)) * 37, ASKS];
    // Both get other ones wrong.
    let dice = (digits + (kind === 'email' ? 0 : 50)) % 100;
    return ANSWERS.find((answer) => (dice -= shares[answer]) < 0) ?? 'at once';
  }
}

interface Said {
  /** Answers as the protocol has it. */
  readonly first: () => void;
  /** What follows for who is answered twice. */
  readonly again: string;
}

function endTaking(answer: Answer, socket: Socket | null | undefined, { first, again }: Said): void {
  if (answer === 'cut') socket?.destroy();
  else if (answer !== 'never') first();
  if (answer === 'twice') socket?.write(again);
}

function isTakenWith(answer: Answer): boolean {
  return answer !== 'refused' && answer !== 'never';
}

/** The link of a report to its run in the console. */
const RUN = /\/runs\?id=([0-9a-f-]{36})/;
/** The link of a mail that decides. */
const LINK = /\/decide\?token=([\w-]+)/;
/** What a plan calls a question, in its words or the address of its call. */
const NAME = /(?:Which one, |\/once\/)(q\d+)\b/;

/** Returns what a text is about; undefined for what asks about a step of a run. */
function subjectOf(body: string, isAsking: boolean): Subject | undefined {
  const runId = RUN.exec(body)?.[1];
  if (!isAsking) return { runId: runId ?? '' };
  const name = NAME.exec(body)?.[1];
  return name === undefined ? undefined : { name };
}
