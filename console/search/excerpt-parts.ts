import { decodeEntities } from '../ui/markdown/entities.ts';

/** A piece of an excerpt. */
export interface ExcerptPart {
  readonly text: string;
  /** Whether it is a word that was searched for. */
  readonly isFound: boolean;
}

/**
 * Returns the pieces of an excerpt, in order. The server marks found words by `<mark>` and escapes all else, so what is
 * between the marks is text.
 */
export function excerptParts(excerpt: string): readonly ExcerptPart[] {
  const pieces = excerpt.split(/<\/?mark>/);
  return pieces
    .map((piece, at) => ({ text: decodeEntities(piece), isFound: at % 2 === 1 }))
    .filter(({ text }) => text !== '');
}
