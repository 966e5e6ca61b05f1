// A client of the API as its users would write one: with types that are generated from /openapi.json, under the name
// `everturn-api`. generated-client.test.ts makes the types, checks this file against them, and runs it.
import createClient from 'openapi-fetch';
import type { components, paths } from 'everturn-api';

type Schemas = components['schemas'];
type Api = ReturnType<typeof connect>;

function connect(baseUrl: string, token: string) {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
}

/** Says what went wrong. */
function wordsOf({ detail }: Schemas['Problem']): string {
  if (typeof detail === 'string') return detail;
  return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
}

async function addAgent(api: Api, name: string): Promise<Schemas['Agent']> {
  const { data, error } = await api.POST('/api/agents', { body: { name } });
  if (error !== undefined) throw new Error(wordsOf(error));
  return data;
}

/** Reads a list page by page. */
async function listAgents(api: Api, limit: number): Promise<Schemas['AgentListItem'][]> {
  const agents: Schemas['AgentListItem'][] = [];
  for (let hasMore = true; hasMore;) {
    const query = { limit, offset: agents.length, deleted: false };
    const { data, error, response } = await api.GET('/api/agents', { params: { query } });
    if (error !== undefined) throw new Error(wordsOf(error));
    agents.push(...data);
    hasMore = response.headers.get('link')?.includes('rel="next"') ?? false;
  }
  return agents;
}

/** An event of a turn, with the data that the description of `TurnEvent` says by its name. */
type TurnEvent = { id?: string } & (
  | { event: 'stream_start'; data: Schemas['StreamStart'] }
  | { event: 'chunk'; data: Schemas['Chunk'] }
  | { event: 'tool_call'; data: Schemas['ToolCallProgress'] }
  | { event: 'approval'; data: Schemas['ApprovalProgress'] }
  | { event: 'stream_end'; data: Schemas['StreamEnd'] }
  | { event: 'error'; data: Schemas['StreamError'] }
);

/** Sends a message and yields the events of its answer. */
async function* send(api: Api, chatId: string, content: string): AsyncGenerator<TurnEvent> {
  const { data, error } = await api.POST('/api/chats/{chat_id}/stream', {
    params: { path: { chat_id: chatId } },
    body: { content, client_message_id: crypto.randomUUID() },
    parseAs: 'stream',
  });
  if (error !== undefined) throw new Error(wordsOf(error));
  let text = '';
  for await (const chunk of (data as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())) {
    const blocks = `${text}${chunk}`.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) if (!block.startsWith(':')) yield readEvent(block);
  }
}

function readEvent(block: string): TurnEvent {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const { event, id, data = '' } = Object.fromEntries(fields) as Record<string, string>;
  return { event, id, data: JSON.parse(data) } as TurnEvent;
}

/** Says what an event tells; each has fields of its own. */
function describe(event: TurnEvent): string {
  switch (event.event) {
    case 'stream_start':
      return `began as ${event.data.turn_id}, to be resumed after ${event.id}`;
    case 'chunk':
      return event.data.content;
    case 'approval':
      return `${event.data.approval_id} ${event.data.status}`;
    case 'tool_call':
      return `${event.data.label}: ${event.data.status}`;
    case 'stream_end':
      return `ended after ${event.data.message.metadata_.usage?.output_tokens ?? 0} tokens`;
    case 'error':
      return event.data.message;
    default:
      return event satisfies never;
  }
}

/** Says what a frame of the socket tells. */
function show(frame: Schemas['ServerFrame']): string {
  if (frame.type === 'chunk') return frame.content;
  if (frame.type === 'sub_agent_done') return `${frame.agent_name}: ${frame.status}`;
  return frame.type === 'stream_end' ? (frame.metadata.status ?? '') : frame.type;
}

/** What the types refuse; each line is a fault when they do not. */
async function misuse(api: Api): Promise<string> {
  // @ts-expect-error a number is no text
  const { error } = await api.GET('/api/agents', { params: { query: { limit: 'all' } } });
  // @ts-expect-error there is no such key
  const permissions: Schemas['PermissionKey'][] = ['agents.fly'];
  // @ts-expect-error requests are strict
  const body: Schemas['ChatTitle'] = { title: 'Plans', colour: 'blue' };
  // @ts-expect-error there is no such frame
  const frame: Schemas['ClientFrame'] = { type: 'shout', content: body.title };
  return error === undefined ? `${permissions.length}${frame.type}` : wordsOf(error);
}

const [baseUrl = '', token = ''] = process.argv.slice(2);
const api = connect(baseUrl, token);
const first = await addAgent(api, 'First');
await addAgent(api, 'Second');
const agents = await listAgents(api, 1);
const { data: chat } = await api.POST('/api/chats', { body: { agent_id: first.id } });
const events = send(api, chat?.id ?? '', 'Hello');
const begin = await events.next();
await events.return(undefined);
const { error } = await api.GET('/api/chats/{chat_id}', { params: { path: { chat_id: crypto.randomUUID() } } });
const report = {
  agents: agents.map(({ name }) => name),
  title: chat?.title,
  begin: begin.done === true ? undefined : describe(begin.value),
  frame: show({ type: 'pong' }),
  fault: await misuse(api),
  refusal: error && wordsOf(error),
};
process.stdout.write(JSON.stringify(report));
