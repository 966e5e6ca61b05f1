export { CallContent, type CallData } from './call-content.tsx';
export { TemporalLink } from './temporal-link.tsx';
export { type TurnRef, useTracedCall } from './queries.ts';
export { useTracesText } from './text.ts';
