import type { ApprovalStatus } from './approvals.ts';
import { AppError } from './core/app-error.ts';
import { isObject } from './core/objects.ts';
import { MAX_CONTENT_CHARACTERS } from './turns.ts';

/** A prompt of a workflow. Its steps are sent one after the other in the conversation of a run. */
export interface WorkflowStep {
  readonly name: string;
  readonly promptTemplate: string;
  /** The agent that answers it; that of the workflow unless given. */
  readonly agentId: string | null;
  /** Whether a person has to approve its prompt before it is sent. */
  readonly approval: boolean;
  /** How often it is tried again after a failure. */
  readonly retries: number;
}

/** The parts of a workflow that decide which prompts a run sends. */
interface Prompts {
  readonly promptTemplate: string;
  readonly steps: readonly WorkflowStep[];
}

/** The name of the only step of a workflow that declares none. */
const PROMPT = 'prompt';

/** Returns the steps of a workflow: those that it declares, or its one prompt. */
export function stepsOf({ promptTemplate, steps }: Prompts): readonly WorkflowStep[] {
  return steps.length > 0 ? steps : [{ name: PROMPT, promptTemplate, agentId: null, approval: false, retries: 0 }];
}

/** Returns the variables that the prompts of a workflow declare with `{{ name }}`, each once. */
export function variablesOf(prompts: Prompts): string[] {
  const names = stepsOf(prompts).flatMap(({ promptTemplate }) => namesIn(promptTemplate));
  return [...new Set(names.filter((name) => stepOfName(name) === undefined))];
}

/** Returns what is wrong with the names in steps, in words; `undefined` when nothing is. */
export function stepsIssue(steps: readonly Pick<WorkflowStep, 'name' | 'promptTemplate'>[]): string | undefined {
  const before = new Set<string>();
  for (const { name, promptTemplate } of steps) {
    if (before.has(name)) return `two steps are called "${name}"`;
    const unknown = namesIn(promptTemplate)
      .map(stepOfName)
      .find((step) => step !== undefined && !before.has(step));
    if (unknown !== undefined) return `the step "${name}" uses the output of "${unknown}", which is no step before it`;
    before.add(name);
  }
  return undefined;
}

// A name may have dots, which lead into the objects of a webhook's body.
const PLACEHOLDER = /\{\{[ \t]{0,9}([^\s{}]{1,200})[ \t]{0,9}\}\}/g;

const OUTPUT_OF_STEP = /^steps\.([^.]{1,50})\.output$/;

/** The values that a template is rendered with, by name. */
type TemplateValues = Readonly<Record<string, unknown>>;

/** A template with its values filled in. */
interface Rendered {
  readonly text: string;
  /** The names in it that have no value, each once. Nothing replaces them. */
  readonly missing: readonly string[];
}

/** Returns the names that `{{ name }}` in a template refers to, each once, in the order of the text. */
export function namesIn(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Returns the step whose output a name in a template is; `undefined` for the name of a variable. */
export function stepOfName(name: string): string | undefined {
  return OUTPUT_OF_STEP.exec(name)?.[1];
}

/**
 * Puts values into a template, in one pass: the content of a value is never read as a template. Texts are inserted
 * unchanged, everything else as JSON. A name with dots is the value of that name, or leads through objects and lists.
 * Only what was sent has a value, so that `{{constructor}}` has none. Returns `undefined` when the result would be
 * longer than `maxLength` characters.
 */
export function renderTemplate(template: string, values: TemplateValues, maxLength: number): Rendered | undefined {
  const missing = new Set<string>();
  const texts = new Map<string, string>();
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): boolean => {
    parts.push(part);
    length += part.length;
    return length <= maxLength;
  };
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of template.matchAll(PLACEHOLDER)) {
    const value = valueOf(values, name);
    if (value === undefined) missing.add(name);
    const text = texts.get(name) ?? textOf(value);
    texts.set(name, text);
    if (!add(template.slice(end, index)) || !add(text)) return undefined;
    end = index + whole.length;
  }
  return add(template.slice(end)) ? { text: parts.join(''), missing: [...missing] } : undefined;
}

function valueOf(values: TemplateValues, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  let value: unknown = values;
  for (const key of name.split('.')) {
    if (!(isObject(value) || Array.isArray(value)) || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parts of a workflow that its runs are made of. */
interface Work {
  readonly agentId: string;
  readonly promptTemplate: string;
  readonly steps: readonly WorkflowStep[];
}

/** The work of a run, copied from its workflow when the run begins. */
export interface RunWork {
  readonly steps: readonly WorkflowStep[];
  /** The agent that answers the first prompt. */
  readonly agentId: string;
  /** The first prompt, with its values. */
  readonly prompt: string;
  readonly missingVariables: readonly string[];
}

/** Makes the work of a run; `unprocessable` when its first prompt would be empty or too long. */
export function workOfRun({ agentId, ...prompts }: Work, variables: TemplateValues): RunWork {
  const steps = stepsOf(prompts).map((step) => ({ ...step, agentId: step.agentId ?? agentId }));
  const [first] = steps;
  const rendered = renderTemplate(first?.promptTemplate ?? '', variables, MAX_CONTENT_CHARACTERS);
  if (rendered === undefined)
    throw new AppError(
      'unprocessable',
      `With these variables the prompt is longer than ${MAX_CONTENT_CHARACTERS} characters`,
    );
  const { text: prompt, missing: missingVariables } = rendered;
  if (prompt.trim() === '') throw new AppError('unprocessable', 'With these variables the prompt is empty');
  return { steps, agentId: first?.agentId ?? agentId, prompt, missingVariables };
}

/** The states of a run, from when it is triggered. The last three are its ends. */
export const RUN_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted'] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** How a run can end. */
export type FinalRunStatus = Extract<RunStatus, 'completed' | 'failed' | 'interrupted'>;

/** What starts a run. */
export const RUN_TRIGGERS = ['manual', 'webhook', 'schedule', 'agent'] as const;

export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** How a workflow is started: by hand alone, by its webhook, or by a schedule. */
export const TRIGGER_TYPES = ['manual', 'webhook', 'schedule'] as const;

export type TriggerType = (typeof TRIGGER_TYPES)[number];

/** A turn of a run: one attempt at one of its steps. */
export interface RunTurn {
  /** The position of the step, from 0. */
  readonly step: number;
  /** From 1. */
  readonly attempt: number;
  readonly status: 'queued' | 'running' | FinalRunStatus;
  readonly endedAt: Date | null;
  /** Why it failed, in words for its user. */
  readonly error: string | null;
}

/** The wait for a decision before a step of a run. */
export interface StepApproval {
  /** The position of the step, from 0. */
  readonly step: number;
  readonly status: ApprovalStatus;
  readonly expiresAt: Date;
  /** Who has decided; null when nobody has, or when the account is gone. */
  readonly deciderName: string | null;
  readonly note: string | null;
}

/** The state that decides the next transition of a run. */
export interface RunProgress {
  readonly steps: readonly Pick<WorkflowStep, 'name' | 'approval' | 'retries'>[];
  /** At most one for each step. */
  readonly approvals: readonly StepApproval[];
  /** In the order in which they were begun. */
  readonly turns: readonly RunTurn[];
  readonly isInterrupted: boolean;
  /** Whether calls of its turn wait for a person, which pauses the deadline. */
  readonly isCallAsked: boolean;
  readonly deadlineAt: Date | null;
  readonly timeLimitMinutes: number | null;
}

/** The next transition of a run. */
export type RunTransition =
  | { readonly kind: 'begin'; readonly step: number; readonly attempt: number }
  /** A person is asked whether the step may begin, unless that was done. */
  | { readonly kind: 'ask'; readonly step: number }
  /** Its turn is to stop; the run continues when it has. */
  | { readonly kind: 'stop' }
  /** Nothing before that time, or before its turn has ended. */
  | { readonly kind: 'wait'; readonly until: Date | null }
  | { readonly kind: 'end'; readonly status: FinalRunStatus; readonly error: string | null };

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** How often a run is decided about while its time limit is paused. A person's decision triggers one at once. */
const ASKED_PAUSE_MS = 3_600_000;

/** Decides what is to be done for a run, by what its turns have come to. */
export function nextTransition(run: RunProgress, now: Date): RunTransition {
  const last = run.turns.at(-1);
  const isOverdue = run.deadlineAt !== null && run.deadlineAt <= now;
  if (last?.endedAt === null)
    return run.isInterrupted || isOverdue ? { kind: 'stop' } : { kind: 'wait', until: nextDecision(run, now) };
  if (last?.status === 'completed' && last.step === run.steps.length - 1)
    return { kind: 'end', status: 'completed', error: null };
  if (run.isInterrupted) return INTERRUPTED;
  // The time limit is paused while the run waits for a person.
  const isAsked = run.approvals.some(({ status }) => status === 'pending');
  return isOverdue && !isAsked ? { kind: 'end', status: 'failed', error: overdue(run) } : goOn(run, last, now);
}

// When a run whose turn is open is decided about again; null for when that has ended.
function nextDecision({ deadlineAt, isCallAsked }: RunProgress, now: Date): Date | null {
  return deadlineAt !== null && isCallAsked ? new Date(now.getTime() + ASKED_PAUSE_MS) : deadlineAt;
}

const INTERRUPTED: RunTransition = { kind: 'end', status: 'interrupted', error: null };

function goOn(run: RunProgress, last: RunTurn | undefined, now: Date): RunTransition {
  if (last === undefined || last.status === 'completed') {
    const step = last === undefined ? 0 : last.step + 1;
    return beforeStep(run, step, now) ?? { kind: 'begin', step, attempt: 1 };
  }
  return last.status === 'interrupted' ? INTERRUPTED : afterFailure(run, last, now);
}

// Returns the transition that must precede a step; undefined when the step may begin.
function beforeStep({ steps, approvals }: RunProgress, step: number, now: Date): RunTransition | undefined {
  const { name = '', approval = false } = steps[step] ?? {};
  if (!approval) return undefined;
  const asked = approvals.find((each) => each.step === step);
  if (asked === undefined) return { kind: 'ask', step };
  if (asked.status === 'approved') return undefined;
  if (asked.status === 'denied') return { kind: 'end', status: 'interrupted', error: denial(name, asked) };
  if (asked.status === 'pending' && asked.expiresAt > now) return { kind: 'ask', step };
  return { kind: 'end', status: 'failed', error: `Nobody has approved the step "${name}" in time.` };
}

function denial(step: string, { deciderName, note }: StepApproval): string {
  const who = deciderName ?? 'somebody';
  return note === null
    ? `The step "${step}" was denied by ${who}.`
    : `The step "${step}" was denied by ${who}: ${note}`;
}

function afterFailure({ steps, deadlineAt }: RunProgress, last: RunTurn, now: Date): RunTransition {
  const { step, attempt, error } = last;
  if (attempt > (steps[step]?.retries ?? 0)) return { kind: 'end', status: 'failed', error };
  const at = (last.endedAt ?? now).getTime() + pauseAfter(attempt);
  if (at <= now.getTime()) return { kind: 'begin', step, attempt: attempt + 1 };
  return { kind: 'wait', until: new Date(Math.min(at, deadlineAt?.getTime() ?? at)) };
}

function pauseAfter(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 3 ** (attempt - 1), LONGEST_PAUSE_MS);
}

function overdue({ timeLimitMinutes }: RunProgress): string {
  return `The time limit of the run is up: ${timeLimitMinutes} ${timeLimitMinutes === 1 ? 'minute' : 'minutes'}.`;
}
