/** What a check has found: what is there, and what to do about it unless it is fine. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly advice?: string;
}

/** A look at one part of an installation. A check that throws has failed with the reason. */
export interface Check {
  readonly name: string;
  /** What to do when it throws. */
  readonly advice: string;
  readonly look: () => Promise<readonly Omit<Finding, 'check'>[]>;
}

/** Runs checks one after the other, and returns what they find. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, advice, look } of checks) {
    try {
      findings.push(...(await look()).map((found) => ({ check: name, ...found })));
    } catch (error) {
      findings.push({ check: name, status: 'failed', detail: reasonOf(error), advice });
    }
  }
  return findings;
}

/** Returns findings as lines for people. */
export function linesOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, status, detail, advice }) => {
      const line = `${status.padEnd(7)}  ${check.padEnd(width)}  ${detail}`;
      return advice === undefined ? line : `${line}\n${' '.repeat(width + 11)}${advice}`;
    })
    .join('\n');
}

// Of several addresses, Node says why in each of the errors.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
