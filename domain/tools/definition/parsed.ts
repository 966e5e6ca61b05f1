/** What was read, or what is wrong with it, in words that follow the name of the file. */
export type Parsed<T> = { readonly value: T } | { readonly issue: string };

/** An error while something is read; caught by `parsed`. */
class ReadIssue extends Error {}

/** Returns a value that was read, or ends the reading with what is wrong. */
export function valueOf<T>(parsed: Parsed<T>, place = ''): T {
  if ('value' in parsed) return parsed.value;
  return failRead(place === '' ? parsed.issue : `${place}: ${parsed.issue}`);
}

/** Ends the reading with what is wrong. */
export function failRead(issue: string): never {
  throw new ReadIssue(issue);
}

/** Reads with functions that end at what is wrong first. */
export function parsed<T>(read: () => T): Parsed<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ReadIssue) return { issue: error.message };
    throw error;
  }
}
