/**
 * An error whose message explains it to the operator in one sentence. It is shown unchanged, and trying again would not
 * help.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/**
 * Returns the line of a program's output that explains best why it failed: the first that mentions a failure, else the
 * last.
 */
export function reasonLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line =
    lines.find((text) => /\b(FATAL|PANIC|ERROR)\b|\berror:|^(Error\b|panic: )/.test(text)) ??
    lines.at(-1) ??
    'it printed nothing';
  // Without the time and process number that precede it in PostgreSQL's log.
  return line.replace(/^.*?\b(?=(FATAL|PANIC|ERROR): )/, '').slice(0, 300);
}
