export { MAX_INTERVAL_MINUTES, nextSlot, nextSlots, slotsBetween, type Timing, timingIssue } from './timing.ts';
