/** Something that is done by a word after a slash, instead of a message. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly label: string;
  readonly run: () => void;
}

/** Returns the commands that a draft may mean: it is a slash and the begin of a name, and nothing else. */
export function commandsFor(draft: string, commands: readonly Command[]): readonly Command[] {
  const begin = /^\/([a-z]*)$/.exec(draft)?.[1];
  return begin === undefined ? [] : commands.filter(({ name }) => name.startsWith(begin));
}
