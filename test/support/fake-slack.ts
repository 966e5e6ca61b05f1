import { createHmac } from 'node:crypto';
import { ApiClient } from './api-client.ts';
import { json, OutsideServer, type Reply, type SeenRequest } from './outside-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message as Slack shows it. */
export interface PostedMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  /** All that it has said, the newest last. */
  readonly texts: string[];
  /** Its blocks as they are now; none for a plain text. */
  blocks?: readonly Fields[];
}

/** Files that were shared in one message. */
interface SharedFiles {
  readonly channel: string;
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly files: readonly { readonly name: string; readonly content: string }[];
}

/** A text that only one person is shown. */
interface ShownNotice {
  readonly channel: string;
  readonly user: string;
  readonly text: string;
}

/** A server that has messages and people as Slack does, and fails as it is told to. */
export class FakeSlack {
  readonly server: OutsideServer;
  readonly messages: PostedMessage[] = [];
  readonly notices: ShownNotice[] = [];
  readonly shared: SharedFiles[] = [];
  /** The bytes of files that are being shared, by their ids. */
  readonly #uploads = new Map<string, string>();
  /** What `users.info` has of people, by their ids. */
  readonly users = new Map<string, Fields>();
  /** The workspace that the token belongs to. */
  team = TEAM;
  /** What the server has at other paths than those of methods, such as files. */
  readonly files = new Map<string, Reply>();
  /** Answers in place of the next calls of a method. */
  readonly faults = new Map<string, Reply[]>();

  private constructor(server: OutsideServer) {
    this.server = server;
    server.reply = (response, request) => this.take(request)(response, request);
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
    this.notices.length = 0;
    this.shared.length = 0;
    this.users.clear();
    this.files.clear();
    this.team = TEAM;
    this.faults.clear();
  }

  close(): void {
    this.server.close();
  }

  /** Does what a request asks for, and returns the answer to it. */
  take(request: SeenRequest): Reply {
    const { pathname, searchParams } = new URL(request.url, this.url);
    const file = this.files.get(pathname);
    if (file !== undefined) return file;
    if (pathname.startsWith('/upload/')) {
      this.#uploads.set(pathname.slice('/upload/'.length), request.body);
      return json({});
    }
    const method = pathname.slice(pathname.lastIndexOf('/') + 1);
    const fault = this.faults.get(method)?.shift();
    if (fault !== undefined) return fault;
    const args = (request.body === '' ? Object.fromEntries(searchParams) : JSON.parse(request.body)) as Fields;
    return json(this.#methods[method]?.(args) ?? { ok: false, error: 'unknown_method' });
  }

  readonly #methods: Readonly<Record<string, (args: Fields) => Fields>> = {
    'users.info': (args) => {
      const user = this.users.get(String(args['user']));
      return user === undefined ? { ok: false, error: 'user_not_found' } : { ok: true, user };
    },
    'users.lookupByEmail': (args) => {
      const user = [...this.users.values()].find(
        ({ profile }) => (profile as Fields | undefined)?.['email'] === args['email'],
      );
      return user === undefined ? { ok: false, error: 'users_not_found' } : { ok: true, user };
    },
    'chat.postEphemeral': ({ channel, user, text }) => {
      this.notices.push({ channel: String(channel), user: String(user), text: String(text) });
      return { ok: true, message_ts: '1' };
    },
    'files.getUploadURLExternal': () => {
      const id = `F${this.#uploads.size + 1}`;
      this.#uploads.set(id, '');
      return { ok: true, file_id: id, upload_url: `${this.server.url}/upload/${id}` };
    },
    'files.completeUploadExternal': (args) => this.#share(args),
    'auth.test': () => ({ ok: true, team_id: this.team, user_id: BOT }),
    'chat.postMessage': (args) => ({ ok: true, ...this.#post(args) }),
    'chat.update': (args) => this.#update(args),
  };

  // The id of a person stands for the direct conversation with them.
  #post({ channel: to, thread_ts: thread, text, blocks }: Fields): {
    readonly channel: string;
    readonly ts: string;
  } {
    const channel = String(to).replace(/^U/, 'DU');
    const ts = `1700000000.${String(this.messages.length + 1).padStart(6, '0')}`;
    const texts = [String(text)];
    this.messages.push({ channel, ts, thread: thread as string | undefined, texts, blocks: blocks as Fields[] });
    return { channel, ts };
  }

  #share({ channel_id: channel, thread_ts: thread, initial_comment: text, files }: Fields): Fields {
    const shared = (files as Fields[]).map(({ id, title }) => {
      return { name: String(title), content: this.#uploads.get(String(id)) ?? '' };
    });
    this.shared.push({
      channel: String(channel),
      thread: thread as string | undefined,
      text: text as string | undefined,
      files: shared,
    });
    return { ok: true, files };
  }

  #update({ channel, ts, text, blocks }: Fields): Fields {
    const message = this.messages.find((each) => each.channel === channel && each.ts === ts);
    if (message === undefined) return { ok: false, error: 'message_not_found' };
    message.texts.push(String(text));
    if (blocks !== undefined) message.blocks = blocks as Fields[];
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

interface Signature {
  readonly secret: string;
  readonly time?: number;
  readonly type?: string;
}

/** Sends a body to the `events_url` of a channel, signed as by Slack. */
export async function sendAsSlack(
  apiUrl: string,
  channelId: string,
  payload: unknown,
  { secret, time, type = 'application/json' }: Signature,
) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const headers = { 'content-type': type, ...slackSignature(body, secret, time) };
  const client = new ApiClient(apiUrl);
  const { status, json: answer } = await client.send<Fields>(
    'POST',
    `/api/channels/${channelId}/events`,
    body,
    headers,
  );
  return { status, json: answer };
}

/** Returns the headers by which Slack signs a body. */
export function slackSignature(
  body: string,
  secret: string,
  time = Math.floor(Date.now() / 1_000),
): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': `v0=${digest}` };
}

/** Returns the buttons of a message, by what stands on them. */
export function buttonsOf({ blocks = [] }: Pick<PostedMessage, 'blocks'>): ReadonlyMap<string, Fields> {
  const elements = blocks.flatMap(({ elements: found = [] }) => found as Fields[]);
  return new Map(elements.map((each) => [String((each['text'] as Fields)['text']), each]));
}

/** Returns what Slack reports when somebody uses a button of a message. */
export function slackInteraction(
  { channel, ts }: Pick<PostedMessage, 'channel' | 'ts'>,
  button: Fields | undefined,
  { user = 'U1', team = TEAM }: { readonly user?: string; readonly team?: string } = {},
): string {
  delivered += 1;
  const { action_id, value } = button ?? {};
  const payload = {
    type: 'block_actions',
    user: { id: user, username: 'somebody', team_id: team },
    team: { id: team, domain: 'example' },
    container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
    trigger_id: `${delivered}.2.3`,
    response_url: 'https://hooks.slack.com/actions/T1/1/x',
    actions: [{ type: 'button', action_id, value, action_ts: `1700000001.${String(delivered).padStart(6, '0')}` }],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}
