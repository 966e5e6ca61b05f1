import { createHmac } from 'node:crypto';
import { ApiClient } from './api-client.ts';
import { json, OutsideServer, type Reply, type SeenRequest } from './outside-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message as Slack shows it. */
interface PostedMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  /** All that it has said, the newest last. */
  readonly texts: string[];
}

/** A server that has messages and people as Slack does, and fails as it is told to. */
export class FakeSlack {
  readonly server: OutsideServer;
  readonly messages: PostedMessage[] = [];
  /** What `users.info` has of people, by their ids. */
  readonly users = new Map<string, Fields>();
  /** The workspace that the token belongs to. */
  team = TEAM;
  /** Answers in place of the next calls of a method. */
  readonly faults = new Map<string, Reply[]>();

  private constructor(server: OutsideServer) {
    this.server = server;
    server.reply = (response, request) => this.#answer(request)(response, request);
  }

  static async start(): Promise<FakeSlack> {
    return new FakeSlack(await OutsideServer.start());
  }

  get url(): string {
    return `${this.server.url}/api`;
  }

  get port(): number {
    return this.server.port;
  }

  /** How often a method was called. */
  callsOf(method: string): number {
    return this.server.seen.filter(({ url }) => url.startsWith(`/api/${method}`)).length;
  }

  /** What the messages say now. */
  get shown(): string[] {
    return this.messages.map(({ texts }) => texts.at(-1) ?? '');
  }

  clear(): void {
    this.server.seen.length = 0;
    this.messages.length = 0;
    this.users.clear();
    this.team = TEAM;
    this.faults.clear();
  }

  close(): void {
    this.server.close();
  }

  #answer(request: SeenRequest): Reply {
    const { pathname, searchParams } = new URL(request.url, this.url);
    const method = pathname.slice(pathname.lastIndexOf('/') + 1);
    const fault = this.faults.get(method)?.shift();
    if (fault !== undefined) return fault;
    const args = (request.body === '' ? Object.fromEntries(searchParams) : JSON.parse(request.body)) as Fields;
    if (method === 'users.info') {
      const user = this.users.get(String(args['user']));
      return json(user === undefined ? { ok: false, error: 'user_not_found' } : { ok: true, user });
    }
    if (method === 'auth.test') return json({ ok: true, team_id: this.team, user_id: BOT });
    if (method === 'chat.postMessage') return json({ ok: true, channel: args['channel'], ts: this.#post(args) });
    if (method === 'chat.update') return json(this.#update(args));
    return json({ ok: false, error: 'unknown_method' });
  }

  #post({ channel, thread_ts: thread, text }: Fields): string {
    const ts = `1700000000.${String(this.messages.length + 1).padStart(6, '0')}`;
    this.messages.push({ channel: String(channel), ts, thread: thread as string | undefined, texts: [String(text)] });
    return ts;
  }

  #update({ channel, ts, text }: Fields): Fields {
    const message = this.messages.find((each) => each.channel === channel && each.ts === ts);
    if (message === undefined) return { ok: false, error: 'message_not_found' };
    message.texts.push(String(text));
    return { ok: true, channel, ts };
  }
}

/** The answer of Slack to somebody who asks too much. */
export const tooManyRequests: Reply = (response) =>
  void response.writeHead(429, { 'retry-after': '1' }).end('{"ok":false,"error":"ratelimited"}');

export const TEAM = 'T1';
export const BOT = 'UBOT';

let delivered = 0;

/** Returns an event of Slack about a message, with an id of its own. */
export function slackEvent(event: Fields, envelope: Fields = {}): Fields {
  delivered += 1;
  return {
    type: 'event_callback',
    event_id: `Ev${delivered}`,
    team_id: TEAM,
    authorizations: [{ team_id: TEAM, user_id: BOT, is_bot: true }],
    event: {
      type: 'app_mention',
      user: 'U1',
      channel: 'C1',
      ts: `1690000000.${String(delivered).padStart(6, '0')}`,
      ...event,
    },
    ...envelope,
  };
}

/** Sends a body to the `events_url` of a channel, signed as by Slack. */
export async function sendAsSlack(
  apiUrl: string,
  channelId: string,
  payload: unknown,
  { secret, time = Math.floor(Date.now() / 1_000) }: { readonly secret: string; readonly time?: number },
) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const digest = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  const headers = { 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': `v0=${digest}` };
  const client = new ApiClient(apiUrl);
  const { status, json: answer } = await client.send<Fields>(
    'POST',
    `/api/channels/${channelId}/events`,
    body,
    headers,
  );
  return { status, json: answer };
}
