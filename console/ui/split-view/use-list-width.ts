import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { browserStorage } from '../../core/browser/storage.ts';

/** The narrowest and the widest list, in pixels. */
export const LIST_WIDTHS = { least: 220, most: 640 };

const PREFIX = 'everturn.width.';
const FIRST_WIDTH = 340;
const STEP = 16;

/** Returns the width of a list in pixels, kept for this browser, and what changes it by pointer and by keys. */
export function useListWidth(name: string) {
  const [width, setWidth] = useState(() => bounded(Number(browserStorage.read(PREFIX + name) ?? FIRST_WIDTH)));
  const change = (wanted: number) => {
    const next = bounded(wanted);
    setWidth(next);
    browserStorage.write(PREFIX + name, String(next));
  };
  const onPointerDown = ({ currentTarget, pointerId, clientX: from }: PointerEvent<HTMLElement>) => {
    currentTarget.setPointerCapture(pointerId);
    const isRightToLeft = getComputedStyle(currentTarget).direction === 'rtl';
    const move = ({ clientX }: globalThis.PointerEvent) =>
      change(width + (isRightToLeft ? from - clientX : clientX - from));
    const end = () => {
      currentTarget.removeEventListener('pointermove', move);
      currentTarget.removeEventListener('lostpointercapture', end);
    };
    currentTarget.addEventListener('pointermove', move);
    currentTarget.addEventListener('lostpointercapture', end);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: width - STEP, ArrowRight: width + STEP, Home: LIST_WIDTHS.least, End: LIST_WIDTHS.most };
    const wanted = next[event.key as keyof typeof next] as number | undefined;
    if (wanted === undefined) return;
    event.preventDefault();
    change(wanted);
  };
  return { width, onPointerDown, onKeyDown };
}

function bounded(width: number): number {
  if (!Number.isFinite(width)) return FIRST_WIDTH;
  return Math.round(Math.min(LIST_WIDTHS.most, Math.max(LIST_WIDTHS.least, width)));
}
