export { Browser, BrowserUnavailable, type VisitAnswer } from './browser/browser.ts';
export { isActing, STEP_NEEDS, type Visit, VISIT_OUTPUTS, type VisitAction, type VisitStep } from './browser/visit.ts';
export { type CliEvent, CliFlood, CliProcess, type CliRun, findCli, type FoundCli } from './cli/cli-process.ts';
export { HOME, type HomeFiles } from './cli/given-cli.ts';
export type { Connect } from './egress/gateway.ts';
export { removeTree } from './channels.ts';
export type { SandboxProcess } from './sandbox-process.ts';
export type { SandboxEnding } from './launch.ts';
export { Sandbox, SandboxBusy, type SandboxState, SandboxUnavailable } from './sandbox.ts';
