import { createHash } from 'node:crypto';
import type { Membership } from '../../domain/orgs.ts';
import { type Phrase, wordsIn } from '../../domain/search.ts';

/**
 * The messages of an owner that make up a segment. A rare word is looked up once per segment; for a frequent one the
 * newest segments suffice.
 */
const SEGMENT_SIZE = 4_096;

/**
 * The limits of PostgreSQL for a text: the position of a word, its positions, and bytes in all, with room for the keys.
 */
const MAX_WORDS = 16_000;
const MAX_POSITIONS_OF_WORD = 255;
const MAX_BYTES = 400_000;

const KEY_LENGTH = 5;

/** Returns the segment of an owner's message by the number of those that were entered before it. */
export function segmentOf(earlier: number): number {
  return Math.floor(earlier / SEGMENT_SIZE);
}

/** Whose messages share a key: a user's in an organization, or those in chats of its projects. */
export type WordOwner = `${string} ${string}`;

/** Returns the owner of the messages of a user's own chats. */
export function ownWords({ orgId, userId }: Membership): WordOwner {
  return `${orgId} ${userId}`;
}

/** Returns the owner of the messages of an organization's project chats. */
export function sharedWords({ orgId }: Pick<Membership, 'orgId'>): WordOwner {
  return `${orgId} shared`;
}

/**
 * Returns what begins each word of an owner's messages in a segment. Two owners may share a key, which costs time
 * alone: searches name whom they are of besides.
 */
export function segmentKey(owner: WordOwner, segment: number): string {
  return `${keyOf(owner)}${segment}:`;
}

/** Returns a short key for a text. */
export function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, KEY_LENGTH);
}

/** Returns the words of a message and their positions, as the text of a `tsvector`. */
export function vectorOf(content: string, key: string): string {
  const positions = new Map<string, number[]>();
  let position = 0;
  let bytes = 0;
  for (const { text } of wordsIn(content)) {
    position += 1;
    const known = positions.get(text);
    if (known === undefined) {
      bytes += key.length + Buffer.byteLength(text);
      positions.set(text, [position]);
    } else if (known.length < MAX_POSITIONS_OF_WORD) {
      known.push(position);
    }
    if (position === MAX_WORDS || bytes > MAX_BYTES) break;
  }
  return [...positions].map(([word, at]) => `'${key}${word}':${at.join(',')}`).join(' ');
}

/** Returns what somebody searches for, as the text of a `tsquery` for one segment. */
export function queryFor(phrases: readonly Phrase[], key: string): string {
  return phrases.map((phrase) => `(${phraseFor(phrase, key)})`).join('&');
}

// Words are letters and digits, so none contains a quotation mark.
function phraseFor({ words, isPrefix }: Phrase, key: string): string {
  return words.map((word, index) => `'${key}${word}'${isPrefix && index === words.length - 1 ? ':*' : ''}`).join('<->');
}
