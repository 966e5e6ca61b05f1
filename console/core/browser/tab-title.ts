import { useEffect } from 'react';
import { PRODUCT } from '../text/text-context.tsx';

let page = PRODUCT;
let part: string | undefined;
let waiting = 0;

/** Names the tab after the page that it shows; how much waits for the user stands before it. */
export function nameTab(title: string): void {
  page = `${title} · ${PRODUCT}`;
  show();
}

/** Names the tab after a part of the page, such as the record beside a list, as long as the component is shown. */
export function useTabPart(title: string): void {
  useEffect(() => {
    part = `${title} · ${PRODUCT}`;
    show();
    return () => {
      part = undefined;
      show();
    };
  }, [title]);
}

/** Shows in the name of the tab how much waits for the user, as long as the component is shown. */
export function useTabCount(count: number): void {
  useEffect(() => {
    waiting = count;
    show();
    return () => {
      waiting = 0;
      show();
    };
  }, [count]);
}

function show(): void {
  const name = part ?? page;
  document.title = waiting === 0 ? name : `(${waiting}) ${name}`;
}
