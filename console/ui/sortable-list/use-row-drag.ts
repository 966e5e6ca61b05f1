import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type RefObject, useEffect, useRef, useState } from 'react';

const KIND = Symbol('row of a sortable list');

interface RowDrag {
  readonly list: string;
  readonly key: string;
  /** Called with the key of a row that was dropped on this one. */
  readonly onDrop: (key: string) => void;
}

/** Lets a row be dragged to the place of another one of its list. Returns whether one is above it now. */
export function useRowDrag(element: RefObject<HTMLElement | null>, { list, key, onDrop }: RowDrag): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const isOther = (data: Record<string | symbol, unknown>) => data[KIND] === list && data['key'] !== key;
    return combine(
      draggable({ element: current, getInitialData: () => ({ [KIND]: list, key }) }),
      dropTargetForElements({
        element: current,
        canDrop: ({ source }) => isOther(source.data),
        onDragEnter: () => setIsOver(true),
        onDragLeave: () => setIsOver(false),
        onDrop: ({ source }) => {
          setIsOver(false);
          if (typeof source.data['key'] === 'string') latest.current(source.data['key']);
        },
      }),
    );
  }, [element, list, key]);
  return isOver;
}
