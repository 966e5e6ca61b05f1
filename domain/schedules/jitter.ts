const OFFSET = 2_166_136_261;
const PRIME = 16_777_619;

/** Returns the time at which a slot fires: up to `seconds` after it, the same for a schedule and a slot each time. */
export function jitteredTime(scheduleId: string, slot: Date, seconds: number): Date {
  if (seconds === 0) return slot;
  return new Date(slot.getTime() + (hashOf(`${scheduleId} ${slot.getTime()}`) % (seconds * 1_000)));
}

// FNV-1a, with a last mix: the hashes of texts that differ in their end only lie far apart.
function hashOf(text: string): number {
  let hash = OFFSET;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
