import { getLineInfo, parse } from 'acorn';

/** The newest version of the language that the engine of scripts reads. */
const ECMA_VERSION = 2025;

/**
 * Returns why a text is no module that the engine of scripts could run, or `undefined`. It is read and never run. A
 * text of the largest size can take long: `script-file.ts` reads those of strangers in a thread.
 */
export function scriptIssue(source: string): string | undefined {
  try {
    const { body } = parse(source, { ecmaVersion: ECMA_VERSION, sourceType: 'module' });
    const importing = body.find((each) => 'source' in each && each.source);
    return importing && `imports another module, and there is none ${placeOf(getLineInfo(source, importing.start))}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The library adds the place to its words, and counts columns from 0.
    const { message, loc } = error as SyntaxError & { readonly loc: Place };
    return `cannot be read as JavaScript: ${message.slice(0, message.lastIndexOf(' ('))} ${placeOf(loc)}`;
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function placeOf({ line, column }: Place): string {
  return `(line ${line}, column ${column + 1})`;
}
