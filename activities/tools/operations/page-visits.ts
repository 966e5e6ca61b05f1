import { type Browser, BrowserUnavailable, type VisitAnswer } from '../../sandbox/browser/browser.ts';
import { isActing, type Visit } from '../../sandbox/browser/visit.ts';
import { SandboxBusy, SandboxUnavailable } from '../../sandbox/sandbox.ts';
import { ToolFailure } from '../tool-failure.ts';

/**
 * Visits a page of the web with a browser that nobody else uses and that ends with the visit. Throws `ToolFailure` when
 * there is no browser here, and when the visit did not end.
 */
export type VisitPage = (visit: Visit) => Promise<VisitAnswer>;

const ENDED = {
  time: ['timeout', 'The page took too long and was closed'],
  memory: ['upstream', 'The page needed too much memory and was closed'],
  output: ['upstream', 'The page showed more than can be taken and was closed'],
  space: ['upstream', 'The page needed too much space and was closed'],
  system: ['upstream', 'The system ended the browser, probably because memory was short'],
} as const;

/** Makes what visits pages for one call. */
export function pageVisits(
  browser: Pick<Browser, 'visit'>,
  use: { readonly orgId: string; readonly signal: AbortSignal },
): VisitPage {
  return async (visit) => {
    const ending = await browser.visit(visit, use).catch((error: unknown) => {
      throw inWords(error);
    });
    if ('answer' in ending) return ending.answer;
    const [kind, words] = ENDED[ending.killedFor];
    throw new ToolFailure(kind, words, { isUncertain: visit.steps.some(isActing) });
  };
}

function inWords(error: unknown): unknown {
  if (error instanceof SandboxBusy) return new ToolFailure('rate_limited', error.message, { cause: error });
  if (!(error instanceof SandboxUnavailable) && !(error instanceof BrowserUnavailable)) return error;
  const words = `There is no browser here: ${error.message}. No page was opened`;
  return new ToolFailure('denied', words, { cause: error });
}
