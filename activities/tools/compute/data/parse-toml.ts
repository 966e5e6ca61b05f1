import { parse, TomlError } from 'smol-toml';

/** Parses TOML. Throws for a number that other formats do not have. */
export function parseToml(text: string): unknown {
  const value = parseLines(text);
  requireNumbers(value);
  return value;
}

// The library's messages hold the whole line, which may be long.
function parseLines(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [issue = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n', 1);
    throw new Error(`${issue.slice(0, 100)} (line ${error.line}, column ${error.column})`, { cause: error });
  }
}

function requireNumbers(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${value} is no number that other formats have`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requireNumbers);
}
