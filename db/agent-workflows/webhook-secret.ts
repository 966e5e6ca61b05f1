import { SecretColumn } from '../core/index.ts';

/** The secrets by which workflows are triggered. */
export const workflowSecrets = new SecretColumn('agent-workflows', 'webhook-secret');
