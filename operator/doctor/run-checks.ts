/** What a check has found, and what to do about it unless it is fine. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly advice?: string;
}

/** A check of one part of an installation. It fails when it throws, with the error as the reason. */
export interface Check {
  readonly name: string;
  /** What to do when it throws. */
  readonly advice: string;
  readonly run: () => Promise<readonly Omit<Finding, 'check'>[]>;
}

/** Runs checks one after the other, and returns their findings. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, advice, run } of checks) {
    try {
      findings.push(...(await run()).map((found) => ({ check: name, ...found })));
    } catch (error) {
      findings.push({ check: name, status: 'failed', detail: reasonOf(error), advice });
    }
  }
  return findings;
}

/** Formats findings as lines for people. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, status, detail, advice }) => {
      const line = `${status.padEnd(7)}  ${check.padEnd(width)}  ${detail}`;
      return advice === undefined ? line : `${line}\n${' '.repeat(width + 11)}${advice}`;
    })
    .join('\n');
}

// When a name has several addresses, Node reports an error for each, without a message of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
