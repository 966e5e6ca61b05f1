export { compareSchedules, type ComparisonDeps, removeSchedulesOf } from './compare-schedules.ts';
export { createDecideSlots, type SlotDeps } from './decide-slots.ts';
