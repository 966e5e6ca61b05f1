import { z } from 'zod';
import { STEP_NEEDS, type VisitAction, type VisitStep } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { filePath } from '../../../workspace/workspace-path.ts';

const MAX_URL = 8_192;
const MAX_WAIT_S = 30;

const path = z.string().min(1).max(1024);

/** The parameters of a step. */
export const stepSchema = z.strictObject({
  action: z
    .enum(Object.keys(STEP_NEEDS) as [VisitAction, ...VisitAction[]])
    .describe(
      'goto (url), click (target), type (target, text: replaces what a field holds), select (target, text: an option), press (key, target), wait (target, seconds), scroll (to target, or to the end), text, links or screenshot (of target, or of all).',
    ),
  target: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'What the step is about: a CSS selector such as `#login button`, or words that are shown, such as `text=Sign in`. The first that fits is taken.',
    ),
  text: z.string().max(50_000).optional().describe('What type writes, or the option that select chooses.'),
  key: z.string().min(1).max(50).optional().describe('What press presses, such as `Enter` or `Control+A`.'),
  url: z.string().min(1).max(MAX_URL).optional().describe('Where goto goes.'),
  seconds: z.number().min(0).max(MAX_WAIT_S).optional().describe('How long wait waits.'),
  path: path.optional().describe('Path in the workspace for the picture of screenshot, ending in .png.'),
});

/** A step as a model gives it. */
export type GivenStep = z.output<typeof stepSchema>;

/** Returns the address of a page as the browser is told it; only http and https are opened. */
export function pageUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ToolFailure(
      'invalid_input',
      `"${text.slice(0, 100)}" is no address that begins with https:// or http://`,
    );
  if (url.username !== '' || url.password !== '')
    throw new ToolFailure('invalid_input', 'An address must hold no user name and no password');
  return url.href;
}

/** Returns a step as the browser is told it. */
export function visitStep(given: GivenStep, index: number): VisitStep {
  const { action, path: picture, ...step } = given;
  const missing = STEP_NEEDS[action].find((name) => given[name] === undefined);
  if (missing !== undefined) throw refusal(given, index, missing);
  if (action === 'wait' && (given.target ?? given.seconds) === undefined)
    throw refusal(given, index, 'target or seconds');
  if (picture !== undefined) checkPicturePath(picture);
  return { action, ...step, ...(step.url !== undefined && { url: pageUrl(step.url) }) };
}

function refusal({ action }: GivenStep, index: number, missing: string): ToolFailure {
  return new ToolFailure('invalid_input', `Step ${index + 1}, ${action}, requires ${missing}`);
}

/** Throws a `ToolFailure` when a picture cannot be kept under this path. */
export function checkPicturePath(text: string, ending = '.png'): void {
  if (!text.endsWith(ending)) throw new ToolFailure('invalid_input', `"${text.slice(-100)}" does not end in ${ending}`);
  filePath(text);
}
