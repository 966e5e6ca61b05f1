import { describe, expect, test } from '@jest/globals';
import type { StepEvent } from '../../../domain/events.ts';
import { stepFrame } from './frame-format.ts';

const usage = { inputTokens: 3, outputTokens: 4 };

describe('the frame of a step', () => {
  test.each<[StepEvent, object]>([
    [
      { type: 'step_start', taskId: 't', stepId: 's', name: 'time_now', label: 'Time' },
      { type: 'sub_agent_step_start', task_id: 't', step_id: 's', step_name: 'time_now', step_label: 'Time' },
    ],
    [
      { type: 'step_done', taskId: 't', stepId: 's', status: 'error' },
      { type: 'sub_agent_step_done', task_id: 't', step_id: 's', status: 'error' },
    ],
    [
      {
        type: 'sub_agent_start',
        taskId: 't',
        stepId: 's',
        parentId: 'p',
        agentName: 'Ada',
        title: 'Look',
        subChatId: 'c',
      },
      { type: 'sub_agent_start', task_id: 't', agent_name: 'Ada', task_title: 'Look', sub_chat_id: 'c' },
    ],
    [
      { type: 'sub_agent_done', taskId: 't', stepId: 's', agentName: 'Ada', status: 'success', output: 'o', usage },
      {
        type: 'sub_agent_done',
        task_id: 't',
        agent_name: 'Ada',
        output: 'o',
        usage: { input_tokens: 3, output_tokens: 4 },
        status: 'completed',
      },
    ],
  ])('has the fields of the specification (%#)', (step, frame) => expect(stepFrame(step)).toEqual(frame));
});
