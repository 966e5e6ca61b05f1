export { Browser, BrowserUnavailable } from './browser/browser.ts';
export { isActing, STEP_NEEDS, type Visit, VISIT_OUTPUTS, type VisitAction, type VisitStep } from './browser/visit.ts';
export type { VisitAnswer } from './browser/visit-answer.ts';
export { removeTree } from './remove-tree.ts';
export type { SandboxProcess } from './sandbox-process.ts';
export type { SandboxEnding } from './launch.ts';
export { Sandbox, SandboxBusy, type SandboxState, SandboxUnavailable } from './sandbox.ts';
