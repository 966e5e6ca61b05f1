/** The actions of a browser on a page, and the fields that each needs. */
export const STEP_NEEDS = {
  goto: ['url'],
  click: ['target'],
  type: ['target', 'text'],
  select: ['target', 'text'],
  press: ['key'],
  wait: [],
  scroll: [],
  text: [],
  links: [],
  screenshot: [],
} as const;

export type VisitAction = keyof typeof STEP_NEEDS;

/** A step of a visit. */
export interface VisitStep {
  readonly action: VisitAction;
  /** A selector of Playwright: CSS, or words such as `text=Sign in`. The first element that fits is meant. */
  readonly target?: string | undefined;
  /** The text to type, or the option to choose. */
  readonly text?: string | undefined;
  readonly key?: string | undefined;
  /** An address of http or https. */
  readonly url?: string | undefined;
  readonly seconds?: number | undefined;
}

const ACTING: ReadonlySet<VisitAction> = new Set(['click', 'type', 'select', 'press']);

/** Returns whether a step may change something elsewhere, as the sending of a form does. */
export function isActing({ action }: Pick<VisitStep, 'action'>): boolean {
  return ACTING.has(action);
}

/** The outputs of the page at the end. */
export const VISIT_OUTPUTS = ['text', 'html', 'screenshot', 'pdf'] as const;

/** A visit to a page: what the browser does, one thing after the other. */
export interface Visit {
  /** An address of http or https. */
  readonly url: string;
  readonly steps: readonly VisitStep[];
  readonly output: (typeof VISIT_OUTPUTS)[number];
  readonly viewport: { readonly width: number; readonly height: number };
  /** The time for all of it, in milliseconds. */
  readonly timeoutMs: number;
}

/** The input of the program inside. */
export interface GivenVisit extends Visit {
  /** The path of Chromium. */
  readonly chromium: string;
  /** The address of the proxy. */
  readonly proxy: string;
}
