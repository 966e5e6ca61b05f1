import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2_000_000;
const STANDARD = 2;

/**
 * Closes the descriptors that this process was started with by mistake: they would be open in every command. Node knows
 * nothing of them, and has marked its own to be closed.
 */
export function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const descriptor = Number(name);
    if (descriptor > STANDARD && isInheritable(name)) closeSync(descriptor);
  }
}

function isInheritable(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was that of the listing.
    return false;
  }
}
