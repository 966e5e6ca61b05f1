import { type RefObject, useEffect, useRef } from 'react';
import type { ChatTurn } from '../connection/merge-messages.ts';
import type { Finding } from './find-bar.tsx';
import './marked-words.css';

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

/** Fewer characters are found nearly everywhere. */
export const MIN_CHARACTERS = 2;

/** Returns the ids of the turns whose question or answer holds a text, in whatever case, oldest first. */
export function matchesIn(turns: readonly ChatTurn[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted.length < MIN_CHARACTERS) return [];
  const contains = (content: string | undefined) => content?.toLowerCase().includes(wanted) === true;
  return turns
    .filter(({ question, answer }) => contains(question?.content) || contains(answer?.content))
    .map(({ turnId }) => turnId);
}

const NAME = 'chat-found';

/** More of them are not marked at once. */
const MAX_RANGES = 500;

/**
 * Marks words wherever they are shown within an element, also in what comes into it later. The elements stay as they
 * are: browsers paint the marks. Returns what ends it.
 */
function markWords(element: Element, words: string): () => void {
  const registry = (globalThis.CSS as typeof CSS | undefined)?.highlights;
  if (registry === undefined) return () => undefined;
  let frame = 0;
  const mark = () => registry.set(NAME, new Highlight(...rangesOf(element, words.trim().toLowerCase())));
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(mark);
  });
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  mark();
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    registry.delete(NAME);
  };
}

function rangesOf(element: Element, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const content = node.textContent?.toLowerCase() ?? '';
    for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length)) {
      if (ranges.length === MAX_RANGES) return ranges;
      ranges.push(rangeOf(node, at, at + wanted.length));
    }
  }
  return ranges;
}

// Some letters are longer in lower case: the end is never beyond the text.
function rangeOf(node: Node, start: number, end: number): Range {
  const length = node.textContent?.length ?? 0;
  const range = new Range();
  range.setStart(node, Math.min(start, length));
  range.setEnd(node, Math.min(end, length));
  return range;
}
