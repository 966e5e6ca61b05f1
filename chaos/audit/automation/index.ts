import type { AutomationWork } from '../../automation/automation-worker.ts';
import type { Told } from '../../installation/told-sink.ts';
import type { Verdict } from '../verdict.ts';
import { approvalsDecided } from './approvals-decided.ts';
import type { AutomationFacts } from './automation-facts.ts';
import { outsideTold } from './outside-told.ts';
import { runsEnded } from './runs-ended.ts';
import { slotsFired } from './slots.ts';

export { type AutomationFacts, readAutomationFacts } from './automation-facts.ts';

/** What the promises about automation are held against. */
export interface AutomationEvidence {
  readonly facts: AutomationFacts;
  readonly work: AutomationWork;
  readonly told: readonly Told[];
  /** Whether Temporal has lost its store meanwhile; it has not unless given. */
  readonly hasLostStore?: boolean;
}

/** Checks the promises about automation; in a run without any they are not applicable. */
export function automationVerdicts(evidence: AutomationEvidence | undefined): Verdict[] {
  if (evidence === undefined) return ['P6', 'A1', 'A2', 'A3'].map(notChecked);
  const { facts, work, told, hasLostStore = false } = evidence;
  return [
    slotsFired(facts, work, hasLostStore),
    runsEnded(facts, work),
    approvalsDecided(facts, work),
    outsideTold(facts, told),
  ];
}

function notChecked(promise: string): Verdict {
  return { promise, claim: '', figure: 'no automation in this run', breaches: undefined };
}
