import { createHash } from 'node:crypto';
import type { Membership } from '../../domain/orgs/index.ts';
import { type Phrase, wordsIn } from '../../domain/search/index.ts';

/**
 * The messages of a user that make up a segment. A rare word is looked up once for each segment; of a frequent one the
 * newest segments have enough.
 */
const SEGMENT_SIZE = 4_096;

/** What PostgreSQL can store of a text: the place of a word, its places, and bytes in all, with room for the keys. */
const MAX_WORDS = 16_000;
const MAX_PLACES_OF_WORD = 255;
const MAX_BYTES = 400_000;

const KEY_LENGTH = 5;

/** Returns the segment of a user's message by the number of those that were entered before it. */
export function segmentOf(earlier: number): number {
  return Math.floor(earlier / SEGMENT_SIZE);
}

/**
 * Returns what begins each word of a user's messages in a segment. Two users may share a key, which costs time alone:
 * searches name their user besides.
 */
export function segmentKey({ orgId, userId }: Membership, segment: number): string {
  const key = createHash('sha256').update(`${orgId} ${userId}`).digest('base64url').slice(0, KEY_LENGTH);
  return `${key}${segment}:`;
}

/** Returns the words of a message and their places, as the text of a `tsvector`. */
export function vectorOf(content: string, key: string): string {
  const places = new Map<string, number[]>();
  let place = 0;
  let bytes = 0;
  for (const { text } of wordsIn(content)) {
    place += 1;
    const known = places.get(text);
    if (known === undefined) {
      bytes += key.length + Buffer.byteLength(text);
      places.set(text, [place]);
    } else if (known.length < MAX_PLACES_OF_WORD) {
      known.push(place);
    }
    if (place === MAX_WORDS || bytes > MAX_BYTES) break;
  }
  return [...places].map(([word, at]) => `'${key}${word}':${at.join(',')}`).join(' ');
}

/** Returns what somebody searches for, as the text of a `tsquery` for one segment. */
export function queryFor(phrases: readonly Phrase[], key: string): string {
  return phrases.map((phrase) => `(${phraseFor(phrase, key)})`).join('&');
}

// Words are letters and digits, so none holds a quotation mark.
function phraseFor({ words, isPrefix }: Phrase, key: string): string {
  return words.map((word, index) => `'${key}${word}'${isPrefix && index === words.length - 1 ? ':*' : ''}`).join('<->');
}
