import { describe, expect, test } from '@jest/globals';
import type { StepEvent } from '../../domain/events/index.ts';
import { ToolCallEvents } from './tool-call-events.ts';

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
  test('are told as running and then with how they ended', () => {
    const calls = new ToolCallEvents('turn');
    const call = { step_id: 'tool of turn', name: 'time_now', label: 'Time' };
    expect(calls.present(toolOf('turn'))).toEqual({ ...call, status: 'running' });
    expect(calls.hasOpen).toBe(true);
    expect(calls.present(doneOf('turn'))).toEqual({ ...call, status: 'success' });
    expect(calls.hasOpen).toBe(false);
  });

  test('are told with the title of the task, when they hand work to a sub-agent', () => {
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
