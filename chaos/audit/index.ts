import type { AutomationWork } from '../automation/automation-worker.ts';
import type { FaultKind } from '../faults/plan-faults.ts';
import { type Installation, readCommandLines } from '../installation/installation.ts';
import { automationVerdicts, readAutomationFacts } from './automation.ts';
import { commands, effects } from './effects.ts';
import { collectEvidence, type Span, type Talk } from './evidence.ts';
import { readFacts, type Verdict } from './facts.ts';
import { issueVerdicts, readIssueFacts } from './issues.ts';
import { histories, nothingOpen } from './nothing-open.ts';
import { messagesKept, oneAnswer, tokens } from './answers.ts';
import { tasksDone } from './tasks-done.ts';
import type { IssueWork } from '../work/work-on-issues.ts';
import { views } from './views.ts';

export type { Span, Talk } from './evidence.ts';
export type { Verdict } from './facts.ts';

interface Audited {
  readonly installation: Installation;
  readonly talk: Talk;
  /** What was done to issues; undefined in a run without any. */
  readonly issueWork: IssueWork | undefined;
  /** What was automated; undefined in a run without any. */
  readonly automationWork: AutomationWork | undefined;
  readonly workerLosses: readonly Span[];
  /** The end of the last fault, in milliseconds since the epoch. */
  readonly healedAt: number;
  /** What was injected. */
  readonly injected: ReadonlySet<FaultKind>;
  readonly replays: number;
}

export interface AuditResult {
  readonly verdicts: readonly Verdict[];
  /** The outcomes of the users' turns, and the reasons of failures. */
  readonly endings: ReadonlyMap<string, number>;
  readonly failures: ReadonlyMap<string, number>;
}

/** Holds what is stored, what reached the outside and what users saw against each promise. */
export async function audit(audited: Audited): Promise<AuditResult> {
  const { installation, talk, issueWork, automationWork, workerLosses, injected, healedAt, replays } = audited;
  const { stack } = installation;
  const outside = await installation.outside.facts();
  const evidence = collectEvidence(await readFacts(stack), talk, {
    outside,
    workerLosses,
    hasFullDisk: injected.has('full disk of worker'),
    commandSandbox: installation.commandSandbox,
    commandLines: await readCommandLines(stack),
  });
  const issueEvidence = issueWork && { facts: await readIssueFacts(stack), host: outside.host, work: issueWork };
  const automationEvidence = automationWork && {
    facts: await readAutomationFacts(stack),
    work: automationWork,
    notified: outside.notified,
    reports: outside.reports,
    asks: outside.asks,
    replies: outside.replies,
    effects: outside.deliveries,
    healedAt,
    given: outside.given,
    hasLostStore: injected.has('lose Temporal store'),
  };
  const verdicts: Verdict[] = [
    messagesKept(evidence),
    oneAnswer(evidence),
    effects(evidence),
    commands(evidence),
    await nothingOpen(evidence, installation, healedAt),
    views(evidence),
    ...automationVerdicts(automationEvidence),
    tokens(evidence),
    await histories(installation, replays),
    tasksDone(evidence),
    ...issueVerdicts(issueEvidence),
  ];
  const roots = evidence.facts.turns.filter(({ parentId }) => parentId === null);
  const failed = evidence.facts.turns.filter(({ status }) => status === 'failed');
  return {
    verdicts,
    endings: count(roots.map(({ status }) => status)),
    failures: count(failed.map(({ answers }) => String(answers[0]?.metadata['error']))),
  };
}

function count(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
