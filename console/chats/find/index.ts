export { FindBar, type Finding } from './find-bar.tsx';
export { useLinkedMessage } from './use-linked-message.ts';
export { useFound } from './use-found.ts';
