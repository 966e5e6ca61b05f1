import { type RefObject, useEffect, useRef } from 'react';
import type { Finding } from './find-bar.tsx';
import { markWords } from './mark-words.ts';
import { MIN_CHARACTERS } from './matches.ts';

/** Marks what is looked for within an element, and has each turn shown in which it was found. */
export function useFound(
  scroller: RefObject<Element | null>,
  finding: Finding | undefined,
  show: (turnId: string) => void,
): void {
  const newest = useRef(show);
  useEffect(() => {
    newest.current = show;
  });
  const words = finding?.words.trim() ?? '';
  useEffect(() => {
    const { current } = scroller;
    if (current === null || words.length < MIN_CHARACTERS) return undefined;
    return markWords(current, words);
  }, [scroller, words]);
  const turnId = finding?.turnId;
  useEffect(() => {
    if (turnId !== undefined) newest.current(turnId);
  }, [turnId]);
}
