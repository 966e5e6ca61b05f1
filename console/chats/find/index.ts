export { FindBar, type Finding } from './find-bar.tsx';
export { useFound } from './use-found.ts';
