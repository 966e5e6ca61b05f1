export { approvalModesSchema, approvalStatus, finalApprovalStatus } from './schema.ts';
export { type Attempt, auditDenial, decideAs, problemOf } from './decide-as.ts';
export { decideByLink, DECISION_PATH, type LinkAnswer, showLink } from './decision-link.ts';
export { decisionPage } from './decision-page.ts';
export { approvalRoutes } from './routes.ts';
