const START = '\n\n<!-- everturn comment ';
const END = ' -->';
const ID_LENGTH = 36;

/** Returns what is written to a code host for a comment: its text, and its id where readers do not see it. */
export function withMarker(content: string, commentId: string): string {
  return `${content}${START}${commentId}${END}`;
}

/** Returns the id of the comment here that a text at a code host was written from; undefined for any other text. */
export function markedId(text: string): string | undefined {
  const start = text.lastIndexOf(START);
  const id = text.slice(start + START.length, start + START.length + ID_LENGTH);
  return start !== -1 && text.slice(start + START.length + ID_LENGTH) === END ? id : undefined;
}

/** Returns a text at a code host without the id that was written there. */
export function contentOf(text: string): string {
  return markedId(text) === undefined ? text : text.slice(0, text.lastIndexOf(START));
}
