import { parse } from 'smol-toml';

/** Parses TOML. Throws for a number that other formats do not have. */
export function parseToml(text: string): unknown {
  const value = parse(text);
  requireNumbers(value);
  return value;
}

function requireNumbers(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${value} is no number that other formats have`);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requireNumbers);
}
