export { createDecideSlots, type SlotDeps } from './decide-slots.ts';
