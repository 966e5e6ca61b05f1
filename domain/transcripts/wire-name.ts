const MAX_CHARACTERS = 64;

/**
 * Returns a tool's name as every provider takes it. Models also call tools that do not exist, by any name; what they
 * called stays in the transcript.
 */
export function toWireName(name: string): string {
  const safe = name.replaceAll(/[^\w-]/g, '_');
  return (/^[A-Za-z_]/.test(safe) ? safe : `_${safe}`).slice(0, MAX_CHARACTERS);
}
