export { COUNTED, installMeter, type Meter, meter, TIME_BUCKETS, TIMED } from './meter.ts';
export {
  type Attributes,
  installTracing,
  messageText,
  type Span,
  type SpanStart,
  type TracedTurn,
  type Tracing,
  tracing,
  type TurnSpan,
} from './tracing.ts';
