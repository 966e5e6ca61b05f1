import { describe, expect, test } from '@jest/globals';
import type { StepEvent } from '../../domain/events.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { ViewerCursor } from '../chat-feed/viewer-cursor.ts';
import type { ChatSubscriptions } from '../context/subscriptions.ts';
import type { SseReply } from '../http/sse-reply.ts';
import { ToolCallEvents, TurnEventStream } from './turn-stream.ts';

describe('turn stream', () => {
  const database = serveTestDatabase({ poolSize: 2 });

  /** Returns a feed that has the turn's whole text but does not know yet that the turn has ended. */
  function subscriptionsOf(turnId: string, text: string): ChatSubscriptions {
    return {
      subscribe: async (_ref, open, resumeFrom) => {
        const viewer = open();
        const cursor = new ViewerCursor(resumeFrom);
        const addition = cursor.advance({ turnId, attempt: 1, text });
        if (addition !== '' && cursor.position !== undefined) viewer?.onChunk(addition, cursor.position);
        return () => undefined;
      },
    };
  }

  test.each([0, 4])(
    'a reader who attaches in the instant of the end is shown each character once, from %d on',
    async (known) => {
      const text = 'all of it';
      const chat = await ChatFixture.create(database);
      await chat.accept();
      const step = await chat.begin();
      await step.say(text);
      await step.end();
      const { chatId, orgId } = chat.ref;
      const { turnId } = step;
      const before = new ViewerCursor();
      before.advance({ turnId, attempt: 1, text: text.slice(0, known) });
      const sent: { event: string; data: unknown }[] = [];
      const reply = {
        closed: new AbortController(),
        open: () => undefined,
        send: (event: string, data: unknown) => void sent.push({ event, data }),
        end: () => undefined,
      } as unknown as SseReply;
      const turn = { chatId, turnId, messageId: turnId, resumeFrom: known === 0 ? undefined : before.position };
      await new TurnEventStream(reply, turn).start(
        { database, chats: subscriptionsOf(turnId, text) },
        { orgId, userId: chat.userId },
      );
      const chunks = sent
        .filter(({ event }) => event === 'chunk')
        .map(({ data }) => (data as { content: string }).content);
      expect(chunks.join('')).toBe(text.slice(known));
      expect(sent.map(({ event }) => event)).toEqual(['stream_start', 'chunk', 'stream_end']);
    },
  );
});

describe('tool call events', () => {
  const toolOf = (taskId: string): StepEvent => ({
    type: 'step_start',
    taskId,
    stepId: `tool of ${taskId}`,
    name: 'time_now',
    label: 'Time',
  });
  const doneOf = (taskId: string): StepEvent => ({
    type: 'step_done',
    taskId,
    stepId: `tool of ${taskId}`,
    status: 'success',
  });
  const agentOf = (parentId: string): StepEvent => ({
    type: 'sub_agent_start',
    taskId: `agent of ${parentId}`,
    stepId: `spawn of ${parentId}`,
    parentId,
    agentName: 'Ada',
    title: 'Look',
    subChatId: 'chat',
  });
  const agentDoneOf = (parentId: string): StepEvent => ({
    type: 'sub_agent_done',
    taskId: `agent of ${parentId}`,
    stepId: `spawn of ${parentId}`,
    agentName: 'Ada',
    status: 'interrupted',
    output: 'found',
    usage: { inputTokens: 1, outputTokens: 1 },
  });

  describe('the calls of a turn', () => {
    test('are sent as running and then with how they ended', () => {
      const calls = new ToolCallEvents('turn');
      const call = { step_id: 'tool of turn', name: 'time_now', label: 'Time' };
      expect(calls.present(toolOf('turn'))).toEqual({ ...call, status: 'running' });
      expect(calls.hasOpen).toBe(true);
      expect(calls.present(doneOf('turn'))).toEqual({ ...call, status: 'success' });
      expect(calls.hasOpen).toBe(false);
    });

    test('are sent with the title of the task, when they hand work to a sub-agent', () => {
      const calls = new ToolCallEvents('turn');
      const call = { step_id: 'spawn of turn', name: 'agent_spawn', label: 'Look' };
      expect(calls.present(agentOf('turn'))).toEqual({ ...call, status: 'running' });
      expect(calls.present(agentDoneOf('turn'))).toEqual({ ...call, status: 'interrupted' });
    });

    test.each([toolOf('agent'), doneOf('agent'), agentOf('agent'), agentDoneOf('agent')])(
      'are not told, when a sub-agent makes them (%#)',
      (step) => expect(new ToolCallEvents('turn').present(step)).toBeUndefined(),
    );
  });
});
