export {
  findConnection,
  findConnectionByName,
  findConnectionOfKind,
  findHeldKinds,
  findKnownIntegrations,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteCheck,
  noteUse,
} from './connections.ts';
export { Integration } from './integration.entity.ts';
export {
  createIntegration,
  deleteIntegration,
  getIntegration,
  type IntegrationChanges,
  type IntegrationFields,
  listIntegrations,
  lockIntegration,
  updateIntegration,
} from './integrations.ts';
export { openSecrets } from './secrets.ts';
export { findIntegrationProblems } from './tool-problems.ts';
