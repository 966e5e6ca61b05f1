import type { AuditResult, Talk } from './audit/index.ts';
import type { InjectedFault } from './faults/fault-driver.ts';
import type { FaultKind } from './faults/plan-faults.ts';

/** Breaches that are printed of each promise. */
const FIRST = 10;

interface Outcome {
  readonly result: AuditResult;
  readonly talk: Talk;
  readonly injected: readonly InjectedFault[];
  /** The kinds that might have been injected. */
  readonly kinds: readonly FaultKind[];
  readonly wallMs: number;
  /** How many turns ended in a second, from the first message to the last answer. */
  readonly turnsPerSecond: number;
}

/** Prints a line for each promise and the figures of the run. True when every promise was kept. */
export function printReport(print: (line: string) => void, outcome: Outcome): boolean {
  const { result, talk, wallMs } = outcome;
  print('');
  for (const { promise, claim, figure, breaches } of result.verdicts) {
    if (breaches === undefined) {
      print(`${promise} not applicable: ${figure}`);
      continue;
    }
    print(`${promise} ${breaches.length === 0 ? 'ok' : 'BREACH'}  ${claim}: ${figure}`);
    for (const breach of breaches.slice(0, FIRST)) print(`     ${breach}`);
    if (breaches.length > FIRST) print(`     and ${breaches.length - FIRST} more`);
  }
  print('');
  printFaults(print, outcome);
  const total = talk.plans.length;
  const endings = [...result.endings].map(([status, count]) => `${count} ${status} (${percent(count, total)})`);
  print(`turns: ${endings.join(', ')} of ${total} messages; ${talk.unanswered.length} without an answer in time`);
  for (const [reason, count] of result.failures) print(`  failed, ${count} times: ${reason.slice(0, 200)}`);
  print(`wall time: ${seconds(wallMs)}; ${outcome.turnsPerSecond.toFixed(2)} turns/s`);
  return result.verdicts.every(({ breaches }) => breaches === undefined || breaches.length === 0);
}

function printFaults(print: (line: string) => void, { injected, talk, kinds }: Outcome): void {
  const hits = injected.filter(({ isHit }) => isHit).length;
  print(
    `faults: ${injected.length}, ${hits} of them hit turns as they were meant to (${percent(hits, injected.length)})`,
  );
  const byKind = Map.groupBy(injected, ({ kind }) => kind);
  for (const [kind, faults] of byKind) {
    const down = Math.max(...faults.map(({ downMs }) => downMs));
    const life = Math.max(0, ...faults.map(({ lifeMs }) => lifeMs ?? 0));
    const silence = Math.max(...faults.map(({ silenceMs }) => silenceMs));
    const failures = Math.max(...faults.map(({ failures: count }) => count));
    const hit = faults.filter(({ isHit }) => isHit).length;
    print(
      `  ${kind}: ${faults.length}, ${hit === 0 ? 'NONE' : hit} hit, back after at most ${seconds(down)}, then a sign of life within ${seconds(life)}; nothing shown for at most ${seconds(silence)}, at most ${failures} connections lost or requests failed`,
    );
  }
  const missing = kinds.filter((kind) => !byKind.has(kind));
  if (missing.length > 0) print(`  not injected: ${missing.join(', ')}`);
  print(`slowest turn, from the last recovery before its end: ${seconds(talk.inFlight.slowestEndMs)}`);
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : ((part / whole) * 100).toFixed(0)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
