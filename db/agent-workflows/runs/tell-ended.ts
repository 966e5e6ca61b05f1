import { TELL_DESTINATIONS, tellWebhook } from '../../webhooks/index.ts';

/**
 * Parts of a statement that have the webhook and the destinations of a workflow or a schedule told of a run that its
 * part `ended` has.
 */
export const TELL_ENDED = `${tellWebhook({
  source: 'ended',
  subject: 'run_id',
  subjectId: 'ended.id',
  condition: '(w.workflow_id = ended.workflow_id or w.schedule_id = ended.schedule_id)',
})},
  ${TELL_DESTINATIONS}`;
