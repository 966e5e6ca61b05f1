import { startRun } from '../../db/agent-workflows/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { deliveryKeyOf } from './delivery-key.ts';
import { startedRunSchema, triggerSchema } from './schema.ts';

export const triggerWorkflowRoute = defineRoute({
  method: 'post',
  path: '/api/workflows/{workflow_id}/trigger',
  resource: 'workflows',
  action: 'trigger',
  access: 'schedules.manage',
  takesIdempotencyKey: true,
  tag: 'Workflows',
  operationId: 'triggerWorkflow',
  summary: 'Start a run of a workflow, active or not',
  description:
    'It runs in your name, with your rights and limits, and its conversation is one of your chats. With the header `Idempotency-Key` the same request sent again answers with the first run. 422 when the prompt would be empty or too long, 409 when the organization has as many chats, messages or bytes of work as it may, 429 when 1,000 runs have not ended.',
  params: idParams('workflow_id'),
  body: triggerSchema,
  keepsNumbers: true,
  response: { status: 202, schema: startedRunSchema },
  handler: async ({ caller, params: { workflow_id: workflowId }, body: { variables }, header }, context) => {
    const key = deliveryKeyOf(header, ['idempotency-key']);
    return { run_id: await startRun(context, caller, { workflowId, variables, key }) };
  },
});
