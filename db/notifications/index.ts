export {
  type ApprovalMessage,
  claimApprovalMessage,
  findApprovalMessage,
  findDirectConversation,
  findMessageTo,
  followDecision,
  type ServicePerson,
  storePosted,
} from './approval-messages.ts';
export { type DecisionLink, openDecisionLink, sealDecisionLink } from './decision-link.ts';
export { findMailService } from './find-mail-service.ts';
export { findRecipient, type Recipient } from './find-recipient.ts';
export { notifyAsked } from './notify-asked.ts';
export { readBackground } from './read-background.ts';
