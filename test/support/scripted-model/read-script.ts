/** One `[[name arguments]]` found in a message. */
export interface Directive {
  readonly name: string;
  readonly args: string;
}

/** A message read as a script: the directives of each step, and what is left of the text without them. */
export interface MessageScript {
  readonly steps: readonly (readonly Directive[])[];
  readonly plain: string;
}

/**
 * Reads the directives of a message. `[[then]]` separates the replies that are to follow each other when the model is
 * asked again after tool calls. Brackets nest, so the task of a delegated agent can carry directives of its own.
 */
export function readScript(text: string): MessageScript {
  const steps: Directive[][] = [[]];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('[[', at);
    const close = open === -1 ? -1 : closingBrackets(text, open);
    if (close === -1) break;
    plain += text.slice(at, open);
    const directive = readDirective(text.slice(open + 2, close));
    if (directive.name === 'then') steps.push([]);
    else steps.at(-1)?.push(directive);
    at = close + 2;
  }
  return { steps, plain: (plain + text.slice(at)).replace(/\s+/g, ' ').trim() };
}

function closingBrackets(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length - 1; at += 1) {
    const pair = text.slice(at, at + 2);
    if (pair !== '[[' && pair !== ']]') continue;
    depth += pair === '[[' ? 1 : -1;
    if (depth === 0) return at;
    at += 1;
  }
  return -1;
}

function readDirective(inner: string): Directive {
  const trimmed = inner.trim();
  const space = trimmed.search(/\s/);
  if (space === -1) return { name: trimmed, args: '' };
  return { name: trimmed.slice(0, space), args: trimmed.slice(space + 1).trim() };
}
