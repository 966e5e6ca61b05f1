import jsonata from 'jsonata';

/** Returns why a text is no JSONata, or `undefined`. It is read and never evaluated; its length must be bounded. */
export function expressionIssue(expression: string): string | undefined {
  try {
    jsonata(expression);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'it nests too deep';
    // The library throws objects that are no errors.
    const { message = '', position } = error as { readonly message?: string; readonly position?: number };
    return `it is not JSONata: ${message}${position === undefined ? '' : ` (at character ${position})`}`;
  }
}
