import { useEffect } from 'react';

const PRODUCT = 'Everturn';
let page = PRODUCT;
let waiting = 0;

/** Names the tab after the page that it shows; how much waits for the user stands before it. */
export function nameTab(title: string): void {
  page = `${title} · ${PRODUCT}`;
  show();
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
  document.title = waiting === 0 ? page : `(${waiting}) ${page}`;
}
