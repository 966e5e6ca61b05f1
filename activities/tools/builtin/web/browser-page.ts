import { z } from 'zod';
import {
  isActing,
  STEP_NEEDS,
  type ToolContext,
  VISIT_OUTPUTS,
  type VisitAction,
  type VisitAnswer,
  type VisitStep,
} from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { filePath } from '../../workspace/workspace-path.ts';
import { addressLabel } from './fetch-text.ts';

const MAX_STEPS = 30;
const DEFAULT_SECONDS = 45;
const MAX_SECONDS = 120;
const VIEWPORT = { width: 1280, height: 800 };
/**
 * How long the visit may take beyond its own time: the wait for a slot of the sandbox, and the start of the browser.
 */
const AROUND_SECONDS = 100;

const MAX_URL = 8_192;
const MAX_WAIT_S = 30;

const path = z.string().min(1).max(1024);

/** The parameters of a step. */
const stepSchema = z.strictObject({
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

const parameters = z.strictObject({
  url: z.string().min(1).max(8_192).describe('Address of the page, beginning with https:// or http://.'),
  steps: z.array(stepSchema).max(MAX_STEPS).optional().describe('What to do on the page, one after the other.'),
  output: z
    .enum(VISIT_OUTPUTS)
    .optional()
    .describe(
      'What to answer of the page at the end: its visible text (when left out), its html, or a file in the workspace with a screenshot or a pdf.',
    ),
  path: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Path in the workspace for that file, ending in .png or .pdf; one is chosen when left out.'),
  viewport: z
    .strictObject({ width: z.int().min(200).max(3_000), height: z.int().min(200).max(3_000) })
    .optional()
    .describe(`Size of the window; ${VIEWPORT.width} x ${VIEWPORT.height} when left out.`),
  timeout_s: z
    .int()
    .min(5)
    .max(MAX_SECONDS)
    .optional()
    .describe(`Seconds for the page and all steps; ${DEFAULT_SECONDS} when left out.`),
});

type Arguments = z.output<typeof parameters>;

/** Visits a page with a browser that runs its scripts, and acts on it. */
export const browserPage = defineTool({
  key: 'browser_page',
  name: 'Browser',
  description:
    'Opens a page in a browser that runs its scripts, performs actions on it (click, type, wait, read text and links, screenshot), and returns what it shows. ' +
    'Each call is a new browser without cookies: sign-ins do not last. Private and internal addresses cannot be reached, and downloads are refused. Slow: use `web_scrape` for pages that need no scripts.',
  category: 'web',
  parameters,
  effect: 'once',
  effectOf: effectOfVisit,
  approval: 'writes',
  approvalOf: ({ steps = [] }) => (steps.some(isActing) ? 'writes' : 'never'),
  timeoutSeconds: MAX_SECONDS + AROUND_SECONDS,
  needs: 'browser',
  label: ({ url }) => `Visiting ${addressLabel(url)}`,
  run: async (args, context) => {
    const { steps = [], output = 'text', viewport = VIEWPORT, timeout_s: seconds = DEFAULT_SECONDS } = args;
    const endPath = targetPath(args);
    const answer = await context.visitPage({
      url: pageUrl(args.url),
      steps: steps.map(visitStep),
      output,
      viewport,
      timeoutMs: seconds * 1000,
    });
    rejectUnopened(answer);
    const { url, status, title, failure, outputFailure, dialogs, downloads, popups } = answer;
    const value = {
      url,
      status,
      title,
      ...(steps.length > 0 && { steps: await shownSteps(steps, answer, context) }),
      ...(failure && { failed: `Step ${failure.step}: ${failure.message}` }),
      ...(await shownEnd(answer, endPath, context)),
      ...(outputFailure !== undefined && { not_shown: outputFailure }),
      ...(dialogs > 0 && { dismissed_dialogs: dialogs }),
      ...(downloads > 0 && { refused_downloads: downloads }),
      ...(popups.length > 0 && { closed_windows: popups }),
    };
    return { value, isForeign: true };
  },
});

function effectOfVisit({ steps = [], output = 'text' }: Pick<Arguments, 'steps' | 'output'>) {
  if (steps.some(isActing)) return 'once';
  const writes = output === 'screenshot' || output === 'pdf' || steps.some(({ action }) => action === 'screenshot');
  // The same files are written again.
  return writes ? 'keyed' : 'read';
}

// Checked before the page is opened: an action cannot be taken back.
function targetPath({ output, path }: Arguments): string | undefined {
  if (output !== 'screenshot' && output !== 'pdf') {
    if (path !== undefined) throw new ToolFailure('invalid_input', 'path goes with the output screenshot or pdf');
    return undefined;
  }
  if (path !== undefined) checkPicturePath(path, output === 'pdf' ? '.pdf' : '.png');
  return path;
}

function rejectUnopened({ failure }: VisitAnswer): void {
  if (failure?.step !== 0) return;
  const { message } = failure;
  if (message.includes('ERR_TUNNEL_CONNECTION_FAILED')) {
    const words = 'The page cannot be reached from here: its host is unknown, silent, private or on another port';
    throw new ToolFailure('upstream', words);
  }
  const kind = message.includes('Timeout') ? 'timeout' : 'upstream';
  throw new ToolFailure(kind, `The page could not be opened: ${message}`, { isForeign: true });
}

async function shownSteps(steps: readonly GivenStep[], { results }: VisitAnswer, context: ToolContext) {
  const shown: object[] = [];
  for (const [index, { text, links, file }] of results.entries()) {
    const { action, path } = steps[index] ?? { action: 'text' };
    shown.push({
      action,
      ...(text !== undefined && { text }),
      ...(links !== undefined && { links }),
      ...(file !== undefined && { file: await keep(file, path ?? chosenPath(context, `${index + 1}.png`), context) }),
    });
  }
  return shown;
}

async function shownEnd({ text, file }: VisitAnswer, path: string | undefined, context: ToolContext) {
  if (file === undefined) return text === undefined ? {} : { content: text };
  const isPdf = file.subarray(0, 5).toString() === '%PDF-';
  const target = path ?? chosenPath(context, isPdf ? 'page.pdf' : 'page.png');
  return { file: await keep(file, target, context) };
}

// The same at each repetition.
function chosenPath({ idempotencyKey }: ToolContext, name: string): string {
  return `browser/${idempotencyKey.replaceAll(/[^0-9A-Za-z-]/g, '_').slice(0, 100)}-${name}`;
}

// The state of the page may be the only trace of an action, so a full workspace does not hide it.
async function keep(bytes: Buffer, path: string, { workspace }: ToolContext): Promise<string> {
  try {
    await workspace.write(filePath(path), bytes, { overwrite: true, createFolders: true, isForeign: true });
    return path;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return `not kept: ${error.message}`;
  }
}

/** A step as a model gives it. */
type GivenStep = z.output<typeof stepSchema>;

/** Returns the address of a page for the browser; only http and https are opened. */
function pageUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ToolFailure(
      'invalid_input',
      `"${text.slice(0, 100)}" is no address that begins with https:// or http://`,
    );
  if (url.username !== '' || url.password !== '')
    throw new ToolFailure('invalid_input', 'An address must not contain a user name or password');
  return url.href;
}

/** Returns a step for the browser. */
function visitStep(given: GivenStep, index: number): VisitStep {
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
function checkPicturePath(text: string, ending = '.png'): void {
  if (!text.endsWith(ending)) throw new ToolFailure('invalid_input', `"${text.slice(-100)}" does not end in ${ending}`);
  filePath(text);
}
