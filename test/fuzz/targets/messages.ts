import fc from 'fast-check';
import { expect } from '@jest/globals';
import { boundedEvents, MAX_BODY_BYTES } from '../../../activities/mcp-servers/sessions/bounded-body.ts';
import { restoreStructured, toReadable } from '../../../activities/mcp-servers/sessions/readable-message.ts';
import { McpFailure } from '../../../activities/mcp-servers/mcp-failure.ts';
import { digestOfTool, readTool } from '../../../activities/mcp-servers/read-tool-list.ts';
import type { Account, Reach } from '../../../activities/tools/operations/connections/connections.ts';
import { openRemoteAgent } from '../../../activities/tools/operations/connections/remote-agent.ts';
import { ToolFailure } from '../../../activities/tools/tool-failure.ts';
import { readClientFrame } from '../../../api/chat-socket/frames/frames.ts';
import { readSlackEvent } from '../../../domain/channels.ts';
import { isStorableJson, isStorableText } from '../../../domain/core/text.ts';
import { readSlackInteraction } from '../../../domain/decision-buttons.ts';
import { inChunks, nearly, nearlyJson } from '../inputs.ts';
import { type FuzzTarget, target } from '../target.ts';

const FRAMES = [
  '{"type":"message","content":"Hello","client_message_id":"a-1","file_ids":["0190a0a0-0000-7000-8000-000000000000"]}',
  '{"type":"interrupt"}',
  '{"type":"ping"}',
];
const RESULT = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    content: [
      { type: 'text', text: 'a' },
      { type: 'video', data: 'x' },
      { type: 'resource', resource: { uri: 'a:b' } },
    ],
    structuredContent: { exact: 123456789012345, list: [1.5, 'x'] },
    isError: false,
  },
};
const TOOL = {
  name: 'search',
  title: 'Search',
  description: 'Finds\u202e things.',
  inputSchema: { type: 'object', properties: { q: { type: 'string', enum: ['a'] } }, required: ['q'] },
  annotations: { readOnlyHint: true, title: 'S' },
  execution: { taskSupport: 'optional' },
};

/** A frame is read, or refused in words; what is read can be stored. */
const readsFrame = (text: string) => {
  const frame = readClientFrame(text);
  if (typeof frame === 'string') return expect(frame.length).toBeLessThan(2_000);
  expect(isStorableJson(frame)).toBe(true);
};

/** What is JSON stays JSON of about the same length, and numbers come back as they were. */
const readsMessage = (text: string) => {
  const readable = toReadable(text);
  expect(readable.length).toBeLessThanOrEqual(text.length * 40 + 1_000);
  let message: unknown;
  try {
    message = JSON.parse(readable);
  } catch {
    return;
  }
  restoreStructured(message);
};

/** A tool is taken as something that can be stored, or left out with a reason. */
const readsTool = (described: unknown) => {
  const read = readTool(described);
  digestOfTool(described);
  expect(isStorableJson('tool' in read ? { ...read.tool } : { ...read.leftOut })).toBe(true);
};

/** A stream of events ends, or is refused as the server's. */
const readsEvents = async (chunks: readonly Buffer[]) => {
  const watch = { onEnd: () => undefined, onRefused: () => undefined };
  let bytes = 0;
  try {
    for await (const chunk of boundedEvents(ReadableStream.from(chunks), watch)) bytes += chunk.length;
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
  }
  expect(bytes).toBeLessThanOrEqual(3 * MAX_BODY_BYTES);
};

const SLACK_EVENT = {
  type: 'event_callback',
  event_id: 'Ev1',
  team_id: 'T1',
  authorizations: [{ team_id: 'T1', user_id: 'UBOT' }],
  event: {
    type: 'app_mention',
    user: 'U1',
    text: '<@UBOT> a &lt;b&gt; &amp;',
    channel: 'C1',
    ts: '1.2',
    thread_ts: '1.1',
  },
};

/** An event is a message that can be stored, a challenge, or nothing that anybody has written. */
const readsEvent = (payload: unknown) => {
  const event = readSlackEvent(payload);
  if (event === undefined) return;
  expect(isStorableJson({ ...event })).toBe(true);
  if (event.kind === 'message') expect(event.message.text).toMatch(/\S/);
};

const SLACK_INTERACTION = {
  type: 'block_actions',
  team: { id: 'T1' },
  user: { id: 'U1', team_id: 'T1' },
  container: { type: 'message', message_ts: '1.2', channel_id: 'D1', thread_ts: '1.1' },
  actions: [{ action_id: 'answer-3', value: '0199a3f0-0000-7000-8000-000000000001', action_ts: '1.3' }],
};

/** An interaction is a button of an approval, of which all can be stored, or nothing that decides. */
const readsInteraction = (payload: unknown) => {
  const button = readSlackInteraction(payload);
  if (button === undefined) return;
  expect(isStorableJson({ ...button })).toBe(true);
  if (button.wanted.kind === 'answer') expect(button.wanted.option).toBeLessThan(100);
};

const CARD = {
  name: 'Baker',
  description: 'Bakes.',
  version: '1',
  supportedInterfaces: [
    { url: 'https://a.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
  ],
  capabilities: { streaming: true },
  skills: [],
};
const TASK = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    id: 't-1',
    contextId: 'c-1',
    status: {
      state: 'TASK_STATE_COMPLETED',
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'Done' }] },
    },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'Bread' }, { data: { n: 1.5 } }, { url: 'https://a.example/x' }] }],
  },
};
const ACCOUNT: Account<'a2a'> = {
  kind: 'a2a',
  name: 'Baker',
  apiUrl: 'https://a.example/card.json',
  settings: {},
  secrets: {},
  mask: (text) => text,
};

/** An agent of another platform answers with something that can be stored, or fails as the other side. */
const readsAnswer = async ([card, answer, status]: readonly [string, string, number]) => {
  const request: Reach['http']['request'] = async ({ method }) => ({
    status: method === 'GET' ? 200 : status,
    headers: new Map(),
    body: Buffer.from(method === 'GET' ? card : answer),
    finalUrl: '',
    redirects: 0,
    isTruncated: false,
  });
  const reach = { http: { request }, signal: new AbortController().signal } as unknown as Reach;
  try {
    const agent = await openRemoteAgent(ACCOUNT, reach);
    const { text, taskId = '' } = await agent.poll('t-1');
    expect([text, taskId].every(isStorableText)).toBe(true);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
  }
};

const json = (value: unknown) => JSON.stringify(value) ?? '';

export const messages: readonly FuzzTarget[] = [
  target(
    'frames of sockets',
    150,
    fc.oneof(nearly(...FRAMES).map(String), nearlyJson(JSON.parse(FRAMES[0] ?? '')).map(json)),
    readsFrame,
  ),
  target(
    'answers of MCP servers',
    120,
    fc.oneof(nearly(json(RESULT)).map(String), nearlyJson(RESULT).map(json)),
    readsMessage,
  ),
  target('events of Slack', 120, nearlyJson(SLACK_EVENT), readsEvent),
  target('buttons of Slack', 120, nearlyJson(SLACK_INTERACTION), readsInteraction),
  target(
    'agents of other platforms',
    60,
    fc.tuple(
      fc.oneof({ arbitrary: fc.constant(json(CARD)), weight: 3 }, nearlyJson(CARD).map(json)),
      fc.oneof(nearly(json(TASK)).map(String), nearlyJson(TASK).map(json)),
      fc.constantFrom(200, 200, 200, 400, 500),
    ),
    readsAnswer,
  ),
  target('tools of MCP servers', 120, nearlyJson(TOOL), readsTool),
  target(
    'event streams of MCP servers',
    80,
    inChunks(nearly(`id: 1\nevent: message\ndata: ${json(RESULT)}\n\n`)),
    readsEvents,
  ),
];
