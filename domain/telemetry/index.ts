export { COUNTED, installMeter, type Meter, meter, TIME_BUCKETS, TIMED } from './meter.ts';
