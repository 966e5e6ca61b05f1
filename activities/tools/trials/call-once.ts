import type { TrialOutcome } from '../../../db/tools/index.ts';
import { toStorableText } from '../../../domain/core/text.ts';
import type { CustomTool } from '../../../domain/tools/index.ts';
import { MAX_TRIAL_MS } from '../../../workflows/short/contract.ts';
import { toolError } from '../call/tool-error.ts';
import { checkQuickly } from '../custom/check-call.ts';
import { runCustomCall } from '../custom/custom-tool.ts';
import type { RuntimeContext } from '../custom/runtime.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolArguments } from '../tool.ts';
import { shownResult, timedOut, type TrialEnding } from './trial-result.ts';

interface TrialRun {
  readonly contextFor: (signal: AbortSignal) => RuntimeContext;
  /** Aborts when nobody waits any more. */
  readonly stop: AbortSignal;
}

/** Makes one call of a custom tool for a person to see: its result or its failure, its log, and how long it took. */
export async function callOnce(tool: CustomTool, args: ToolArguments, run: TrialRun): Promise<TrialOutcome> {
  const logs: string[] = [];
  const begin = performance.now();
  const ending = await endingOf(tool, args, { ...run, log: (text) => logs.push(toStorableText(text)) });
  return { ...ending, logs, durationMs: Math.round(performance.now() - begin) };
}

async function endingOf(
  tool: CustomTool,
  given: ToolArguments,
  { contextFor, stop, log }: TrialRun & { readonly log: (text: string) => void },
): Promise<TrialEnding> {
  const checked = checkQuickly(tool, given);
  if ('error' in checked) return failed('error', checked.error);
  const limitMs = Math.min(tool.timeoutSeconds * 1000, MAX_TRIAL_MS);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timedOut(tool.effect, limitMs)), limitMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  try {
    const { value, isJson = false } = await runCustomCall({ tool, args: checked.value, log }, contextFor(signal));
    return { status: 'success', ...shownResult(typeof value === 'string' ? value : JSON.stringify(value), isJson) };
  } catch (error) {
    const failure: unknown = limit.signal.aborted ? limit.signal.reason : error;
    if (!(failure instanceof ToolFailure)) throw error;
    return failed(failure.isUncertain ? 'unknown' : 'error', failure);
  } finally {
    clearTimeout(timer);
  }
}

function failed(status: 'error' | 'unknown', { kind, message }: Pick<ToolFailure, 'kind' | 'message'>) {
  return { status, ...shownResult(toolError(kind, message), true) };
}
