import './marked-words.css';

const NAME = 'chat-found';
/** More of them are not marked at once. */
const MAX_RANGES = 500;

/**
 * Marks words wherever they are shown within an element, also in what comes into it later. The elements stay as they
 * are: browsers paint the marks. Returns what ends it.
 */
export function markWords(element: Element, words: string): () => void {
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
