export { checkNewKey, requireAllowedKey } from './allowed-key.ts';
export { checkOverride, checkStandIn, rejectBuiltin } from './builtin.ts';
export { checkAdditionDirects, checkChangeDirects, type WantedChange } from './direction.ts';
export { checkScript, withFileIssues } from './files.ts';
export { lockChangeable } from './lock-changeable.ts';
