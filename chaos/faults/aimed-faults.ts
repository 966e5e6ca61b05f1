import type { AimedInjection } from './injection.ts';
import { keepTemporalAway } from './keep-temporal-away.ts';
import { killApiBeforeNotification } from './kill-api-before-notification.ts';
import { killBeforeAdoption, killBeforeEngagement } from './kill-held-back-worker.ts';
import { loseNotifications } from './lose-notifications.ts';
import { pausePastLeases } from './pause-past-leases.ts';
import type { AimedFault } from './plan-faults.ts';

/** Injects the faults that are aimed at one moment, and says whether they struck in it. */
export const AIMED_INJECTIONS: Readonly<Record<AimedFault, AimedInjection>> = {
  'lose notifications': loseNotifications,
  'kill api before notification': killApiBeforeNotification,
  'kill spare worker before engagement': killBeforeEngagement,
  'kill spare worker before adoption': killBeforeAdoption,
  'pause spare worker past its leases': pausePastLeases,
  'keep Temporal away': keepTemporalAway,
};
