import type { AutomationWork, SentDecision } from '../../automation/automation-worker.ts';
import type { Verdict } from '../verdict.ts';
import type { ApprovalFact, AutomationFacts } from './automation-facts.ts';

/** Checks A2: a step that waits is decided once, as the one was told whose decision counts. */
export function approvalsDecided({ approvals, runs }: AutomationFacts, work: AutomationWork): Verdict {
  const sent = Map.groupBy(work.decisions, ({ approvalId }) => approvalId);
  const reviews = runs.filter(({ workflowId }) => workflowId === work.automation.reviewsId);
  const asked = Map.groupBy(approvals, ({ runId }) => runId);
  const breaches = [
    ...approvals.flatMap((approval) => faultsOf(approval, sent.get(approval.id) ?? [])),
    ...reviews
      .filter(({ id }) => asked.get(id)?.length !== 1)
      .map(({ id }) => `run ${id} asked ${asked.get(id)?.length ?? 0} times for a decision`),
  ];
  const refused = work.decisions.filter(({ status }) => status === 409).length;
  return {
    promise: 'A2',
    claim: 'a step that waits for a person is decided once',
    figure:
      `${approvals.filter(({ status }) => status === 'approved').length} approved, ${approvals.filter(({ status }) => status === 'denied').length} denied; ` +
      `${work.decisions.length} decisions were sent, ${refused} of them came too late`,
    breaches,
  };
}

function faultsOf({ id, status }: ApprovalFact, sent: readonly SentDecision[]): string[] {
  const faults: string[] = [];
  const taken = sent.filter((each) => each.status === 200);
  if (status !== 'approved' && status !== 'denied') faults.push(`approval ${id} is ${status}`);
  if (new Set(taken.map(({ approve }) => approve)).size > 1) faults.push(`approval ${id} was decided in both ways`);
  for (const { approve, said } of taken)
    if ((status === 'approved') !== approve || said !== status)
      faults.push(`approval ${id} is ${status}, and ${approve ? 'approving' : 'denying'} it was answered with ${said}`);
  if (!sent.some(({ approve }) => (status === 'approved') === approve))
    faults.push(`approval ${id} is ${status}, which nobody decided`);
  return faults;
}
