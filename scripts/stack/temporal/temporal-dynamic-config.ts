import { readFileSync } from 'node:fs';

const file = new URL('./temporal-dynamic-config.yaml', import.meta.url);

/**
 * Returns the dynamic configuration that the embedded Temporal server and that of docker compose share: keys and JSON
 * values.
 */
export function temporalDynamicConfig(): Record<string, string> {
  return readDynamicConfig(readFileSync(file, 'utf8'));
}

/**
 * Reads the one form of YAML that the file keeps to: a key, then `- value:` and a JSON value. Throws at anything else.
 */
export function readDynamicConfig(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const config: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) {
    const key = /^([\w.]+):$/.exec(lines[at] ?? '')?.[1];
    const value = /^ {2}- value: (.+)$/.exec(lines[at + 1] ?? '')?.[1];
    if (key === undefined || value === undefined)
      throw new Error(`Not a key followed by one value: ${lines[at]} ${lines[at + 1] ?? ''}`);
    JSON.parse(value);
    config[key] = value;
  }
  return config;
}
