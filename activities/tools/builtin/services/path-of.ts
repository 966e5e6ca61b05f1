import { ToolFailure } from '../../tool-failure.ts';

/**
 * Writes a path of which each value is one part, whatever characters it holds: none leads to another route. As a tag:
 * `` pathOf`/users/${name}/keys` ``. Throws `ToolFailure` for a value that cannot be a part.
 */
export function pathOf(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map(encoded));
}

function encoded(value: string | number): string {
  const text = String(value);
  // These two are resolved away, however they are encoded; some servers decode slashes before they look at the parts.
  if (text === '' || text.split(/[/\\]/).some((part) => part === '.' || part === '..'))
    throw new ToolFailure('invalid_input', `A name or an id cannot be "${text}"`);
  return encodeURIComponent(text.toWellFormed());
}
