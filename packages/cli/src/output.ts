import type { Environment } from './environment.ts';

/** Writes results to standard output and remarks to standard error, for people or as JSON. */
export class Output {
  readonly isJson: boolean;
  readonly #environment: Pick<Environment, 'stdout' | 'stderr'>;

  constructor(environment: Pick<Environment, 'stdout' | 'stderr'>, isJson: boolean) {
    this.#environment = environment;
    this.isJson = isJson;
  }

  /** Writes a result: with `--json` as one line of JSON, otherwise in the given words. */
  result(value: unknown, words: () => string): void {
    this.text(`${this.isJson ? jsonOf(value) : words()}\n`);
  }

  /** Writes text as it comes. */
  text(text: string): void {
    const { stdout } = this.#environment;
    stdout.write(stdout.isTTY === true ? withoutControls(text) : text);
  }

  /** Writes a remark for people. */
  remark(text: string): void {
    if (!this.isJson) this.#environment.stderr.write(`${withoutControls(text)}\n`);
  }

  /** Writes why the program ends. */
  failure(message: string): void {
    const line = this.isJson ? jsonOf({ error: message }) : withoutControls(message);
    this.#environment.stderr.write(`${line}\n`);
  }
}

/** Aligns the cells of rows below each other. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

// JSON escapes the controls of ASCII alone.
function jsonOf(value: unknown): string {
  const escape = (control: string) => `\\u00${control.charCodeAt(0).toString(16)}`;
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f]/g, escape);
}

// What models and tools have written must not control the terminal.
function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
